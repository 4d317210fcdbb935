// The loops of exact sums, compiled for one instruction set.
#include "base/pack.hpp"

#include "linear/flavours/make_block_kernels.hpp"

namespace eddyline::linear {

BlockKernels block_kernels_scalar() { return make_block_kernels<Pack<double, 1>>(); }

}  // namespace eddyline::linear
