// Sweeps of rates with terms that worlds state as formulas, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/terms/sweep_impl.hpp"

namespace eddyline::physics::terms {

template <>
Sweeps<float, 2> sweeps_scalar<float, 2>() {
  return make_sweeps<Pack<float, 1>, 2>();
}
template <>
Sweeps<float, 3> sweeps_scalar<float, 3>() {
  return make_sweeps<Pack<float, 1>, 3>();
}
template <>
Sweeps<double, 2> sweeps_scalar<double, 2>() {
  return make_sweeps<Pack<double, 1>, 2>();
}
template <>
Sweeps<double, 3> sweeps_scalar<double, 3>() {
  return make_sweeps<Pack<double, 1>, 3>();
}

}  // namespace eddyline::physics::terms
