// The sweep of terms that worlds state as formulas, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/terms/sweep_impl.hpp"

namespace eddyline::physics::terms {

template <>
Sweep<float> sweep_scalar<float, 2>() {
  return sweep<Pack<float, 1>, 2>;
}
template <>
Sweep<float> sweep_scalar<float, 3>() {
  return sweep<Pack<float, 1>, 3>;
}
template <>
Sweep<double> sweep_scalar<double, 2>() {
  return sweep<Pack<double, 1>, 2>;
}
template <>
Sweep<double> sweep_scalar<double, 3>() {
  return sweep<Pack<double, 1>, 3>;
}

}  // namespace eddyline::physics::terms
