// The loops of exact sums, compiled for one instruction set.
#include "base/lanes.hpp"

#include "linear/flavours/make_block_kernels.hpp"

namespace eddyline::linear {

BlockKernels block_kernels_avx2() { return make_block_kernels<Pack<double, 4>>(); }

}  // namespace eddyline::linear
