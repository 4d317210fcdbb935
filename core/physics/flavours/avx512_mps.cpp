// The sweeps of the solver mps, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/mps/sweeps_impl.hpp"

namespace eddyline::physics::mps {

template <>
Sweeps<2> sweeps_avx512<2>(Weights weights) {
  return make_sweeps<Pack<float, 16>, 2>(weights);
}
template <>
Sweeps<3> sweeps_avx512<3>(Weights weights) {
  return make_sweeps<Pack<float, 16>, 3>(weights);
}

}  // namespace eddyline::physics::mps
