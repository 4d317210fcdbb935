#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace eddyline::amr {

/// The cells of a patch in the memory of a box around it, row-major.
struct Inside {
  int dimensions;
  std::int32_t nx, ny, nz;
  std::ptrdiff_t sy, sz;  // from a row, and from a plane, to the next

  Inside grown(std::int32_t layers) const {
    const std::int32_t both = 2 * layers;
    return {dimensions, nx + both, ny + both, dimensions == 3 ? nz + both : nz, sy, sz};
  }
  /// Beginning of grown(layers), counted from the first cell of the patch.
  std::ptrdiff_t corner(std::int32_t layers) const { return -layers * (1 + sy + (dimensions == 3 ? sz : 0)); }
};

/// x' = centre x + pairs (sum of the neighbours of x) + right b + old x_old: what a sweep, and a residual, are.
struct Weights {
  float centre, pairs, right = 0, old = 0;
};

/// The loops of the correction on one patch, compiled for one instruction set; all give the same bits. Pointers are to
/// the first cell of the box `at`.
struct Sweeps {
  /// Writes x', which is none of the others. What lies between the rows of the box is overwritten. b, old: not read
  /// where they are null.
  void (*sweep)(const Inside& at, const Weights& weights, const float* x, const float* b, const float* old, float* to);
  /// r = scale (f - per_area (2 D u - sum of the neighbours of u)); f and r without gaps between rows.
  void (*residual)(const Inside& at, double scale, double per_area, const double* u, const double* f, float* r);
  /// Means of 2^D cells, `coarse` without gaps.
  void (*restrict_means)(const Inside& at, const float* x, float* coarse);
  /// x += the coarse values, linear between them along each axis. The box begins and ends with whole
  /// coarse cells, of which the memory has one more around them: `coarse` is the first of that memory. `rows`: memory
  /// for as many rows of nx as there are rows of coarse cells.
  void (*interpolate)(const Inside& at, const float* coarse, float* rows, float* x);
};

Sweeps sweeps_scalar();
Sweeps sweeps_avx2();
Sweeps sweeps_avx512();
/// `instructions`: as choose_instructions() takes it.
Sweeps sweeps_of(const std::string& instructions);

}  // namespace eddyline::amr
