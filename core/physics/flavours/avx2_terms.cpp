// Sweeps of rates with terms that worlds state as formulas, compiled for one instruction set.
#include "base/pack_avx2.hpp"

#include "physics/terms/sweep_impl.hpp"

namespace eddyline::physics::terms {

template <>
Sweeps<float, 2> sweeps_avx2<float, 2>() {
  return make_sweeps<Pack<float, 8>, 2>();
}
template <>
Sweeps<float, 3> sweeps_avx2<float, 3>() {
  return make_sweeps<Pack<float, 8>, 3>();
}

}  // namespace eddyline::physics::terms
