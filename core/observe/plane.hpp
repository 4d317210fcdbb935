#pragma once

#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::observe {

/// Pixels of a plane: `columns` x `rows` equal rectangles between two corners, sampled at their centres.
struct Plane {
  std::int32_t columns = 0, rows = 0;
  Vec3 lower, upper;

  std::size_t pixels() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  double width() const { return (upper.x - lower.x) / columns; }  // of a pixel
  double height() const { return (upper.y - lower.y) / rows; }
  Vec3 centre(std::int32_t column, std::int32_t row) const {
    return {lower.x + (column + 0.5) * width(), lower.y + (row + 0.5) * height(), lower.z};
  }
};

/// Some rows of a plane.
struct PixelRows {
  const Plane& plane;
  std::int32_t first, last;  // last: the first that is not among them

  std::size_t size() const { return index(0, last); }
  /// Of a pixel among these, row by row.
  std::size_t index(std::int32_t column, std::int32_t row) const {
    return static_cast<std::size_t>(row - first) * static_cast<std::size_t>(plane.columns) +
           static_cast<std::size_t>(column);
  }
};

}  // namespace eddyline::observe
