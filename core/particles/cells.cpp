#include "particles/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/random.hpp"

namespace eddyline::particles {

double CellGrid::distance(Vec3 x, Int3 cell) const {
  double square = 0;
  for (int d = 0; d < dimensions; ++d) {
    const auto k = static_cast<std::size_t>(d);
    const double lower = origin[d] + cell[k] * edge[d], upper = lower + edge[d];
    const bool has_lower = periodic[k] || cell[k] > 0, has_upper = periodic[k] || cell[k] < count[k] - 1;
    const double apart = has_lower && x[d] < lower ? lower - x[d] : has_upper && x[d] > upper ? x[d] - upper : 0.0;
    square += apart * apart;
  }
  return (1 - 1e-9) * std::sqrt(square);
}

std::int32_t CellGrid::cells_apart(Int3 cell, const CellBox& box) const {
  std::int32_t most = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto apart = [&](std::int32_t at) { return std::max({0, box.lower[d] - at, at - box.upper[d] + 1}); };
    std::int32_t least = apart(cell[d]);
    if (periodic[d]) least = std::min({least, apart(cell[d] - count[d]), apart(cell[d] + count[d])});
    most = std::max(most, least);
  }
  return most;
}

CellBox CellGrid::cells_between(Vec3 low, Vec3 high) const {
  CellBox box{cell_of(low), cell_of(high)};
  for (auto& upper : box.upper) ++upper;
  return box;
}

CellLayout::CellLayout(const CellGrid& grid, const std::vector<CellBox>& boxes, const std::vector<ForeignBox>& foreign,
                       const std::vector<ForeignBox>& copied, std::int32_t farthest)
    : grid_(grid), own_boxes_(boxes.size()), farthest_(farthest) {
  for (const CellBox& cells : boxes) add_box(cells);
  owned_.assign(static_cast<std::size_t>(cells_), 0);
  for (const Box& box : boxes_)
    for_each_cell(box.cells, [&](Int3 cell) { owned_[static_cast<std::size_t>(local_index(box, cell))] = 1; });
  for (const ForeignBox& each : copied) add_box(each.cells);
  owned_.resize(static_cast<std::size_t>(cells_), 0);
  if (!copied.empty()) find_distances();
  find_local_ghosts();
  find_foreign_ghosts(foreign);
  ghost_of_cell_.assign(static_cast<std::size_t>(cells_), -1);
  for (std::size_t g = 0; g < ghost_cells_.size(); ++g)
    ghost_of_cell_[static_cast<std::size_t>(ghost_cells_[g].to_cell)] = static_cast<std::int32_t>(g);
}

void CellLayout::add_box(const CellBox& cells) {
  Box box{cells, {1, 1, 1}, cells_};
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid_.dimensions); ++d)
    box.shape[d] = cells.upper[d] - cells.lower[d] + 2;
  cells_ += box.shape[0] * box.shape[1] * box.shape[2];
  boxes_.push_back(box);
}

void CellLayout::find_distances() {
  distance_.assign(static_cast<std::size_t>(cells_), 0);
  for (const Box& box : std::span(boxes_).subspan(own_boxes_))
    for_each_cell(box.cells, [&](Int3 cell) {
      std::int32_t nearest = std::numeric_limits<std::int32_t>::max();
      for (const Box& own : own_boxes()) nearest = std::min(nearest, grid_.cells_apart(cell, own.cells));
      distance_[static_cast<std::size_t>(local_index(box, cell))] = nearest;
    });
}

/// visit(cell, shift) for every cell of the border around a box that is a cell of the grid or an image of one, in
/// order.
template <class Visit>
void CellLayout::for_each_border_cell(const CellBox& box, Visit&& visit) const {
  const std::int32_t depth = grid_.dimensions == 3 ? 1 : 0;
  Int3 at;
  for (at[2] = box.lower[2] - depth; at[2] < box.upper[2] + depth; ++at[2])
    for (at[1] = box.lower[1] - 1; at[1] < box.upper[1] + 1; ++at[1])
      for (at[0] = box.lower[0] - 1; at[0] < box.upper[0] + 1; ++at[0]) {
        if (box.contains(at)) continue;
        Int3 global = at, shift{0, 0, 0};
        if (wrap(global, shift)) visit(at, global, shift);
      }
}

