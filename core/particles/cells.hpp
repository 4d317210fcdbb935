#pragma once
// The global grid of cells, and the cells that a process computes or holds ghosts of.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "grid/index_box.hpp"
#include "particles/cell_set.hpp"

namespace eddyline::particles {

/// A box of cells of the global grid.
using CellBox = grid::IndexBox;
using grid::for_each_cell;

/// The global grid. Cells are at least R + skin wide, so that all neighbours of a particle are in the 3^D cells around
/// it. Particles beyond a side that is not periodic belong to the outermost cell.
struct CellGrid {
  int dimensions = 2;
  Vec3 origin, edge;  // [m]
  Vec3 per_edge;      // 1/edge [1/m]
  Int3 count{1, 1, 1};
  std::array<bool, 3> periodic{false, false, false};
  Vec3 period;                  // [m], a multiple of the quantum
  Int3 period_quanta{0, 0, 0};  // the same in quanta modulo 2^32

  EDDYLINE_HOST_DEVICE Int3 cell_of(Vec3 x) const {
    Int3 cell{0, 0, 0};
    for (int d = 0; d < dimensions; ++d) {
      const double c = (x[d] - origin[d]) * per_edge[d];
      const double last = static_cast<double>(count[static_cast<std::size_t>(d)] - 1);
      // This order of min and max maps a NaN to the first cell; the doctor reports it at the end of the step.
      cell[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(std::min(std::max(0.0, c), last));
    }
    return cell;
  }
  /// Lower bound of the distance from x to a cell or to its nearest periodic image [m]. Cells at a side that is not
  /// periodic also hold everything beyond that side.
  double distance(Vec3 x, Int3 cell) const;
  /// Distance in cells (maximum norm) between a cell and a box or its nearest periodic image; 0 inside.
  std::int32_t cells_apart(Int3 cell, const CellBox& box) const;
  std::int64_t index(Int3 cell) const {
    return (static_cast<std::int64_t>(cell[2]) * count[1] + cell[1]) * count[0] + cell[0];
  }
  std::int64_t cells() const { return static_cast<std::int64_t>(count[0]) * count[1] * count[2]; }
  /// The cells that overlap a box of space.
  CellBox cells_between(Vec3 low, Vec3 high) const;
};

/// A box of another rank.
struct ForeignBox {
  CellBox cells;
  int rank;
};

/// A copy of the rows of a cell to a ghost cell, with the shift of a periodic image.
struct GhostCell {
  std::int32_t from_box, to_box;
  std::int32_t from_cell, to_cell;  // indices of concatenated cells, see CellLayout
  Int3 shift;                       // in quanta, added to positions
};

/// The cells that this process and another rank exchange. Both ranks list them in the same order: by sending box, then
/// receiving box, then position in the border of the receiving box.
struct RankCells {
  struct Ghost {
    std::int32_t cell;
    Int3 shift;  // in quanta, added to received positions
  };
  int rank;
  std::vector<std::int32_t> sent;  // owned cells
  std::vector<Ghost> received;
};

/// The cells of all boxes of this process. Each box has a border of ghost cells; cells are row-major, and the boxes are
/// concatenated. The candidate neighbours of a particle are in 3^(D-1) runs of three cells, in canonical order (the
/// law, rule 2).
class CellLayout {
 public:
  struct Box {
    CellBox cells;
    Int3 shape;               // including the border
    std::int32_t first_cell;  // index of the first cell of this box among the concatenated cells

    std::int32_t cells_with_border() const { return shape[0] * shape[1] * shape[2]; }
    /// Calls visit(first) for each run of three cells along x around a cell of this box, including the cell's own run,
    /// in canonical order; `first` is a concatenated index. Around a border cell, some of these cells do not exist or
    /// are border cells too.
    template <class Visit>
    void for_each_run_around(std::int32_t cell, Visit&& visit) const {
      const std::int32_t nx = shape[0], nxy = nx * shape[1], depth = shape[2] > 1 ? 1 : 0;
      for (std::int32_t dz = -depth; dz <= depth; ++dz)
        for (std::int32_t dy = -1; dy <= 1; ++dy) visit(cell + dz * nxy + dy * nx - 1);
    }
  };

