#pragma once

#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::solver {

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

}  // namespace eddyline::solver