/// Border cells that are copies of computed cells, of another box or of a periodic image.
void CellLayout::find_local_ghosts() {
  for (std::size_t b = 0; b < boxes_.size(); ++b)
    for_each_border_cell(boxes_[b].cells, [&](Int3 at, Int3 global, Int3 shift) {
      const std::int32_t from = computed_cell(global);
      if (from >= 0)
        ghost_cells_.push_back({box_of(from), static_cast<std::int32_t>(b), from, local_index(boxes_[b], at), shift});
    });
  std::stable_sort(ghost_cells_.begin(), ghost_cells_.end(), [](const GhostCell& a, const GhostCell& b) {
    return std::pair(a.from_box, a.to_box) < std::pair(b.from_box, b.to_box);
  });
}

/// What passes between this process and other ranks, found by either side on its own.
void CellLayout::find_foreign_ghosts(const std::vector<ForeignBox>& foreign) {
  std::map<int, RankCells> ranks;
  for (const ForeignBox& other : foreign) ranks.try_emplace(other.rank, RankCells{other.rank, {}, {}});
  for (const Box& box : boxes_)
    for (const ForeignBox& other : foreign)
      for_each_border_cell(other.cells, [&](Int3, Int3 global, Int3) {
        if (box.cells.contains(global)) ranks.at(other.rank).sent.push_back(local_index(box, global));
      });
  for (const ForeignBox& other : foreign)
    for (const Box& box : boxes_)
      for_each_border_cell(box.cells, [&](Int3 at, Int3 global, Int3 shift) {
        if (other.cells.contains(global)) ranks.at(other.rank).received.push_back({local_index(box, at), shift});
      });
  for (auto& [rank, cells] : ranks)
    if (!cells.sent.empty() || !cells.received.empty()) rank_cells_.push_back(std::move(cells));
}

std::int32_t CellLayout::local_index(const Box& box, Int3 global_cell) const {
  Int3 local{0, 0, 0};
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid_.dimensions); ++d)
    local[d] = global_cell[d] - box.cells.lower[d] + 1;
  return box.first_cell + (local[2] * box.shape[1] + local[1]) * box.shape[0] + local[0];
}

std::int32_t CellLayout::index_in(std::span<const Box> boxes, Int3 global) const {
  for (const Box& box : boxes)
    if (box.cells.contains(global)) return local_index(box, global);
  return -1;
}

std::int32_t CellLayout::owned_cell(Vec3 x) const { return index_in(own_boxes(), grid_.cell_of(x)); }

std::int32_t CellLayout::owned_cell(Int3 global, Int3& shift) const {
  return wrap(global, shift) ? index_in(own_boxes(), global) : -1;
}

std::int32_t CellLayout::computed_cell(Int3 global) const { return index_in(boxes_, global); }

/// Finds the cell whose image this is, and by how much it is shifted [quanta]; false beyond a side that is not
/// periodic.
bool CellLayout::wrap(Int3& global, Int3& shift) const {
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid_.dimensions); ++d) {
    if (global[d] >= 0 && global[d] < grid_.count[d]) continue;
    if (!grid_.periodic[d]) return false;
    const bool below = global[d] < 0;
    global[d] += below ? grid_.count[d] : -grid_.count[d];
    shift[d] = below ? -grid_.period_quanta[d] : grid_.period_quanta[d];
  }
  return true;
}

void CellLayout::find_computed_around(const std::vector<std::uint8_t>& marked,
                                      std::vector<std::uint8_t>& around) const {
  around.assign(static_cast<std::size_t>(cells_), 0);
  const std::int32_t depth = grid_.dimensions == 3 ? 1 : 0;
  for (const Box& box : boxes_) {
    const std::int32_t nx = box.shape[0], nxy = nx * box.shape[1];
    for_each_cell(box.cells, [&](Int3 global) {
      const std::int32_t cell = local_index(box, global);
      bool touches = false;
      for (std::int32_t dz = -depth; dz <= depth; ++dz)
        for (std::int32_t dy = -1; dy <= 1; ++dy)
          for (std::int32_t dx = -1; dx <= 1; ++dx)
            touches = touches || marked[static_cast<std::size_t>(cell + dz * nxy + dy * nx + dx)] != 0;
      around[static_cast<std::size_t>(cell)] = touches ? 1 : 0;
    });
  }
}

Vec3 CellLayout::centre(std::int32_t cell) const {
  const Box& box = boxes_[static_cast<std::size_t>(box_of(cell))];
  std::int32_t rest = cell - box.first_cell;
  Vec3 x;
  for (int d = 0; d < grid_.dimensions; ++d) {
    const auto k = static_cast<std::size_t>(d);
    x[d] = grid_.origin[d] + (box.cells.lower[k] - 0.5 + rest % box.shape[k]) * grid_.edge[d];
    rest /= box.shape[k];
  }
  return x;
}

