#pragma once

#include <cstddef>

#include "base/block_kernel.hpp"
#include "linear/block_kernels.hpp"

namespace eddyline::linear {

template <class P>
BlockKernels make_block_kernels() {
  using Kernel = BlockKernel<P>;
  return {Kernel::multiply, Kernel::copy,
          [](const double* values, std::size_t count, double to_large, double to_small) {
            const auto parts = Kernel::split(values, count, to_large, to_small);
            return BlockKernels::Parts{parts.large, parts.small, parts.rest};
          },
          Kernel::keep_rest};
}

}  // namespace eddyline::linear
