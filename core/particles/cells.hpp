#pragma once
// The global grid of cells, and those of them that a process computes or has images of.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "particles/cell_set.hpp"

namespace eddyline::particles {

/// A box of cells [lower, upper) of the global grid.
struct CellBox {
  Int3 lower{0, 0, 0}, upper{0, 0, 0};

  bool contains(Int3 cell) const {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside = inside && cell[d] >= lower[d] && cell[d] < upper[d];
    return inside;
  }
};

/// Calls visit(cell) for each cell of a box, row by row.
template <class Visit>
void for_each_cell(const CellBox& box, Visit&& visit) {
  Int3 cell;
  for (cell[2] = box.lower[2]; cell[2] < box.upper[2]; ++cell[2])
    for (cell[1] = box.lower[1]; cell[1] < box.upper[1]; ++cell[1])
      for (cell[0] = box.lower[0]; cell[0] < box.upper[0]; ++cell[0]) visit(cell);
}

/// The global grid. Cells are at least R + skin wide, so that the neighbours of a particle lie in the 3^D cells around
/// its own. Particles beyond an open side belong to the outermost cell.
struct CellGrid {
  int dimensions = 2;
  Vec3 origin, edge;  // [m]
  Vec3 per_edge;      // 1/edge [1/m]
  Int3 count{1, 1, 1};
  std::array<bool, 3> periodic{false, false, false};
  Vec3 period;                  // [m], a multiple of the quantum
  Int3 period_quanta{0, 0, 0};  // the same in quanta modulo 2^32

  Int3 cell_of(Vec3 x) const {
    Int3 cell{0, 0, 0};
    for (int d = 0; d < dimensions; ++d) {
      const double c = (x[d] - origin[d]) * per_edge[d];
      const double last = static_cast<double>(count[static_cast<std::size_t>(d)] - 1);
      // In this order what is not a number goes into the first cell, and the doctor finds it at the end of the step.
      cell[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(std::min(std::max(0.0, c), last));
    }
    return cell;
  }
  /// From x to the nearest point of a cell or of a periodic image of one: less than it is, never more. Cells beside a
  /// side that is not periodic hold what is beyond it [m].
  double distance(Vec3 x, Int3 cell) const;
  /// How many cells, along the axis where it is most, one lies from a box or the nearest periodic image of it; 0: in
  /// it.
  std::int32_t cells_apart(Int3 cell, const CellBox& box) const;
  std::int64_t index(Int3 cell) const {
    return (static_cast<std::int64_t>(cell[2]) * count[1] + cell[1]) * count[0] + cell[0];
  }
  std::int64_t cells() const { return static_cast<std::int64_t>(count[0]) * count[1] * count[2]; }
  /// The cells of a block of space.
  CellBox cells_between(Vec3 low, Vec3 high) const;
};

/// A box of another rank.
struct ForeignBox {
  CellBox cells;
  int rank;
};

/// A copy of rows from their owner to a ghost cell, with the shift of a periodic image.
struct GhostCell {
  std::int32_t from_box, to_box;
  std::int32_t from_cell, to_cell;  // indices into CellLayout's concatenated cells
  Int3 shift;                       // in quanta, added to the position
};

/// The cells that this process and another rank see of each other. Both list theirs in the same order: by the box that
/// sends, the box that receives, and the place in the border of that.
struct RankCells {
  struct Ghost {
    std::int32_t cell;
    Int3 shift;  // in quanta, added to the positions that come
  };
  int rank;
  std::vector<std::int32_t> sent;  // owned cells
  std::vector<Ghost> received;
};

/// The cells of all boxes of this process, each box with a border of ghost cells, row-major and concatenated. The
/// candidates of a particle are then in 3^(D-1) runs of three cells, in the canonical order (the law, rule 2).
class CellLayout {
 public:
  struct Box {
    CellBox cells;
    Int3 shape;               // with the border
    std::int32_t first_cell;  // of this box in the concatenated cells

