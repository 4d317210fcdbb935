#pragma once
// The canonical order of particles in cells, and the rows of each cell.

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

/// The rows of the particles of one kind, one row per particle. Computed particles come first, cell by cell and sorted
/// by id; then particles of other ranks; then images, which repeat rows of this process beyond a periodic side or in
/// the border of another of its boxes.
struct CellIndex {
  CellSet cells;                   // non-empty cells, including images
  Array<std::int32_t> begin, end;  // rows of each cell, indexed by its number in `cells`
  Array<std::int32_t> occupied,
      occupied_end;  // computed cells in the order of their rows, and the end of the rows of each
  Array<std::int32_t>
      slot;  // (computed): row of each particle; empty if it is the particle's number, that is, if not shuffled
  Array<std::int32_t> count_within;  // (farthest + 1): number of particles at most k cells from this rank's cells
  std::int32_t particles = 0;        // computed particles, those of this rank first
  std::int32_t line_length =
      0;  // average number of computed particles in an uninterrupted line of non-empty cells along x
  std::int32_t real_rows = 0;  // number of rows that are not images
  std::int32_t rows = 0;       // number of all rows; row `rows` is the sentinel

  std::int64_t computed() const { return particles; }
  /// Number of particles of this rank.
  std::int64_t owned() const { return count_within.size() == 0 ? computed() : count_within[0]; }
  std::int32_t row_of(std::size_t particle) const {
    return slot.size() == 0 ? static_cast<std::int32_t>(particle) : slot[particle];
  }
  bool is_empty(std::int32_t cell) const { return !cells.has(cell); }
  /// The rows of a concatenated cell.
  RowRange of(std::int32_t cell) const {
    return is_empty(cell) ? RowRange{} : of_number(static_cast<std::size_t>(cells.before(cell)));
  }
  /// The rows of the n-th cell of `cells`.
  RowRange of_number(std::size_t n) const { return {begin[n], end[n]}; }
  std::size_t bytes() const {
    return cells.bytes() + begin.bytes() + end.bytes() + occupied.bytes() + occupied_end.bytes() + slot.bytes();
  }
};

/// Finds the cell of a particle; fast if particles are looked up one after the other.
class CellFinder {
 public:
  explicit CellFinder(const CellIndex& rows) : rows_(rows) {}

  /// The computed cell that contains a particle; `last` is one past the last particle that follows in the same cell.
  struct Found {
    std::int32_t cell;
    std::size_t last;
  };
  Found operator()(std::size_t particle) {
    const std::int32_t row = rows_.row_of(particle);
    if (!holds(row) && (++at_ >= rows_.occupied.size() || !holds(row)))
      at_ = static_cast<std::size_t>(std::upper_bound(rows_.occupied_end.begin(), rows_.occupied_end.end(), row) -
                                     rows_.occupied_end.begin());
    const bool is_shuffled = rows_.slot.size() > 0;
    return {rows_.occupied[at_], is_shuffled ? particle + 1 : static_cast<std::size_t>(rows_.occupied_end[at_])};
  }

 private:
  bool holds(std::int32_t row) const {
    return row < rows_.occupied_end[at_] && (at_ == 0 || row >= rows_.occupied_end[at_ - 1]);
  }

  const CellIndex& rows_;
  std::size_t at_ = 0;
};

/// Calls visit(cell, first, last) for the particles [first, last) of each computed cell, in order. If the order is
/// shuffled, it is called for each particle separately.
template <class Visit>
void for_each_occupied_cell(const CellIndex& rows, Visit&& visit) {
  CellFinder find(rows);
  for (std::size_t first = 0; first < static_cast<std::size_t>(rows.computed());) {
    const auto [cell, last] = find(first);
    visit(cell, first, last);
    first = last;
  }
}

/// Sorts particles into cells: fills `rows` and returns in `order` the old index of each particle in the new order (by
/// distance of the cell, then cell, then id). A non-zero `shuffle` shuffles the particles at each distance, which must
/// not change any result. All particles must be in computed cells.
class CellSort {
 public:
  /// Exchanges the numbers of particles in cells with other ranks. `counts`: first those of the cells sent to other
  /// ranks, rank by rank as in CellLayout::rank_cells(), then those of the cells received, in the same order.
  using FetchCounts = std::function<void(Array<std::int32_t>& counts)>;

  /// `scratch`: memory for temporary data.
  void sort(const CellLayout& layout, std::span<const double* const> position, std::span<const std::int64_t> id,
            std::int64_t shuffle, CellIndex& rows, Array<std::int32_t>& order, Array<std::int32_t>& scratch,
            const FetchCounts& fetch_counts = {});
  std::size_t bytes() const { return count_.bytes() + border_.bytes() + block_.bytes(); }

 private:
  /// The lowest and the highest cell of a block of consecutive particles.
  struct Block {
    std::int32_t lowest, highest;
  };

  void find_cells(const CellLayout& layout, std::span<const double* const> position, Array<std::int32_t>& cell);
  /// Uses several threads if that pays; each thread has its own cells, see CellSet. make() returns a thread's
  /// visit(particle, cell), which is called in the order of the particles.
  template <class Make>
  void for_each_by_cell(const Array<std::int32_t>& cell, Make&& make) const;
  void find_occupied(const CellLayout& layout, const Array<std::int32_t>& cell, CellIndex& rows);
  void find_border(const CellLayout& layout, const FetchCounts& fetch_counts, CellIndex& rows);
  template <class Visit>
  void for_each_received(const CellLayout& layout, Visit&& visit) const;
  void place(const CellLayout& layout, CellIndex& rows) const;
  void put_in_order(const Array<std::int32_t>& cell, std::span<const std::int64_t> id, const CellIndex& rows,
                    Array<std::int32_t>& order);

  Array<Block> block_;
  Array<std::int32_t> count_;   // indexed by the cell's number
  Array<std::int32_t> border_;  // counts exchanged by FetchCounts: sent_ counts of cells sent,
  std::size_t sent_ = 0;        // then those of cells received
};

}  // namespace eddyline::particles
