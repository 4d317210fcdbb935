#include "physics/terms/sweep.hpp"

#include "physics/by_instructions.hpp"

namespace eddyline::physics::terms {

template <class T, int D>
Sweep<T> choose_sweep(const std::string& instructions) {
  return by_instructions<T>(
      instructions, [] { return sweep_scalar<T, D>(); }, [] { return sweep_avx2<T, D>(); },
      [] { return sweep_avx512<T, D>(); });
}

template Sweep<float> choose_sweep<float, 2>(const std::string&);
template Sweep<float> choose_sweep<float, 3>(const std::string&);
template Sweep<double> choose_sweep<double, 2>(const std::string&);
template Sweep<double> choose_sweep<double, 3>(const std::string&);

}  // namespace eddyline::physics::terms
