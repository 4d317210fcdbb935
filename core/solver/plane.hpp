#pragma once

#include <array>
#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::solver {

/// Pixels of a plane: `columns` x `rows` equal rectangles between two corners, sampled at their centres. The lower
/// corner gives the place of the plane along its normal.
struct Plane {
  std::int32_t columns = 0, rows = 0;
  Vec3 lower, upper;
  std::array<int, 3> axes{0, 1, 2};  // axes of columns and of rows, and the normal

  std::size_t pixels() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  double width() const { return (upper[axes[0]] - lower[axes[0]]) / columns; }  // of a pixel
  double height() const { return (upper[axes[1]] - lower[axes[1]]) / rows; }
  Vec3 centre(std::int32_t column, std::int32_t row) const {
    Vec3 at = lower;
    at[axes[0]] += (column + 0.5) * width();
    at[axes[1]] += (row + 0.5) * height();
    return at;
  }
};

}  // namespace eddyline::solver
