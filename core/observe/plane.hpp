#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::observe {

/// Pixels of a plane: `columns` x `rows` equal rectangles between two corners, sampled at their centres. Where the
/// plane lies along its normal says the lower corner.
struct Plane {
  std::int32_t columns = 0, rows = 0;
  Vec3 lower, upper;
  std::array<int, 3> axes{0, 1, 2};  // along which columns and rows follow each other, and the normal

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

/// How many rows of pixels are sampled together: as high as R, so that few particles are near several of such strips,
/// and for large pixels more, for small ones fewer.
inline std::int32_t strip_rows(const Plane& plane, double R) {
  constexpr double k_least = 8192, k_most = 32'768;  // pixels, about
  const double high = plane.height() > 0 ? R / plane.height() : 1;
  return static_cast<std::int32_t>(std::max(1.0, std::clamp(high, k_least / plane.columns, k_most / plane.columns)));
}

/// Some rows of a plane.
struct PixelRows {
  const Plane& plane;
  std::int32_t first, last;  // last: the first that is not among them
};

/// One of some rows, counted from their first.
struct Pixel {
  std::int32_t column, row;
  bool holds_particle;  // with a free surface: whether the centre of one is in it
};

}  // namespace eddyline::observe
