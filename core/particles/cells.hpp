#pragma once
// The global grid of cells, boxes of cells, and the canonical order of particles in them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/vec.hpp"

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
    /// order. All are concatenated cells.
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
    const std::int32_t ghost = ghost_of_cell_[static_cast<std::size_t>(cell)];
    return ghost < 0 ? nullptr : &ghost_cells_[static_cast<std::size_t>(ghost)];
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
  /// Marks in `around` the computed cells that touch one of those that `marked` marks, or are one; both by concatenated
  /// cell.
  void find_computed_around(const std::vector<std::uint8_t>& marked, std::vector<std::uint8_t>& around) const;
  bool is_owned(std::int32_t cell) const { return owned_[static_cast<std::size_t>(cell)] != 0; }

 private:
  std::int32_t local_index(const Box& box, Int3 global_cell) const;
  std::int32_t index_in(std::span<const Box> boxes, Int3 global) const;
  template <class Visit>
  void for_each_border_cell(const CellBox& box, Visit&& visit) const;
  void add_box(const CellBox& cells);
  void find_distances();
  void find_local_ghosts();
  void find_foreign_ghosts(const std::vector<ForeignBox>& foreign);
  bool wrap(Int3& global, Int3& shift) const;

  CellGrid grid_;
  std::vector<Box> boxes_;
  std::vector<GhostCell> ghost_cells_;
  std::vector<std::int32_t> ghost_of_cell_;  // by cell: which of these it is; -1: none
  std::vector<RankCells> rank_cells_;
  std::vector<std::uint8_t> owned_;
  std::vector<std::int32_t> distance_;  // empty if no cells are copied
  std::size_t own_boxes_ = 0;
  std::int32_t cells_ = 0, farthest_ = 0;
};

/// Where the particles of one kind stand: a row for each. Those that this process computes come first, cell by cell, by
/// id; then those of other ranks; then images, which repeat rows of this process beyond a periodic side or in the
/// border of another of its boxes.
struct CellRows {
  Array<std::int32_t> begin, end;  // (cells): the rows of each concatenated cell
  Array<std::int32_t> filled;      // the computed cells that hold some, in the order of their rows
  Array<std::int32_t> slot;        // (computed): row of each particle; empty unless their order is drawn: its number
  Array<std::int32_t> within;  // (farthest + 1): how many stand no farther from this rank's cells than so many cells
  std::int32_t particles = 0;  // computed, those of this rank first
  std::int32_t standing = 0;   // rows that are no images
  std::int32_t rows = 0;       // all rows; row `rows` is the sentinel

  std::int64_t computed() const { return particles; }
  /// Those of this rank.
  std::int64_t owned() const { return within.size() == 0 ? computed() : within[0]; }
  std::int32_t row_of(std::size_t particle) const {
    return slot.size() == 0 ? static_cast<std::int32_t>(particle) : slot[particle];
  }
  /// How many rows a concatenated cell has.
  std::int32_t count(std::int32_t cell) const {
    const auto c = static_cast<std::size_t>(cell);
    return end[c] - begin[c];
  }
  bool is_empty(std::int32_t cell) const { return count(cell) == 0; }
  std::size_t bytes() const { return begin.bytes() + end.bytes() + filled.bytes() + slot.bytes(); }
};

/// Finds the cells of particles, quickly if one after the other is asked for.
class CellFinder {
 public:
  explicit CellFinder(const CellRows& rows) : rows_(rows) {}

  /// The computed cell that holds a particle, and those after it up to the `last`, which is not one of them.
  struct Found {
    std::int32_t cell;
    std::size_t last;
  };
  Found operator()(std::size_t particle) {
    const std::int32_t row = rows_.row_of(particle);
    if (!holds(row) && (++at_ >= rows_.filled.size() || !holds(row))) search(row);
    const std::int32_t cell = rows_.filled[at_];
    const bool is_drawn = rows_.slot.size() > 0;
    return {cell, is_drawn ? particle + 1 : static_cast<std::size_t>(rows_.end[static_cast<std::size_t>(cell)])};
  }

 private:
  bool holds(std::int32_t row) const {
    const auto cell = static_cast<std::size_t>(rows_.filled[at_]);
    return rows_.begin[cell] <= row && row < rows_.end[cell];
  }
  void search(std::int32_t row) {
    const auto* after =
        std::upper_bound(rows_.filled.begin(), rows_.filled.end(), row,
                         [&](std::int32_t r, std::int32_t c) { return r < rows_.begin[static_cast<std::size_t>(c)]; });
    at_ = static_cast<std::size_t>(after - rows_.filled.begin()) - 1;
  }

  const CellRows& rows_;
  std::size_t at_ = 0;
};

/// Calls visit(cell, first, last) for particles [first, last) of each computed cell, in order; for one after the other
/// where their order is drawn.
template <class Visit>
void for_each_filled_cell(const CellRows& rows, Visit&& visit) {
  CellFinder find(rows);
  for (std::size_t first = 0; first < static_cast<std::size_t>(rows.computed());) {
    const auto [cell, last] = find(first);
    visit(cell, first, last);
    first = last;
  }
}

/// Sorts particles into cells: fills `rows` and returns, in `order`, the old index of each particle in the new order
/// (by distance of the cell, cell, then id; a non-zero `shuffle` draws another order of those at one distance, which
/// must change nothing). All particles must stand in computed cells.
class CellSort {
 public:
  /// Brings how many particles the ghost cells of other ranks hold: counts are by concatenated cell.
  using FetchCounts = std::function<void(Array<std::int32_t>& counts)>;

  /// `room` is used on the way.
  void sort(const CellLayout& layout, std::span<const double* const> position, std::span<const std::int64_t> id,
            std::int64_t shuffle, CellRows& rows, Array<std::int32_t>& order, Array<std::int32_t>& room,
            const FetchCounts& fetch_counts = {});
  std::size_t bytes() const { return count_.bytes(); }

 private:
  void place_computed(const CellLayout& layout, CellRows& rows);
  void place_ghosts(const CellLayout& layout, CellRows& rows);

  Array<std::int32_t> count_;  // by cell: how many there are
  Array<std::int32_t> next_;   // by distance: where the next particle goes
};

}  // namespace eddyline::particles
