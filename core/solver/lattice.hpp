#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"

namespace eddyline::solver {

/// A lattice of points in three dimensions. Values of a lattice are stored with x fastest, then y, then z.
struct Lattice {
  Int3 count{0, 0, 0};
  Vec3 origin;   // place of the point (0, 0, 0) [m]
  Vec3 spacing;  // between neighbouring points [m]

  std::size_t points_of_layer() const {
    return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]);
  }
  Vec3 place(Int3 point) const {
    return {origin.x + point[0] * spacing.x, origin.y + point[1] * spacing.y, origin.z + point[2] * spacing.z};
  }
};

/// Layers of a lattice along z, from `first` to below `last`.
struct Layers {
  std::int32_t first = 0, last = 0;

  std::int32_t count() const { return last - first; }
  bool contains(std::int32_t layer) const { return layer >= first && layer < last; }
};

}  // namespace eddyline::solver
