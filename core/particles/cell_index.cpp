#include "particles/cell_index.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/parallel_for.hpp"
#include "base/random.hpp"

namespace eddyline::particles {

namespace {

constexpr std::int64_t k_block = 512;  // particles

/// Looks up numbers of cells in a set; repeated look-ups of the same cell are fast.
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

/// Shuffles the order of the particles at each distance.
void shuffle_order(std::int64_t shuffle, CellIndex& rows, Array<std::int32_t>& order) {
  rows.slot.resize(order.size());
  std::iota(rows.slot.begin(), rows.slot.end(), 0);
  std::size_t first = 0;
  for (const std::int32_t count_within : rows.count_within) {
    const auto last = static_cast<std::size_t>(count_within);
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
                    std::int64_t shuffle, CellIndex& rows, Array<std::int32_t>& order, Array<std::int32_t>& scratch,
                    const FetchCounts& fetch_counts) {
  Array<std::int32_t>& cell = scratch;  // cell of each particle
  cell.resize(id.size());
  find_cells(layout, position, cell);
  find_occupied(layout, cell, rows);
  find_border(layout, fetch_counts, rows);
  place(layout, rows);
  put_in_order(cell, id, rows, order);
  if (shuffle != 0) shuffle_order(shuffle, rows, order);
}

void CellSort::find_cells(const CellLayout& layout, std::span<const double* const> position,
                          Array<std::int32_t>& cell) {
  const auto n = static_cast<std::int64_t>(cell.size()), blocks = (n + k_block - 1) / k_block;
  block_.resize(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(static)
  for (std::int64_t b = 0; b < blocks; ++b) {
    Block found{std::numeric_limits<std::int32_t>::max(), 0};
    for (std::int64_t i = b * k_block; i < std::min(n, (b + 1) * k_block); ++i) {
      Vec3 x;
      for (std::size_t d = 0; d < position.size(); ++d) x[static_cast<int>(d)] = position[d][i];
      const std::int32_t at = layout.computed_cell(layout.grid().cell_of(x));
      cell[static_cast<std::size_t>(i)] = at;
      found = {std::min(found.lowest, at), std::max(found.highest, at)};
    }
    block_[static_cast<std::size_t>(b)] = found;
  }
}

/// Particles arrive almost sorted from the last rebuild, so each thread gets about as many particles, in few blocks.
template <class Make>
void CellSort::for_each_by_cell(const Array<std::int32_t>& cell, Make&& make) const {
  constexpr double k_seconds = 1e-9;  // per particle
  const auto n = static_cast<std::int64_t>(cell.size());
#pragma omp parallel if (pays_in_parallel(n, k_seconds))
  {
    const std::int32_t threads = omp_get_num_threads(), own = omp_get_thread_num();
    std::int32_t from = 0, to = 0;
    for (std::int32_t t = 1; t <= own + 1; ++t) {
      constexpr auto k_aligned = static_cast<std::int32_t>(CellSet::k_bits);
      from = std::exchange(
          to, t == threads ? std::numeric_limits<std::int32_t>::max()
                           : std::max(to, cell[static_cast<std::size_t>(n * t / threads)] / k_aligned * k_aligned));
    }
    auto&& visit = make();
    for (std::size_t b = 0; b < block_.size(); ++b) {
      const Block& block = block_[b];
      if (block.highest < from || block.lowest >= to) continue;
      const bool is_all = block.lowest >= from && block.highest < to;
      const auto first = static_cast<std::int32_t>(static_cast<std::int64_t>(b) * k_block);
      for (std::int32_t i = first; i < std::min<std::int64_t>(n, first + k_block); ++i) {
        const std::int32_t c = cell[static_cast<std::size_t>(i)];
        if (is_all || (c >= from && c < to)) visit(i, c);
      }
    }
  }
}

/// Finds the computed cells that contain particles, and their rows: nearest cells first, then cell by cell.
void CellSort::find_occupied(const CellLayout& layout, const Array<std::int32_t>& cell, CellIndex& rows) {
  rows.particles = static_cast<std::int32_t>(cell.size());
  rows.cells.clear(layout.cells());
  for (const Block& block : block_) rows.cells.make_room(block.lowest, block.highest + 1);
  for_each_by_cell(cell, [&] { return [&](std::int32_t, std::int32_t c) { rows.cells.add(c); }; });
  rows.cells.number();
  count_.assign(static_cast<std::size_t>(rows.cells.size()), 0);
  for_each_by_cell(cell, [&] {
    return [&, number_of = NumberFinder(rows.cells)](std::int32_t, std::int32_t c) mutable { ++count_[number_of(c)]; };
  });
  rows.occupied.resize(count_.size()), rows.occupied_end.resize(count_.size());
  rows.count_within.resize(static_cast<std::size_t>(layout.farthest()) + 1);
  std::size_t k = 0;
  std::int32_t next = 0;
  for (std::int32_t distance = 0; distance <= layout.farthest(); ++distance) {
    std::size_t n = 0;
    rows.cells.for_each([&](std::int32_t c) {
      const std::int32_t count = count_[n++];
      if (layout.distance(c) != distance) return;
      rows.occupied[k] = c;
      rows.occupied_end[k++] = next += count;
    });
    rows.count_within[static_cast<std::size_t>(distance)] = next;
  }
  std::int32_t lines = 1;
  for (k = 1; k < rows.occupied.size(); ++k) lines += rows.occupied[k] != rows.occupied[k - 1] + 1 ? 1 : 0;
  rows.line_length = rows.particles / lines;
}

/// Adds the non-empty cells of other ranks and periodic images.
void CellSort::find_border(const CellLayout& layout, const FetchCounts& fetch_counts, CellIndex& rows) {
  border_.resize(0), sent_ = 0;
  for (const auto& other : layout.rank_cells())
    for (const std::int32_t c : other.sent)
      border_.push_back(rows.is_empty(c) ? 0 : count_[static_cast<std::size_t>(rows.cells.before(c))]);
  sent_ = border_.size();
  for (const auto& other : layout.rank_cells())
    for (std::size_t k = 0; k < other.received.size(); ++k) border_.push_back(0);
  if (fetch_counts) fetch_counts(border_);
  for_each_received(layout, [&](std::int32_t cell, std::int32_t) { rows.cells.add(cell); });
  for (const GhostCell& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.from_cell)) rows.cells.add(ghost.to_cell);
  rows.cells.number();
}

/// Calls visit(cell, count) for the non-empty cells of other ranks.
template <class Visit>
void CellSort::for_each_received(const CellLayout& layout, Visit&& visit) const {
  const std::int32_t* count = border_.data() + sent_;
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received)
      if (const std::int32_t n = *count++; n > 0) visit(ghost.cell, n);
}

/// Assigns rows to each cell.
void CellSort::place(const CellLayout& layout, CellIndex& rows) const {
  const auto cells = static_cast<std::size_t>(rows.cells.size());
  rows.begin.resize(cells), rows.end.resize(cells);
  std::int32_t next = 0;
  const auto place_until = [&](std::int32_t cell, std::int32_t end) {
    const auto n = static_cast<std::size_t>(rows.cells.before(cell));
    rows.begin[n] = std::exchange(next, end);
    rows.end[n] = end;
  };
  for (std::size_t k = 0; k < rows.occupied.size(); ++k) place_until(rows.occupied[k], rows.occupied_end[k]);
  for_each_received(layout, [&](std::int32_t cell, std::int32_t count) { place_until(cell, next + count); });
  rows.real_rows = next;
  for (const GhostCell& ghost : layout.ghost_cells())
    if (!rows.is_empty(ghost.from_cell)) place_until(ghost.to_cell, next + rows.of(ghost.from_cell).count());
  rows.rows = next;
}

/// Insertion sort by id: particles arrive almost sorted from the last rebuild.
void CellSort::put_in_order(const Array<std::int32_t>& cell, std::span<const std::int64_t> id, const CellIndex& rows,
                            Array<std::int32_t>& order) {
  count_.assign(static_cast<std::size_t>(rows.cells.size()), 0);  // particles inserted so far
  order.resize(id.size());
  for_each_by_cell(cell, [&] {
    return [&, number_of = NumberFinder(rows.cells)](std::int32_t i, std::int32_t c) mutable {
      const std::size_t n = number_of(c);
      std::int32_t* of_cell = order.data() + rows.begin[n];
      std::int32_t at = count_[n]++;
      for (; at > 0 && id[static_cast<std::size_t>(of_cell[at - 1])] > id[static_cast<std::size_t>(i)]; --at)
        of_cell[at] = of_cell[at - 1];
      of_cell[at] = i;
    };
  });
}

}  // namespace eddyline::particles
