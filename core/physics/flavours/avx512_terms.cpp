// The sweep of terms that worlds state as formulas, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/terms/sweep_impl.hpp"

namespace eddyline::physics::terms {

template <>
Sweep<float> sweep_avx512<float, 2>() {
  return sweep<Pack<float, 16>, 2>;
}
template <>
Sweep<float> sweep_avx512<float, 3>() {
  return sweep<Pack<float, 16>, 3>;
}

}  // namespace eddyline::physics::terms