    std::int32_t cells_with_border() const { return shape[0] * shape[1] * shape[2]; }
    /// Calls visit(first) for each run of three cells along x around one of this box, itself among them, in canonical
    /// order. All are concatenated cells. Around one of its border some are no cells, or others of a border.
    template <class Visit>
    void for_each_run_around(std::int32_t cell, Visit&& visit) const {
      const std::int32_t nx = shape[0], nxy = nx * shape[1], depth = shape[2] > 1 ? 1 : 0;
      for (std::int32_t dz = -depth; dz <= depth; ++dz)
        for (std::int32_t dy = -1; dy <= 1; ++dy) visit(cell + dz * nxy + dy * nx - 1);
    }
  };

  CellLayout() = default;
  /// `foreign`: boxes of other ranks, those of a rank in the order in which it has them; at least those that touch one
  /// of `boxes`. `copied`: cells of other ranks, apart from each other and at most `farthest` cells away, that this
  /// one computes as well; there are no foreign boxes then.
  CellLayout(const CellGrid& grid, const std::vector<CellBox>& boxes, const std::vector<ForeignBox>& foreign = {},
             const std::vector<ForeignBox>& copied = {}, std::int32_t farthest = 0);

  const CellGrid& grid() const { return grid_; }
  /// Those of this rank, then those of cells that it computes as well.
  const std::vector<Box>& boxes() const { return boxes_; }
  std::span<const Box> own_boxes() const { return {boxes_.data(), own_boxes_}; }
  const std::vector<GhostCell>& ghost_cells() const { return ghost_cells_; }
  /// What a cell is a copy of in this process; null if it is none.
  const GhostCell* copy_of(std::int32_t cell) const {
    if (ghost_cells_.empty() || !copies_.has(cell)) return nullptr;
    return &ghost_cells_[static_cast<std::size_t>(ghost_of_copy_[static_cast<std::size_t>(copies_.before(cell))])];
  }
  /// By rank.
  const std::vector<RankCells>& rank_cells() const { return rank_cells_; }
  std::int32_t cells() const { return cells_; }

  /// Concatenated cell index of the owned cell that holds x; -1 if another rank has it.
  std::int32_t owned_cell(Vec3 x) const;
  /// The same of a cell of the global grid or a periodic image of one, with the shift of its particles in quanta; -1
  /// if there is none here.
  std::int32_t owned_cell(Int3 global, Int3& shift) const;
  /// The same of a cell that this process computes, whosever it is.
  std::int32_t computed_cell(Int3 global) const;
  /// How many cells a computed cell lies from those of this rank, see CellGrid::cells_apart(); 0: one of them.
  std::int32_t distance(std::int32_t cell) const {
    return distance_.empty() ? 0 : distance_[static_cast<std::size_t>(cell)];
  }
  /// The largest distance that a computed cell may have.
  std::int32_t farthest() const { return farthest_; }
  /// The middle of a computed cell.
  Vec3 centre(std::int32_t cell) const;
  /// Box that a concatenated cell belongs to.
  std::int32_t box_of(std::int32_t cell) const;
  /// Adds computed cells and all that touch them. Of cells in a border, others of a border may come as well.
  void add_around(const CellSet& some, CellSet& to) const;
  /// The computed cells that touch one of `some`, or are one.
  void find_computed_around(const CellSet& some, CellSet& around) const;
  /// Whether this process computes a cell, which is in no border then.
  bool is_computed(std::int32_t cell) const;
  /// Leaves of some computed cells those of this rank.
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
  CellSet copies_;                           // the cells that are copies of others,
  std::vector<std::int32_t> ghost_of_copy_;  // and which of ghost_cells_ each is
  std::vector<RankCells> rank_cells_;
  std::vector<std::int32_t> distance_;  // empty if no cells are copied
  std::size_t own_boxes_ = 0;
  std::int32_t owned_end_ = 0;  // of the cells of own_boxes()
  std::int32_t cells_ = 0, farthest_ = 0;
};

}  // namespace eddyline::particles
