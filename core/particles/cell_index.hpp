#pragma once
// The canonical order of particles in cells, and where their rows are.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

#include "base/arrays.hpp"
#include "particles/cells.hpp"

namespace eddyline::particles {

/// Rows [begin, end).
struct RowRange {
  std::int32_t begin = 0, end = 0;

  std::int32_t count() const { return end - begin; }
};

/// Where the particles of one kind stand: a row for each. Those that this process computes come first, cell by cell, by
/// id; then those of other ranks; then images, which repeat rows of this process beyond a periodic side or in the
/// border of another of its boxes.
struct CellIndex {
  CellSet cells;                      // those that hold some, images too
  Array<std::int32_t> begin, end;     // by number in it: the rows of each
  Array<std::int32_t> filled, until;  // the computed ones in the order of their rows, and the row after those of each
  Array<std::int32_t> slot;           // (computed): row of each particle; empty unless their order is drawn: its number
  Array<std::int32_t> within;    // (farthest + 1): how many stand no farther from this rank's cells than so many cells
  std::int32_t particles = 0;    // computed, those of this rank first
  std::int32_t line_length = 0;  // of those, how many a line of cells along x holds between two empty ones, on average
  std::int32_t standing = 0;     // rows that are no images
  std::int32_t rows = 0;         // all rows; row `rows` is the sentinel

  std::int64_t computed() const { return particles; }
  /// Those of this rank.
  std::int64_t owned() const { return within.size() == 0 ? computed() : within[0]; }
  std::int32_t row_of(std::size_t particle) const {
    return slot.size() == 0 ? static_cast<std::int32_t>(particle) : slot[particle];
  }
  bool is_empty(std::int32_t cell) const { return !cells.has(cell); }
  /// Of a concatenated cell.
  RowRange of(std::int32_t cell) const {
    return is_empty(cell) ? RowRange{} : of_number(static_cast<std::size_t>(cells.before(cell)));
  }
  /// Of the n-th of `cells`.
  RowRange of_number(std::size_t n) const { return {begin[n], end[n]}; }
  std::size_t bytes() const {
    return cells.bytes() + begin.bytes() + end.bytes() + filled.bytes() + until.bytes() + slot.bytes();
  }
};

/// Finds the cells of particles, quickly if one after the other is asked for.
class CellFinder {
 public:
  explicit CellFinder(const CellIndex& rows) : rows_(rows) {}

  /// The computed cell that holds a particle, and those after it up to the `last`, which is not one of them.
  struct Found {
    std::int32_t cell;
    std::size_t last;
  };
  Found operator()(std::size_t particle) {
    const std::int32_t row = rows_.row_of(particle);
    if (!holds(row) && (++at_ >= rows_.occupied.size() || !holds(row)))
      at_ =
          static_cast<std::size_t>(std::upper_bound(rows_.occupied_end.begin(), rows_.occupied_end.end(), row) - rows_.occupied_end.begin());
    const bool is_drawn = rows_.slot.size() > 0;
    return {rows_.occupied[at_], is_drawn ? particle + 1 : static_cast<std::size_t>(rows_.occupied_end[at_])};
  }

 private:
  bool holds(std::int32_t row) const { return row < rows_.occupied_end[at_] && (at_ == 0 || row >= rows_.occupied_end[at_ - 1]); }

  const CellIndex& rows_;
  std::size_t at_ = 0;
};

/// Calls visit(cell, first, last) for particles [first, last) of each computed cell, in order; for one after the other
/// where their order is drawn.
template <class Visit>
void for_each_occupied_cell(const CellIndex& rows, Visit&& visit) {
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
  /// Brings how many particles cells of other ranks hold. counts: of the cells that other ranks get, rank by rank as in
  /// CellLayout::rank_cells(); then of those that come, likewise.
  using FetchCounts = std::function<void(Array<std::int32_t>& counts)>;

  /// `room` is used on the way.
  void sort(const CellLayout& layout, std::span<const double* const> position, std::span<const std::int64_t> id,
            std::int64_t shuffle, CellIndex& rows, Array<std::int32_t>& order, Array<std::int32_t>& room,
            const FetchCounts& fetch_counts = {});
  std::size_t bytes() const { return count_.bytes() + border_.bytes() + block_.bytes(); }

 private:
  /// The lowest and the highest cell of some particles that follow each other.
  struct Block {
    std::int32_t lowest, highest;
  };

  void find_cells(const CellLayout& layout, std::span<const double* const> position, Array<std::int32_t>& cell);
  /// By several threads where that is worth it, each with cells of its own, see CellSet: make() gives a thread its
  /// visit(particle, cell), which is called in order of the particles.
  template <class Make>
  void for_each_by_cell(const Array<std::int32_t>& cell, Make&& make) const;
  void find_filled(const CellLayout& layout, const Array<std::int32_t>& cell, CellIndex& rows);
  void find_border(const CellLayout& layout, const FetchCounts& fetch_counts, CellIndex& rows);
  template <class Visit>
  void for_each_received(const CellLayout& layout, Visit&& visit) const;
  void place(const CellLayout& layout, CellIndex& rows) const;
  void put_in_order(const Array<std::int32_t>& cell, std::span<const std::int64_t> id, const CellIndex& rows,
                    Array<std::int32_t>& order);

  Array<Block> block_;
  Array<std::int32_t> count_;   // by number of a cell
  Array<std::int32_t> border_;  // what FetchCounts brings, behind what
  std::size_t sent_ = 0;        // other ranks get
};

}  // namespace eddyline::particles
