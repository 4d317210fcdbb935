#include "physics/terms/sweep.hpp"

#include "physics/by_instructions.hpp"

namespace eddyline::physics::terms {

template <class T, int D>
Sweeps<T, D> choose_sweeps(const std::string& instructions) {
  return by_instructions<T>(
      instructions, [] { return sweeps_scalar<T, D>(); }, [] { return sweeps_avx2<T, D>(); },
      [] { return sweeps_avx512<T, D>(); });
}

template Sweeps<float, 2> choose_sweeps(const std::string&);
template Sweeps<float, 3> choose_sweeps(const std::string&);
template Sweeps<double, 2> choose_sweeps(const std::string&);
template Sweeps<double, 3> choose_sweeps(const std::string&);

}  // namespace eddyline::physics::terms
