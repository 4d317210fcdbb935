#include "patches/transfers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "patches/copy_cells.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::patches {

using grid::IndexBox;

namespace {

/// Weights of the Lagrange polynomial through 2 R + 1 cells at a quarter of a cell below the centre of the middle one.
template <int R>
constexpr std::array<double, 2 * R + 1> quarter_below() {
  std::array<double, 2 * R + 1> weight{};
  for (int j = -R; j <= R; ++j) {
    double value = 1;
    for (int m = -R; m <= R; ++m)
      if (m != j) value *= (-0.25 - m) / (j - m);
    weight[static_cast<std::size_t>(j + R)] = value;
  }
  return weight;
}

/// Weights of the Lagrange polynomial through 6 cells half way between the two in the middle.
constexpr std::array k_half_way{3.0 / 256, -25.0 / 256, 150.0 / 256, 150.0 / 256, -25.0 / 256, 3.0 / 256};
constexpr std::int32_t k_restriction_reach = 2;

/// Numbers of cells along the axes of an array with x fastest, seen along one of them: `inner` cells lie next to each
/// other, `length` along the axis, `outer` such layers.
struct Axis {
  std::ptrdiff_t inner = 1, length = 1, outer = 1;
};
Axis along(const Int3& count, std::size_t axis) {
  Axis a;
  for (std::size_t d = 0; d < 3; ++d) (d < axis ? a.inner : d == axis ? a.length : a.outer) *= count[d];
  return a;
}

/// Doubles the number of cells along an axis, and leaves R cells at each of its ends out.
template <int R>
void double_along(const double* __restrict from, const Int3& count, std::size_t axis, double* __restrict to) {
  constexpr auto low = quarter_below<R>();
  const Axis a = along(count, axis);
  const std::ptrdiff_t cells = a.length - 2 * R;
  for (std::ptrdiff_t o = 0; o < a.outer; ++o, from += a.length * a.inner)
    for (std::ptrdiff_t c = 0; c < cells; ++c, to += 2 * a.inner) {
      const double* x = from + c * a.inner;
      for (std::ptrdiff_t i = 0; i < a.inner; ++i) {
        double below = low[0] * x[i], above = low[2 * R] * x[i];
        for (std::size_t k = 1; k < 2 * R + 1; ++k) {
          const double value = x[i + static_cast<std::ptrdiff_t>(k) * a.inner];
          below += low[k] * value, above += low[2 * R - k] * value;
        }
        to[i] = below, to[a.inner + i] = above;
      }
    }
}

/// Along x, where cells of one row lie next to each other.
template <int R>
void double_rows(const double* __restrict from, const Int3& count, double* __restrict to) {
  constexpr auto low = quarter_below<R>();
  const std::ptrdiff_t cells = count[0] - 2 * R, rows = static_cast<std::ptrdiff_t>(count[1]) * count[2];
  for (std::ptrdiff_t row = 0; row < rows; ++row, from += count[0], to += 2 * cells)
    for (std::ptrdiff_t i = 0; i < cells; ++i) {
      double below = low[0] * from[i], above = low[2 * R] * from[i];
      for (std::size_t k = 1; k < 2 * R + 1; ++k) {
        const double value = from[i + static_cast<std::ptrdiff_t>(k)];
        below += low[k] * value, above += low[2 * R - k] * value;
      }
      to[2 * i] = below, to[2 * i + 1] = above;
    }
}

/// Halves the number of cells along an axis, after two cells at each of its ends have been left out.
void halve_along(const double* __restrict from, const Int3& count, std::size_t axis, double* __restrict to) {
  const Axis a = along(count, axis);
  const std::ptrdiff_t cells = (a.length - 2 * k_restriction_reach) / 2;
  for (std::ptrdiff_t o = 0; o < a.outer; ++o, from += a.length * a.inner)
    for (std::ptrdiff_t c = 0; c < cells; ++c, to += a.inner) {
      const double* x = from + 2 * c * a.inner;
      for (std::ptrdiff_t i = 0; i < a.inner; ++i) {
        double sum = k_half_way[0] * x[i];
        for (std::size_t k = 1; k < k_half_way.size(); ++k)
          sum += k_half_way[k] * x[i + static_cast<std::ptrdiff_t>(k) * a.inner];
        to[i] = sum;
      }
    }
}

std::size_t size_of(const Int3& count) {
  return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) * static_cast<std::size_t>(count[2]);
}

/// Monotonised central slope of van Leer 1977: half the central difference at most, and never beyond neighbours.
double limited_slope(double before, double here, double after) {
  const double back = here - before, ahead = after - here;
  if (!(back * ahead > 0)) return 0;
  const double central = 0.5 * (after - before);
  return std::copysign(std::min({std::abs(central), 2 * std::abs(back), 2 * std::abs(ahead)}), central);
}

}  // namespace

