// The sweeps of the scheme delta, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/delta/sweeps_impl.hpp"

namespace eddyline::physics::delta {

template <>
Sweeps<float, 2> sweeps_avx512<float, 2>(bool) {
  return make_sweeps<Pack<float, 16>, 2>();  // rows are whole
}
template <>
Sweeps<float, 3> sweeps_avx512<float, 3>(bool has_fast_gather) {
  using P = Pack<float, 16>;
  return has_fast_gather ? make_sweeps<P, 3, neighbors::RestGathered>() : make_sweeps<P, 3>();
}

}  // namespace eddyline::physics::delta
