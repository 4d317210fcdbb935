#include "particles/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
  owned_end_ = cells_;
  for (const ForeignBox& each : copied) add_box(each.cells);
  if (!copied.empty()) find_distances();
  find_local_ghosts();
  find_foreign_ghosts(foreign);
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

/// Calls visit(at, cell, shift) for every cell of the border around a box that is a cell of the grid or an image of
/// one, in order.
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

/// Finds border cells that are copies of computed cells, of another box or of a periodic image.
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
  if (ghost_cells_.empty()) return;
  copies_.clear(cells_);
  for (const GhostCell& ghost : ghost_cells_) copies_.add(ghost.to_cell);
  copies_.number();
  ghost_of_copy_.resize(ghost_cells_.size());
  for (std::size_t g = 0; g < ghost_cells_.size(); ++g)
    ghost_of_copy_[static_cast<std::size_t>(copies_.before(ghost_cells_[g].to_cell))] = static_cast<std::int32_t>(g);
}

/// Finds the cells that this process exchanges with other ranks; each side finds them on its own.
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

/// Maps a cell of a periodic image to the cell itself and returns its shift [quanta]; returns false beyond a side that
/// is not periodic.
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

void CellLayout::find_computed_around(const CellSet& some, CellSet& around) const {
  around.clear(cells_);
  add_around(some, around);
  for (const Box& box : boxes_) remove_border(box, around);
  around.number();
}

void CellLayout::add_around(const CellSet& some, CellSet& to) const {
  for (const Box& box : boxes_) {
    std::array<std::int32_t, 9> offsets;
    std::size_t n = 0;
    box.for_each_run_around(0, [&](std::int32_t first) { offsets[n++] = first + 1; });
    to.add_moved(some, box.first_cell, box.first_cell + box.cells_with_border(), std::span(offsets).first(n));
  }
}

void CellLayout::remove_border(const Box& box, CellSet& cells) const {
  const auto [nx, ny, nz] = box.shape;
  const std::int32_t depth = nz > 1 ? 1 : 0;
  std::int32_t row = box.first_cell;
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y, row += nx) {
      const bool is_inside = y > 0 && y < ny - 1 && z >= depth && z < nz - depth;
      cells.remove(row, is_inside ? row + 1 : row + nx);
      cells.remove(row + nx - 1, row + nx);
    }
}

bool CellLayout::is_computed(std::int32_t cell) const {
  const Box& box = boxes_[static_cast<std::size_t>(box_of(cell))];
  std::int32_t rest = cell - box.first_cell;
  bool is_inside = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(grid_.dimensions); ++d) {
    const std::int32_t at = rest % box.shape[d];
    is_inside = is_inside && at > 0 && at < box.shape[d] - 1;
    rest /= box.shape[d];
  }
  return is_inside;
}

std::size_t CellLayout::bytes() const {
  return copies_.bytes() + ghost_of_copy_.capacity() * sizeof(std::int32_t) +
         distance_.capacity() * sizeof(std::int32_t) + ghost_cells_.capacity() * sizeof(GhostCell);
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

}  // namespace eddyline::particles
