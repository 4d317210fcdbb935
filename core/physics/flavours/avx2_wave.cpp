// The loops of the wave equation, compiled for one instruction set.
#include "base/lanes.hpp"

#include "physics/wave/make_kernels.hpp"

namespace eddyline::physics::wave {

Kernels kernels_avx2(int order, int dimensions) { return make_kernels<Pack<double, 4>>(order, dimensions); }

}  // namespace eddyline::physics::wave