std::int32_t CellLayout::box_of(std::int32_t cell) const {
  const auto after = std::upper_bound(boxes_.begin(), boxes_.end(), cell,
                                      [](std::int32_t c, const Box& box) { return c < box.first_cell; });
  return static_cast<std::int32_t>(after - boxes_.begin()) - 1;
}

void CellSort::sort(const CellLayout& layout, std::span<const double* const> position, std::span<const std::int64_t> id,
                    std::int64_t shuffle, CellRows& rows, Array<std::int32_t>& order, Array<std::int32_t>& room,
                    const FetchCounts& fetch_counts) {
  const auto n = static_cast<std::int32_t>(id.size());
  const int dimensions = layout.grid().dimensions;
  Array<std::int32_t>& cell = room;  // of each particle
  cell.resize(id.size());
#pragma omp parallel for schedule(static)
  for (std::int32_t i = 0; i < n; ++i) {
    Vec3 x;
    for (int d = 0; d < dimensions; ++d) x[d] = position[static_cast<std::size_t>(d)][i];
    cell[static_cast<std::size_t>(i)] = layout.computed_cell(layout.grid().cell_of(x));
  }
  count_.assign(static_cast<std::size_t>(layout.cells()), 0);
  for (const std::int32_t c : cell) ++count_[static_cast<std::size_t>(c)];
  rows.particles = n;
  place_computed(layout, rows);
  for (const GhostCell& ghost : layout.ghost_cells())
    count_[static_cast<std::size_t>(ghost.to_cell)] = count_[static_cast<std::size_t>(ghost.from_cell)];
  if (fetch_counts) fetch_counts(count_);
  place_ghosts(layout, rows);

  std::fill(count_.begin(), count_.end(), 0);  // from here on: of those that have come
  order.resize(id.size());
  for (std::int32_t i = 0; i < n; ++i) {
    const auto c = static_cast<std::size_t>(cell[static_cast<std::size_t>(i)]);
    // Insertion by id: particles arrive almost sorted from the last rebuild.
    std::int32_t* of_cell = order.data() + rows.begin[c];
    std::int32_t at = count_[c]++;
    for (; at > 0 && id[static_cast<std::size_t>(of_cell[at - 1])] > id[static_cast<std::size_t>(i)]; --at)
      of_cell[at] = of_cell[at - 1];
    of_cell[at] = i;
  }
  if (shuffle == 0) return;

  rows.slot.resize(id.size());
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

/// How many particles stand how far away, and the rows of each computed cell. Those that hold nobody, and ghosts for
/// the time being, have none where they would be in the order, so that runs of cells are runs of rows.
void CellSort::place_computed(const CellLayout& layout, CellRows& rows) {
  const auto distance = [&](std::size_t c) {
    return static_cast<std::size_t>(layout.distance(static_cast<std::int32_t>(c)));
  };
  rows.within.assign(static_cast<std::size_t>(layout.farthest()) + 1, 0);
  for (std::size_t c = 0; c < count_.size(); ++c)
    if (count_[c] > 0) rows.within[distance(c)] += count_[c];
  next_.resize(rows.within.size());
  std::int32_t count = 0;
  for (std::size_t k = 0; k < rows.within.size(); ++k) {
    next_[k] = count;
    count = rows.within[k] += count;
  }
  rows.begin.resize(count_.size()), rows.end.resize(count_.size());
  std::size_t filled = 0;
  for (std::size_t c = 0; c < count_.size(); ++c) {
    std::int32_t& next = next_[distance(c)];
    rows.begin[c] = next;
    rows.end[c] = next += count_[c];
    filled += count_[c] > 0 ? 1 : 0;
  }
  rows.filled.resize(filled);
  auto* to = rows.filled.begin();
  for (std::size_t k = 0; k < rows.within.size(); ++k)
    for (std::size_t c = 0; c < count_.size(); ++c)
      if (count_[c] > 0 && distance(c) == k) *to++ = static_cast<std::int32_t>(c);
}

/// The rows of other ranks' cells and of images.
void CellSort::place_ghosts(const CellLayout& layout, CellRows& rows) {
  std::int32_t next = rows.particles;
  const auto place = [&](std::int32_t cell) {
    const auto c = static_cast<std::size_t>(cell);
    rows.begin[c] = next;
    rows.end[c] = next += count_[c];
  };
  for (const auto& other : layout.rank_cells())
    for (const auto& ghost : other.received) place(ghost.cell);
  rows.standing = next;
  for (const GhostCell& ghost : layout.ghost_cells()) place(ghost.to_cell);
  rows.rows = next;
}

}  // namespace eddyline::particles
