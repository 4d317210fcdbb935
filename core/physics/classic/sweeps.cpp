#include "physics/classic/sweeps.hpp"

#include <type_traits>

namespace eddyline::physics::classic {

template <class T, int D>
Sweeps<T, D> choose_sweeps(const std::string& instructions) {
  if constexpr (std::is_same_v<T, float>) {
#ifdef EDDYLINE_HAS_AVX2
    if (instructions == "avx2") return sweeps_avx2<T, D>();
#endif
#ifdef EDDYLINE_HAS_AVX512
    if (instructions == "avx512") return sweeps_avx512<T, D>();
#endif
  }
  (void)instructions;
  return sweeps_scalar<T, D>();
}

template Sweeps<float, 2> choose_sweeps(const std::string&);
template Sweeps<float, 3> choose_sweeps(const std::string&);
template Sweeps<double, 2> choose_sweeps(const std::string&);
template Sweeps<double, 3> choose_sweeps(const std::string&);

}  // namespace eddyline::physics::classic
