#include "patches/tiling.hpp"

#include <algorithm>
#include <cstddef>

namespace eddyline::patches {

Tiling::Tiling(Int3 cells, int dimensions, std::int32_t edge, std::int64_t fewest) : cells_(cells), tiles_{1, 1, 1} {
  const auto D = static_cast<std::size_t>(dimensions);
  for (std::size_t d = 0; d < D; ++d) tiles_[d] = (cells[d] + edge - 1) / edge;
  const auto width = [&](std::size_t d) { return static_cast<double>(cells_[d]) / tiles_[d]; };
  while (size() < fewest) {
    std::size_t widest = 0;
    for (std::size_t d = 1; d < D; ++d)
      if (width(d) >= width(widest)) widest = d;
    if (tiles_[widest] == cells_[widest]) break;
    tiles_[widest] = std::min(2 * tiles_[widest], cells_[widest]);
  }
}

Tiling Tiling::coarsened(int dimensions) const {
  Tiling below = *this;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) below.cells_[d] /= 2;
  return below;
}

Int3 Tiling::tile(std::int64_t number) const {
  return {static_cast<std::int32_t>(number % tiles_[0]), static_cast<std::int32_t>(number / tiles_[0] % tiles_[1]),
          static_cast<std::int32_t>(number / tiles_[0] / tiles_[1])};
}

grid::IndexBox Tiling::box(Int3 tile) const {
  grid::IndexBox box;
  for (std::size_t d = 0; d < 3; ++d) box.lower[d] = begin(d, tile[d]), box.upper[d] = begin(d, tile[d] + 1);
  return box;
}

Int3 Tiling::tile_of(Int3 cell) const {
  Int3 tile;
  for (std::size_t d = 0; d < 3; ++d) tile[d] = tile_at(d, cell[d]);
  return tile;
}

std::vector<Segment> Tiling::segments(std::size_t axis, std::int32_t lower, std::int32_t upper) const {
  std::vector<Segment> parts;
  const std::int32_t period = cells_[axis];
  for (std::int32_t at = lower; at < upper;) {
    const std::int32_t shift = (at >= 0 ? at / period : -((period - 1 - at) / period)) * period;
    const std::int32_t tile = tile_at(axis, at - shift), end = std::min(upper, begin(axis, tile + 1) + shift);
    parts.push_back({tile, at, end, shift});
    at = end;
  }
  return parts;
}

std::int32_t Tiling::tile_at(std::size_t axis, std::int32_t cell) const {
  auto tile = static_cast<std::int32_t>(static_cast<std::int64_t>(cell) * tiles_[axis] / cells_[axis]);
  while (begin(axis, tile + 1) <= cell) ++tile;
  while (begin(axis, tile) > cell) --tile;
  return tile;
}

}  // namespace eddyline::patches
