// The loops of the wave equation, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "physics/wave/make_kernels.hpp"

namespace eddyline::physics::wave {

Kernels kernels_avx512(int order, int dimensions) { return make_kernels<Pack<double, 8>>(order, dimensions); }

}  // namespace eddyline::physics::wave
