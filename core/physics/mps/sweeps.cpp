#include "physics/mps/sweeps.hpp"

#include "physics/by_instructions.hpp"

namespace eddyline::physics::mps {

template <int D>
Sweeps<D> choose_sweeps(const std::string& instructions, Weights weights) {
  return by_instructions<float>(
      instructions, [&] { return sweeps_scalar<D>(weights); }, [&] { return sweeps_avx2<D>(weights); },
      [&] { return sweeps_avx512<D>(weights); });
}

template Sweeps<2> choose_sweeps(const std::string&, Weights);
template Sweeps<3> choose_sweeps(const std::string&, Weights);

}  // namespace eddyline::physics::mps
