// The sweeps of the solver mps, compiled for one instruction set.
#include "base/pack_avx2.hpp"

#include "physics/mps/sweeps_impl.hpp"

namespace eddyline::physics::mps {

template <>
Sweeps<2> sweeps_avx2<2>(Weights weights) {
  return make_sweeps<Pack<float, 8>, 2>(weights);
}
template <>
Sweeps<3> sweeps_avx2<3>(Weights weights) {
  return make_sweeps<Pack<float, 8>, 3>(weights);
}

}  // namespace eddyline::physics::mps
