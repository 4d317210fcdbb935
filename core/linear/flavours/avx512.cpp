// The loops of exact sums, compiled for one instruction set.
#include "base/pack_avx512.hpp"

#include "linear/flavours/make_block_kernels.hpp"

namespace eddyline::linear {

BlockKernels block_kernels_avx512() { return make_block_kernels<Pack<double, 8>>(); }

}  // namespace eddyline::linear