  CellLayout() = default;
  /// `foreign`: boxes of other ranks, at least those that touch one of `boxes`; the boxes of a rank in the order in
  /// which that rank has them. `copied`: disjoint boxes of cells of other ranks that this process computes as well, at
  /// most `farthest` cells away; `foreign` is empty then.
  CellLayout(const CellGrid& grid, const std::vector<CellBox>& boxes, const std::vector<ForeignBox>& foreign = {},
             const std::vector<ForeignBox>& copied = {}, std::int32_t farthest = 0);

  const CellGrid& grid() const { return grid_; }
  /// The boxes of this rank, then the copied boxes.
  const std::vector<Box>& boxes() const { return boxes_; }
  std::span<const Box> own_boxes() const { return {boxes_.data(), own_boxes_}; }
  const std::vector<GhostCell>& ghost_cells() const { return ghost_cells_; }
  /// The description of a ghost cell that is copied within this process; null for any other cell.
  const GhostCell* copy_of(std::int32_t cell) const {
    if (ghost_cells_.empty() || !copies_.has(cell)) return nullptr;
    return &ghost_cells_[static_cast<std::size_t>(ghost_of_copy_[static_cast<std::size_t>(copies_.before(cell))])];
  }
  /// Sorted by rank.
  const std::vector<RankCells>& rank_cells() const { return rank_cells_; }
  std::int32_t cells() const { return cells_; }

  /// Concatenated index of the owned cell that contains x; -1 if another rank owns it.
  std::int32_t owned_cell(Vec3 x) const;
  /// Concatenated index of an owned cell given by its coordinates in the global grid or in a periodic image, and the
  /// shift of its particles in quanta; -1 if this rank does not own it.
  std::int32_t owned_cell(Int3 global, Int3& shift) const;
  /// Concatenated index of a cell that this process computes, owned or copied; -1 if there is none.
  std::int32_t computed_cell(Int3 global) const;
  /// Distance of a computed cell from this rank's own cells, see CellGrid::cells_apart(); 0 for an own cell.
  std::int32_t distance(std::int32_t cell) const {
    return distance_.empty() ? 0 : distance_[static_cast<std::size_t>(cell)];
  }
  /// Largest distance of a computed cell from this rank's own cells.
  std::int32_t farthest() const { return farthest_; }
  /// Centre of a computed cell.
  Vec3 centre(std::int32_t cell) const;
  /// Number of the box that contains a concatenated cell.
  std::int32_t box_of(std::int32_t cell) const;
  /// Adds some computed cells and all cells that touch them. If border cells are given, further border cells may be
  /// added.
  void add_around(const CellSet& some, CellSet& to) const;
  /// Finds the computed cells that belong to `some` or touch one of them.
  void find_computed_around(const CellSet& some, CellSet& around) const;
  /// Returns true if this process computes a cell; false for border cells.
  bool is_computed(std::int32_t cell) const;
  /// Removes all cells that belong to other ranks.
  void remove_foreign(CellSet& cells) const { cells.remove(owned_end_, cells_); }
  bool is_owned(std::int32_t cell) const { return cell < owned_end_ && is_computed(cell); }
  std::size_t bytes() const;

 private:
  std::int32_t local_index(const Box& box, Int3 global_cell) const;
  std::int32_t index_in(std::span<const Box> boxes, Int3 global) const;
  template <class Visit>
  void for_each_border_cell(const CellBox& box, Visit&& visit) const;
  void add_box(const CellBox& cells);
  void remove_border(const Box& box, CellSet& cells) const;
  void find_distances();
  void find_local_ghosts();
  void find_foreign_ghosts(const std::vector<ForeignBox>& foreign);
  bool wrap(Int3& global, Int3& shift) const;

  CellGrid grid_;
  std::vector<Box> boxes_;
  std::vector<GhostCell> ghost_cells_;
  CellSet copies_;                           // the cells that are copies of other cells of this process
  std::vector<std::int32_t> ghost_of_copy_;  // index in ghost_cells_ of each of them
  std::vector<RankCells> rank_cells_;
  std::vector<std::int32_t> distance_;  // empty if no cells are copied from other ranks
  std::size_t own_boxes_ = 0;
  std::int32_t owned_end_ = 0;  // end of the cells of own_boxes()
  std::int32_t cells_ = 0, farthest_ = 0;
};

}  // namespace eddyline::particles
