#pragma once
// Rectangles of cells of a block, and what links map them to.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "world/mesh.hpp"

namespace eddyline::multiblock {

using Range = std::pair<Int3, Int3>;  // half-open

inline std::optional<Range> intersection(const Range& a, const Range& b) {
  Range both;
  for (std::size_t d = 0; d < 3; ++d) {
    both.first[d] = std::max(a.first[d], b.first[d]);
    both.second[d] = std::min(a.second[d], b.second[d]);
    if (both.first[d] >= both.second[d]) return std::nullopt;
  }
  return both;
}

/// Number of cells.
inline std::int64_t size_of(const Range& cells) {
  std::int64_t size = 1;
  for (std::size_t d = 0; d < 3; ++d) size *= cells.second[d] - cells.first[d];
  return size;
}

/// The cells beyond one face of a rectangle, `layers` deep.
inline Range beyond(const Range& cells, int axis, int end, std::int32_t layers) {
  const auto a = static_cast<std::size_t>(axis);
  Range ghosts = cells;
  ghosts.first[a] = end == 0 ? cells.first[a] - layers : cells.second[a];
  ghosts.second[a] = ghosts.first[a] + layers;
  return ghosts;
}

/// The cells of the giver that a link maps cells of the receiver to.
inline Range given(const world::MeshLink& link, const Range& cells) {
  const Int3 a = link.giver_cell(cells.first),
             b = link.giver_cell({cells.second[0] - 1, cells.second[1] - 1, cells.second[2] - 1});
  Range range;
  for (std::size_t d = 0; d < 3; ++d) range.first[d] = std::min(a[d], b[d]), range.second[d] = std::max(a[d], b[d]) + 1;
  return range;
}

}  // namespace eddyline::multiblock
