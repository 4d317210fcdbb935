#pragma once
// Included by the files of instruction sets only: plain loops, which the compiler turns into vectors. Contraction is
// off, so that each is the same chain of operations for each cell.

#include "base/host_device.hpp"
#include "solvers/amr/poisson/sweeps.hpp"

namespace eddyline::amr {

namespace {

template <int D, class T>
EDDYLINE_INLINE T neighbours(const T* x, std::ptrdiff_t i, std::ptrdiff_t sy, std::ptrdiff_t sz) {
  const T pairs = (x[i - 1] + x[i + 1]) + (x[i - sy] + x[i + sy]);
  if constexpr (D == 2) return pairs;
  return pairs + (x[i - sz] + x[i + sz]);
}

/// A plane as one long row: what lies between its rows costs less than many short loops.
template <int D, bool has_right, bool has_old>
void sweep_planes(const Inside& at, Weights w, const float* x, const float* b, const float* old, float* to) {
  const std::ptrdiff_t sy = at.sy, sz = at.sz, count = (at.ny - 1) * sy + at.nx;
  for (std::int32_t z = 0; z < at.nz; ++z) {
    const float *x_z = x + z * sz, *b_z = b + (has_right ? z * sz : 0), *old_z = old + (has_old ? z * sz : 0);
    float* __restrict to_z = to + z * sz;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      float next = w.centre * x_z[i] + w.pairs * neighbours<D>(x_z, i, sy, sz);
      if constexpr (has_right) next += w.right * b_z[i];
      if constexpr (has_old) next += w.old * old_z[i];
      to_z[i] = next;
    }
  }
}

template <int D>
void sweep_of(const Inside& at, const Weights& weights, const float* x, const float* b, const float* old, float* to) {
  if (b == nullptr) return sweep_planes<D, false, false>(at, weights, x, b, old, to);
  if (old == nullptr) return sweep_planes<D, true, false>(at, weights, x, b, old, to);
  sweep_planes<D, true, true>(at, weights, x, b, old, to);
}

void sweep(const Inside& at, const Weights& weights, const float* x, const float* b, const float* old, float* to) {
  at.dimensions == 2 ? sweep_of<2>(at, weights, x, b, old, to) : sweep_of<3>(at, weights, x, b, old, to);
}

template <int D>
void residual_of(const Inside& at, double scale, double per_area, const double* u, const double* f, float* r) {
  for (std::int32_t z = 0; z < at.nz; ++z)
    for (std::int32_t y = 0; y < at.ny; ++y, f += at.nx, r += at.nx) {
      const double* row = u + z * at.sz + y * at.sy;
      float* __restrict to = r;
      for (std::int32_t i = 0; i < at.nx; ++i)
        to[i] = static_cast<float>(scale * (f[i] - per_area * (2 * D * row[i] - neighbours<D>(row, i, at.sy, at.sz))));
    }
}

void residual(const Inside& at, double scale, double per_area, const double* u, const double* f, float* r) {
  at.dimensions == 2 ? residual_of<2>(at, scale, per_area, u, f, r) : residual_of<3>(at, scale, per_area, u, f, r);
}

/// `y`, `z`: from a row to the one beside it, and above it.
template <int D>
EDDYLINE_INLINE void means_of_row(const float* row, std::ptrdiff_t y, std::ptrdiff_t z, std::int32_t count,
                                  float* __restrict coarse) {
  const auto across = [&](std::ptrdiff_t i) {
    const float pair = row[i] + row[i + y];
    if constexpr (D == 2) return pair;
    return pair + (row[i + z] + row[i + y + z]);
  };
  for (std::int32_t i = 0; i < count; ++i) coarse[i] = (D == 2 ? 0.25f : 0.125f) * (across(2 * i) + across(2 * i + 1));
}

void restrict_means(const Inside& at, const float* x, float* coarse) {
  const bool deep = at.dimensions == 3;
  const std::int32_t count = at.nx / 2;
  for (std::int32_t z = 0; z < at.nz; z += deep ? 2 : 1)
    for (std::int32_t y = 0; y < at.ny; y += 2, coarse += count) {
      const float* row = x + z * at.sz + y * at.sy;
      deep ? means_of_row<3>(row, at.sy, at.sz, count, coarse) : means_of_row<2>(row, at.sy, 0, count, coarse);
    }
}

/// Along x: two values for each coarse one.
EDDYLINE_INLINE void stretch_row(const float* coarse, std::int32_t count, float* __restrict to) {
  for (std::int32_t i = 0; i < count; ++i) {
    to[2 * i] = 0.75f * coarse[i] + 0.25f * coarse[i - 1];
    to[2 * i + 1] = 0.75f * coarse[i] + 0.25f * coarse[i + 1];
  }
}

/// Across it: from the row of the coarse cell, and those beside it.
template <int D>
EDDYLINE_INLINE void add_row(const float* row, std::ptrdiff_t y, std::ptrdiff_t z, std::int32_t count,
                             float* __restrict x) {
  for (std::int32_t i = 0; i < count; ++i) {
    float value = 0.75f * row[i] + 0.25f * row[i + y];
    if constexpr (D == 3) value = 0.75f * value + 0.25f * (0.75f * row[i + z] + 0.25f * row[i + y + z]);
    x[i] += value;
  }
}

void interpolate(const Inside& at, const float* coarse, float* rows, float* x) {
  const bool deep = at.dimensions == 3;
  const std::int32_t below = at.nx / 2, ny = at.ny / 2 + 2, nz = deep ? at.nz / 2 + 2 : 1;
  for (std::int32_t row = 0; row < ny * nz; ++row)
    stretch_row(coarse + 1 + row * (below + 2), below, rows + row * at.nx);
  const std::ptrdiff_t sy = at.nx, sz = sy * ny;
  for (std::int32_t z = 0; z < at.nz; ++z)
    for (std::int32_t y = 0; y < at.ny; ++y) {
      const float* row = rows + (y / 2 + 1) * sy + (deep ? (z / 2 + 1) * sz : 0);
      float* to = x + z * at.sz + y * at.sy;
      const std::ptrdiff_t beside = y % 2 != 0 ? sy : -sy, above = z % 2 != 0 ? sz : -sz;
      deep ? add_row<3>(row, beside, above, at.nx, to) : add_row<2>(row, beside, 0, at.nx, to);
    }
}

Sweeps make_sweeps() { return {sweep, residual, restrict_means, interpolate}; }

}  // namespace

}  // namespace eddyline::amr
