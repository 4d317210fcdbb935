// The loops of equations on Cartesian cells, compiled for one instruction set.
#include "base/lanes_select.hpp"

#include "physics/models/make_kernels.hpp"

namespace eddyline::physics {

Kernels kernels_avx2(const Choice& choice) { return make_kernels<Pack<double, 4>>(choice); }

}  // namespace eddyline::physics
