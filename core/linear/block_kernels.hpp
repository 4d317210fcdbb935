#pragma once

#include <cstddef>
#include <string>

namespace eddyline::linear {

/// The loops of exact sums over one block, compiled for one instruction set: see BlockKernel, which describes them.
struct BlockKernels {
  struct Parts {
    double large, small, rest;
  };
  double (*multiply)(const double* a, const double* b, std::size_t count, double* out);
  double (*copy)(const double* a, std::size_t count, double* out);
  Parts (*split)(const double* values, std::size_t count, double to_large, double to_small);
  void (*keep_rest)(double* values, std::size_t count, double to_large, double to_small);
};

BlockKernels block_kernels_scalar();
BlockKernels block_kernels_avx2();
BlockKernels block_kernels_avx512();
/// `instructions`: as choose_instructions() takes it.
BlockKernels block_kernels(const std::string& instructions);

}  // namespace eddyline::linear
