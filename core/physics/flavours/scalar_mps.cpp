// The sweeps of the solver mps, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/mps/sweeps_impl.hpp"

namespace eddyline::physics::mps {

template <>
Sweeps<2> sweeps_scalar<2>(Weights weights) {
  return make_sweeps<Pack<float, 1>, 2>(weights);
}
template <>
Sweeps<3> sweeps_scalar<3>(Weights weights) {
  return make_sweeps<Pack<float, 1>, 3>(weights);
}

}  // namespace eddyline::physics::mps
