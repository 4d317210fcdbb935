// The loops of the wave equation, compiled for one instruction set.
#include "base/pack.hpp"

#include "physics/wave/make_kernels.hpp"

namespace eddyline::physics::wave {

Kernels kernels_scalar(int order, int dimensions) { return make_kernels<Pack<double, 1>>(order, dimensions); }

}  // namespace eddyline::physics::wave
