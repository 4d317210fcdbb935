// The loops of equations on Cartesian cells, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/models/make_kernels.hpp"

namespace eddyline::physics {

Kernels kernels_scalar(const Choice& choice) { return make_kernels<Pack<double, 1>>(choice); }

}  // namespace eddyline::physics
