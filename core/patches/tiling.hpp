#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "grid/index_box.hpp"

namespace eddyline::patches {

/// Part of an axis that lies in one tile; `shift` is the multiple of the period by which it was moved.
struct Segment {
  std::int32_t tile, lower, upper, shift;
};

/// A box of cells from 0 to `cells`, cut into tiles by planes across each axis. Tiles are numbered with x fastest.
class Tiling {
 public:
  Tiling() = default;
  /// Tiles have at most `edge` cells along each axis and nearly equal sizes. There are at least `fewest` of them,
  /// unless there are fewer cells.
  Tiling(Int3 cells, int dimensions, std::int32_t edge, std::int64_t fewest);

  /// The same tiles on the next coarser level, if all of them have an even number of cells along each refined axis.
  Tiling coarsened(int dimensions) const;

  Int3 cells() const { return cells_; }
  Int3 tiles() const { return tiles_; }
  std::int64_t size() const { return static_cast<std::int64_t>(tiles_[0]) * tiles_[1] * tiles_[2]; }
  std::int64_t number(Int3 tile) const {
    return (static_cast<std::int64_t>(tile[2]) * tiles_[1] + tile[1]) * tiles_[0] + tile[0];
  }
  Int3 tile(std::int64_t number) const;
  grid::IndexBox box(Int3 tile) const;
  /// The tile that holds a cell.
  Int3 tile_of(Int3 cell) const;
  /// The range [lower, upper) of an axis as parts of tiles, in ascending order. The axis is periodic.
  std::vector<Segment> segments(std::size_t axis, std::int32_t lower, std::int32_t upper) const;

 private:
  std::int32_t begin(std::size_t axis, std::int32_t tile) const {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(cells_[axis]) * tile / tiles_[axis]);
  }
  std::int32_t tile_at(std::size_t axis, std::int32_t cell) const;

  Int3 cells_{0, 0, 0}, tiles_{0, 0, 0};
};

}  // namespace eddyline::patches