Transfer::Transfer(Meaning meaning, std::int32_t reach, int dimensions)
    : meaning_(meaning),
      dimensions_(static_cast<std::size_t>(dimensions)),
      reach_(meaning == Meaning::average ? 1 : reach),
      restriction_reach_(meaning == Meaning::average ? 0 : k_restriction_reach) {}

IndexBox Transfer::needed(const IndexBox& fine) const {
  const int dimensions = static_cast<int>(dimensions_);
  return coarsened(fine, dimensions).grown(reach_, dimensions);
}

void Transfer::prolong(const double* coarse, const IndexBox& box, const IndexBox& fine, double* to,
                       Scratch& scratch) const {
  if (meaning_ == Meaning::average)
    prolong_averages(coarse, box, fine, to);
  else
    prolong_points(coarse, box, fine, to, scratch);
}

void Transfer::restrict(const double* fine, const IndexBox& box, const IndexBox& coarse, double* to,
                        Scratch& scratch) const {
  if (meaning_ == Meaning::average)
    restrict_averages(fine, box, coarse, to);
  else
    restrict_points(fine, box, coarse, to, scratch);
}

/// Axis by axis, x first.
void Transfer::prolong_points(const double* coarse, const IndexBox& box, const IndexBox& fine, double* to,
                              Scratch& scratch) const {
  const IndexBox below = needed(fine);
  Int3 count{below.count(0), below.count(1), below.count(2)};
  const double* from = coarse;
  if (!(below == box)) {
    scratch.from.resize(std::max(scratch.from.size(), size_of(count)));
    copy_cells(coarse, box, scratch.from.data(), below, below);
    from = scratch.from.data();
  }
  IndexBox doubled = fine;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const Int3 before = count;
    count[d] = 2 * (count[d] - 2 * reach_);
    doubled.lower[d] = 2 * patches::coarse(fine.lower[d]), doubled.upper[d] = doubled.lower[d] + count[d];
    scratch.to.resize(std::max(scratch.to.size(), size_of(count)));
    double* into = scratch.to.data();
    if (d == 0)
      reach_ == 2 ? double_rows<2>(from, before, into) : double_rows<3>(from, before, into);
    else
      reach_ == 2 ? double_along<2>(from, before, d, into) : double_along<3>(from, before, d, into);
    scratch.from.swap(scratch.to);
    from = scratch.from.data();
  }
  copy_cells(from, doubled, to, fine, fine);
}

void Transfer::prolong_averages(const double* coarse, const IndexBox& box, const IndexBox& fine, double* to) const {
  const std::array<std::ptrdiff_t, 3> stride{1, box.count(0), static_cast<std::ptrdiff_t>(box.count(0)) * box.count(1)};
  for_each_cell(fine, [&](Int3 cell) {
    Int3 parent = cell;
    for (std::size_t d = 0; d < dimensions_; ++d) parent[d] = patches::coarse(cell[d]);
    const double* x = coarse + box.index(parent);
    double value = *x;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const double quarter = 0.25 * limited_slope(x[-stride[d]], *x, x[stride[d]]);
      value += (cell[d] & 1) != 0 ? quarter : -quarter;
    }
    *to++ = value;
  });
}

/// Axis by axis, the slowest one first, so that rows stay long.
void Transfer::restrict_points(const double* fine, const IndexBox& box, const IndexBox& coarse, double* to,
                               Scratch& scratch) const {
  const int dimensions = static_cast<int>(dimensions_);
  const IndexBox part = refined(coarse, dimensions).grown(restriction_reach(), dimensions);
  Int3 count{part.count(0), part.count(1), part.count(2)};
  const double* from = fine;
  if (!(part == box)) {
    scratch.from.resize(std::max(scratch.from.size(), size_of(count)));
    copy_cells(fine, box, scratch.from.data(), part, part);
    from = scratch.from.data();
  }
  for (std::size_t d = dimensions_; d-- > 0;) {
    const Int3 before = count;
    count[d] = coarse.count(d);
    scratch.to.resize(std::max(scratch.to.size(), size_of(count)));
    double* into = d == 0 ? to : scratch.to.data();
    halve_along(from, before, d, into);
    scratch.from.swap(scratch.to);
    from = scratch.from.data();
  }
}

/// The mean of the finer cells, added pair by pair along x, then y, then z.
void Transfer::restrict_averages(const double* fine, const IndexBox& box, const IndexBox& coarse, double* to) const {
  const std::ptrdiff_t y = box.count(0), z = y * box.count(1);
  const double share = dimensions_ == 3 ? 0.125 : 0.25;
  for_each_cell(coarse, [&](Int3 cell) {
    Int3 first = cell;
    for (std::size_t d = 0; d < dimensions_; ++d) first[d] *= 2;
    const double* x = fine + box.index(first);
    double sum = (x[0] + x[1]) + (x[y] + x[y + 1]);
    if (dimensions_ == 3) sum += (x[z] + x[z + 1]) + (x[z + y] + x[z + y + 1]);
    *to++ = share * sum;
  });
}

}  // namespace eddyline::patches
