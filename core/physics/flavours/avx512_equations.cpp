// The loops of equations on Cartesian cells, compiled for one instruction set.
#include "base/pack_avx512_double.hpp"

#include "physics/models/make_kernels.hpp"

namespace eddyline::physics {

Kernels kernels_avx512(const Choice& choice) { return make_kernels<Pack<double, 8>>(choice); }

}  // namespace eddyline::physics
