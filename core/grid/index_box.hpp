#pragma once
// Boxes of cells of a grid, and maps between the indices of two grids.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::grid {

/// The cells from `lower` to below `upper`.
struct IndexBox {
  Int3 lower{0, 0, 0}, upper{0, 0, 0};

  std::int32_t count(std::size_t axis) const { return upper[axis] - lower[axis]; }
  std::int64_t cells() const {
    std::int64_t product = 1;
    for (std::size_t d = 0; d < 3; ++d) product *= std::max(count(d), 0);
    return product;
  }
  bool contains(Int3 cell) const {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside = inside && cell[d] >= lower[d] && cell[d] < upper[d];
    return inside;
  }
  /// Position of a cell in row-major order, x fastest.
  std::int64_t index(Int3 cell) const {
    return (static_cast<std::int64_t>(cell[2] - lower[2]) * count(1) + (cell[1] - lower[1])) * count(0) +
           (cell[0] - lower[0]);
  }
  /// The box with `width` more cells at each face across the first `dimensions` axes.
  IndexBox grown(std::int32_t width, int dimensions) const {
    IndexBox all = *this;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) all.lower[d] -= width, all.upper[d] += width;
    return all;
  }
  bool operator==(const IndexBox&) const = default;
};

/// Calls visit(cell) for each cell of a box, x fastest.
template <class Visit>
void for_each_cell(const IndexBox& box, Visit&& visit) {
  Int3 cell;
  for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2])
    for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1])
      for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) visit(cell);
}

/// Calls visit(cell) for the first cell of each row of a box along x.
template <class Visit>
void for_each_row(const IndexBox& box, Visit&& visit) {
  Int3 cell = box.lower;
  for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2])
    for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1]) visit(cell);
}

/// Maps cells of one grid to cells of another whose axes may have another order and direction:
///
///   to[d] = sign[d] from[axis[d]] + offset[d]
struct IndexMap {
  std::array<std::uint8_t, 3> axis{0, 1, 2};
  std::array<std::int8_t, 3> sign{1, 1, 1};
  Int3 offset{0, 0, 0};

  Int3 operator()(Int3 from) const {
    Int3 to;
    for (std::size_t d = 0; d < 3; ++d) to[d] = sign[d] * from[static_cast<std::size_t>(axis[d])] + offset[d];
    return to;
  }
  /// True if rows along x are rows along x of the other grid, in the same direction.
  bool keeps_rows() const { return axis[0] == 0 && sign[0] == 1; }
  IndexMap inverse() const {
    IndexMap back;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto a = static_cast<std::size_t>(axis[d]);
      back.axis[a] = static_cast<std::uint8_t>(d);
      back.sign[a] = sign[d];
      back.offset[a] = -sign[d] * offset[d];
    }
    return back;
  }
  bool operator==(const IndexMap&) const = default;
};

}  // namespace eddyline::grid
