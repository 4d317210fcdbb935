#include "particles/cell_rows.hpp"

#include <numeric>
#include <utility>

#include "base/random.hpp"

namespace eddyline::particles {

namespace {

/// Numbers of cells in a set, quickly if the same is asked for again and again.
class NumberFinder {
 public:
  explicit NumberFinder(const CellSet& cells) : cells_(cells) {}

  std::size_t operator()(std::int32_t cell) {
    if (cell != std::exchange(cell_, cell)) number_ = static_cast<std::size_t>(cells_.before(cell));
    return number_;
  }

 private:
  const CellSet& cells_;
  std::int32_t cell_ = -1;
  std::size_t number_ = 0;
};

/// Draws another order of the particles at each distance.
void draw_order(std::int64_t shuffle, CellRows& rows, Array<std::int32_t>& order) {
  rows.slot.resize(order.size());
  std::iota(rows.slot.begin(), rows.slot.end(), 0);
  std::size_t first = 0;
  for (const std::int32_t within : rows.within) {
    const auto last = static_cast<std::size_t>(within);
    for (std::size_t i = last; i > first + 1; --i) {
      const double share = uniform_random(static_cast<std::uint64_t>(shuffle), i, 0);
      const std::size_t j = first + static_cast<std::size_t>(share * static_cast<double>(i - first));
      std::swap(order[i - 1], order[j]);
      std::swap(rows.slot[i - 1], rows.slot[j]);
    }
    first = last;
  }
}

}  // namespace

void CellSort::sort(const CellLayout& layout, std::span<const double* const> position, std::span<const std::int64_t> id,
                    std::int64_t shuffle, CellRows& rows, Array<std::int32_t>& order, Array<std::int32_t>& room,
                    const FetchCounts& fetch_counts) {
  Array<std::int32_t>& cell = room;  // of each particle
  cell.resize(id.size());
  find_cells(layout, position, cell);
  find_filled(layout, cell, rows);
  find_border(layout, fetch_counts, rows);
  place(layout, rows);
  put_in_order(cell, id, rows, order);
  if (shuffle != 0) draw_order(shuffle, rows, order);
}

void CellSort::find_cells(const CellLayout& layout, std::span<const double* const> position,
                          Array<std::int32_t>& cell) const {
  const auto n = static_cast<std::int64_t>(cell.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    Vec3 x;
    for (std::size_t d = 0; d < position.size(); ++d) x[static_cast<int>(d)] = position[d][i];
    cell[static_cast<std::size_t>(i)] = layout.computed_cell(layout.grid().cell_of(x));
  }
}

/// The computed cells that hold some, and which rows these have: cell by cell, the nearest first.
void CellSort::find_filled(const CellLayout& layout, const Array<std::int32_t>& cell, CellRows& rows) {
  rows.particles = static_cast<std::int32_t>(cell.size());
  rows.cells.clear(layout.cells());
  for (const std::int32_t c : cell) rows.cells.add(c);
  rows.cells.number();
  count_.assign(static_cast<std::size_t>(rows.cells.size()), 0);
  NumberFinder number_of(rows.cells);
  for (const std::int32_t c : cell) ++count_[number_of(c)];
  rows.filled.resize(count_.size()), rows.until.resize(count_.size());
  rows.within.resize(static_cast<std::size_t>(layout.farthest()) + 1);
  std::size_t k = 0;
  std::int32_t next = 0;
  for (std::int32_t distance = 0; distance <= layout.farthest(); ++distance) {
    std::size_t n = 0;
    rows.cells.for_each([&](std::int32_t c) {
      const std::int32_t count = count_[n++];
      if (layout.distance(c) != distance) return;
      rows.filled[k] = c;
      rows.until[k++] = next += count;
    });
    rows.within[static_cast<std::size_t>(distance)] = next;
  }
}

/// Adds the cells of other ranks, and images, that hold some.
void CellSort::find_border(const CellLayout& layout, const FetchCounts& fetch_counts, CellRows& rows) {
  border_.resize(0), sent_ = 0;
  const auto add = [&](std::int32_t count) {
    border_.resize(border_.size() + 1);
    border_[border_.size() - 1] = count;
  };
  for (const auto& other : layout.rank_cells())
    for (const std::int32_t c : other.sent)
      add(rows.is_empty(c) ? 0 : count_[static_cast<std::size_t>(rows.cells.before(c))]);
  sent_ = border_.size();
  for (const auto& other : layout.rank_cells())
    for (std::size_t k = 0; k < other.received.size(); ++k) add(0);
  if (fetch_counts) fetch_counts(border_);
  for_each_received(layout, [&](std::int32_t cell, std::int32_t) { rows.cells.add(cell); });
  for (const GhostCell& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.from_cell)) rows.cells.add(ghost.to_cell);
  rows.cells.number();
}

/// Calls visit(cell, count) for the cells of other ranks that hold some.
template <class Visit>
void CellSort::for_each_received(const CellLayout& layout, Visit&& visit) const {
  const std::int32_t* count = border_.data() + sent_;
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received)
      if (const std::int32_t n = *count++; n > 0) visit(ghost.cell, n);
}

/// The rows of each cell.
void CellSort::place(const CellLayout& layout, CellRows& rows) const {
  const auto cells = static_cast<std::size_t>(rows.cells.size());
  rows.begin.resize(cells), rows.end.resize(cells);
  std::int32_t next = 0;
  const auto place_until = [&](std::int32_t cell, std::int32_t end) {
    const auto n = static_cast<std::size_t>(rows.cells.before(cell));
    rows.begin[n] = std::exchange(next, end);
    rows.end[n] = end;
  };
  for (std::size_t k = 0; k < rows.filled.size(); ++k) place_until(rows.filled[k], rows.until[k]);
  for_each_received(layout, [&](std::int32_t cell, std::int32_t count) { place_until(cell, next + count); });
  rows.standing = next;
  for (const GhostCell& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.from_cell)) place_until(ghost.to_cell, next + rows.of(ghost.from_cell).count());
  rows.rows = next;
}

/// Insertion by id: particles arrive almost sorted from the last rebuild.
void CellSort::put_in_order(const Array<std::int32_t>& cell, std::span<const std::int64_t> id, const CellRows& rows,
                            Array<std::int32_t>& order) {
  count_.assign(static_cast<std::size_t>(rows.cells.size()), 0);  // of those that have come
  order.resize(id.size());
  NumberFinder number_of(rows.cells);
  for (std::int32_t i = 0; i < rows.particles; ++i) {
    const std::size_t n = number_of(cell[static_cast<std::size_t>(i)]);
    std::int32_t* of_cell = order.data() + rows.begin[n];
    std::int32_t at = count_[n]++;
    for (; at > 0 && id[static_cast<std::size_t>(of_cell[at - 1])] > id[static_cast<std::size_t>(i)]; --at)
      of_cell[at] = of_cell[at - 1];
    of_cell[at] = i;
  }
}

}  // namespace eddyline::particles
