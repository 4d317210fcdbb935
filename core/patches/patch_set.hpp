#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/index_box.hpp"
#include "patches/tiling.hpp"

namespace eddyline::patches {

/// The cell of the next coarser level that holds a cell.
inline std::int32_t coarse(std::int32_t cell) { return cell >> 1; }
/// The smallest box of the next coarser level that holds a box; only the first `dimensions` axes are refined.
grid::IndexBox coarsened(const grid::IndexBox& fine, int dimensions);
/// The same cells on the next finer level.
grid::IndexBox refined(const grid::IndexBox& coarse, int dimensions);

/// The patches of one level: disjoint boxes of cells within the domain, made of whole tiles, each with the rank that
/// owns it. The same on all ranks. Which patches there are and who owns them changes no value of any cell.
class PatchSet {
 public:
  PatchSet() = default;
  /// Every tile is a patch: the level covers its domain.
  PatchSet(Tiling tiling, int dimensions, std::array<bool, 3> periodic);
  /// The level covers the tiles with a mark. Tiles are merged into patches of at most `edge` cells along each axis, but
  /// of at least one tile. There are at least `fewest` patches, unless there are fewer tiles.
  PatchSet(Tiling tiling, int dimensions, std::array<bool, 3> periodic, std::span<const std::uint8_t> marks,
           std::int32_t edge, std::int64_t fewest);

  /// Assigns patches to ranks along a space-filling curve, so that the sums of `weights` are even.
  void assign(std::span<const std::int64_t> weights, int ranks);
  /// The same by numbers of cells.
  void assign(int ranks);
  /// The cells of the next coarser level below these patches, with the same owners. All tiles have an even number of
  /// cells along each axis.
  PatchSet coarsened() const;

  int dimensions() const { return dimensions_; }
  const Tiling& tiling() const { return tiling_; }
  grid::IndexBox domain() const { return {{0, 0, 0}, tiling_.cells()}; }
  bool is_periodic(std::size_t axis) const { return periodic_[axis]; }
  std::array<bool, 3> periodic() const { return periodic_; }
  std::size_t size() const { return boxes_.size(); }
  std::int64_t cells() const { return cells_; }
  const grid::IndexBox& box(std::size_t patch) const { return boxes_[patch]; }
  int owner(std::size_t patch) const { return owner_[patch]; }
  /// Number of a patch among those of its owner, and of the first of its cells among theirs.
  std::int32_t number(std::size_t patch) const { return number_[patch]; }
  std::int64_t first(std::size_t patch) const { return first_[patch]; }
  /// Number of parcels into which a rank may divide what it sends. Each of its patches belongs to one of them: to one
  /// of its own if it has no more patches than that.
  static constexpr int k_parcels = 8;
  int parcel(std::size_t patch) const;
  /// The patch with a cell of the domain, or -1.
  std::int32_t patch_with(Int3 cell) const { return of_tile_[tile_index(tiling_.tile_of(cell))]; }

  /// Calls visit(patch, cells, shift) for each piece of a box that lies in one patch, in a fixed order; the piece's
  /// cells minus `shift`, a multiple of the period, lie in the patch. Pieces that no patch has are given tile by tile,
  /// with patch -1. Cells beyond a side that is not periodic are left out.
  template <class Visit>
  void for_each_piece(const grid::IndexBox& box, Visit&& visit) const;

 private:
  std::size_t tile_index(Int3 tile) const { return static_cast<std::size_t>(tiling_.number(tile)); }
  void merge_tiles(std::span<const std::uint8_t> marks, Int3 group);
  void number_patches();

  Tiling tiling_;
  int dimensions_ = 0;
  std::array<bool, 3> periodic_{};
  std::vector<std::int32_t> of_tile_;  // the patch of each tile, or -1
  std::vector<grid::IndexBox> boxes_;
  std::vector<Int3> places_;  // first tile of each patch
  std::vector<std::int32_t> owner_, number_;
  std::vector<std::int32_t> owned_;  // number of patches of each rank
  std::vector<std::int64_t> first_;
  std::int64_t cells_ = 0;
};

template <class Visit>
void PatchSet::for_each_piece(const grid::IndexBox& box, Visit&& visit) const {
  std::array<std::vector<Segment>, 3> parts;
  for (std::size_t d = 0; d < 3; ++d) {
    std::int32_t lower = box.lower[d], upper = box.upper[d];
    if (!periodic_[d]) lower = std::max(lower, 0), upper = std::min(upper, tiling_.cells()[d]);
    if (lower >= upper) return;
    parts[d] = tiling_.segments(d, lower, upper);
  }
  for (const Segment& z : parts[2])
    for (const Segment& y : parts[1])
      for (const Segment& x : parts[0]) {
        const std::int32_t patch = of_tile_[tile_index({x.tile, y.tile, z.tile})];
        grid::IndexBox cells{{x.lower, y.lower, z.lower}, {x.upper, y.upper, z.upper}};
        const Int3 shift{x.shift, y.shift, z.shift};
        if (patch < 0) {
          visit(patch, cells, shift);
          continue;
        }
        const grid::IndexBox& whole = boxes_[static_cast<std::size_t>(patch)];
        bool is_first = true;  // of the tiles of this patch in the box
        for (std::size_t d = 0; d < 3; ++d) {
          is_first = is_first && cells.lower[d] == std::max(parts[d].front().lower, whole.lower[d] + shift[d]);
          cells.upper[d] = std::min(parts[d].back().upper, whole.upper[d] + shift[d]);
        }
        if (is_first) visit(patch, cells, shift);
      }
}

}  // namespace eddyline::patches
