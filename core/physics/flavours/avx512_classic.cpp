// The sweeps of the scheme classic, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/classic/sweeps_impl.hpp"

namespace eddyline::physics::classic {

template <>
Sweeps<float, 2> sweeps_avx512<float, 2>() {
  return make_sweeps<Pack<float, 16>, 2>();
}
template <>
Sweeps<float, 3> sweeps_avx512<float, 3>() {
  return make_sweeps<Pack<float, 16>, 3>();
}

}  // namespace eddyline::physics::classic
