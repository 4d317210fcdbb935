#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/halo.hpp"
#include "grid/index_box.hpp"
#include "patches/tiling.hpp"

namespace eddyline::patches {

/// Values of a scalar field on the patches of a rank. Patches store their own cells only; ghosts exist in scratch
/// memory, where fill() collects them.
struct Values {
  const double* own = nullptr;      // patch by patch, see Patch::first
  const double* foreign = nullptr;  // cells of other ranks around them, as the halo receives them
};

/// The patches of a box on this rank: tiles, assigned to ranks along a space-filling curve. Which patches there are,
/// and who has them, changes no value of any cell.
class Layout {
 public:
  /// Cells of a patch, grown by ghosts, that come from one block.
  struct Source {
    bool is_foreign = false;
    std::int64_t first = 0;  // of the block's values
    grid::IndexBox block;    // in the block's own indices
    grid::IndexBox cells;    // in the indices of the patch
    Int3 shift{0, 0, 0};     // multiple of the period: patch's index minus block's
  };
  struct Patch {
    grid::IndexBox cells;
    std::int64_t first = 0;  // of its values
    std::vector<Source> sources{};
    bool needs_others = false;  // whether any source is foreign
  };

  /// `ghosts`: number of layers of ghosts. `periodic`: whether the box is, along each axis; else nothing lies beyond
  /// it.
  Layout(const Tiling& tiling, int dimensions, std::int32_t ghosts, std::array<bool, 3> periodic,
         comm::Communicator& communicator);

  int dimensions() const { return dimensions_; }
  std::int32_t ghosts() const { return ghosts_; }
  const Tiling& tiling() const { return tiling_; }
  /// All cells.
  grid::IndexBox domain() const { return {{0, 0, 0}, tiling_.cells()}; }
  const std::vector<Patch>& patches() const { return patches_; }
  /// The patch with a cell, if it is here, else -1.
  std::int32_t patch_with(Int3 cell) const {
    return local_[static_cast<std::size_t>(tiling_.number(tiling_.tile_of(cell)))];
  }
  /// Rank of a tile.
  std::int32_t owner(std::int64_t tile) const { return owner_[static_cast<std::size_t>(tile)]; }
  std::int64_t cells() const { return cells_; }  // of this rank
  std::int64_t foreign_cells() const { return foreign_cells_; }
  std::int64_t all_cells() const;

  /// Adds what this rank sends and receives to a halo.
  void connect(exchange::BoxHalo& halo) const;
  /// The memory of a field as that halo sees it: it sends own values and receives foreign ones.
  struct Views {
    std::vector<exchange::BlockView<const double>> givers;
    std::vector<exchange::BlockView<double>> receivers;

    exchange::BoxField<double> field() const { return {givers, receivers}; }
  };
  Views views(const double* own, double* foreign) const;

  /// Collects the values of a patch with its ghosts, row-major. Ghosts beyond a side that is not periodic are left
  /// unchanged.
  void fill(const Patch& patch, const Values& values, double* scratch) const;
  /// Size of that memory for the largest patch.
  std::size_t scratch_size() const;

 private:
  struct Message {
    int rank;
    exchange::BoxPiece piece;
  };

  void find_sources(int rank);

  Tiling tiling_;
  int dimensions_;
  std::int32_t ghosts_;
  std::array<bool, 3> periodic_;
  std::vector<std::int32_t> owner_, local_;  // by tile: its rank, its number on this rank or -1
  std::vector<Patch> patches_;
  std::int64_t cells_ = 0, foreign_cells_ = 0;
  std::vector<Message> sent_, received_;
  std::vector<grid::IndexBox> foreign_;  // boxes of the received cells, in the indices of the patch
};

}  // namespace eddyline::patches
