#include "domain/subdomain.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "particles/openings.hpp"

namespace eddyline::domain {

using particles::CellBox;
using particles::CellGrid;
using particles::CellLayout;
using world::SideKind;

namespace {

/// Largest distance of particles beyond a side of the domain [m].
double room_beyond(const world::World& world, SideKind kind, int axis) {
  switch (kind) {
    case SideKind::open: return particles::k_open_margin * world.size[axis];
    case SideKind::inflow:
    case SideKind::outflow:
    case SideKind::stream: return particles::buffer_columns(world) * particles::lattice_spacing(world)[axis];
    default: return 0;
  }
}

CellGrid make_grid(const world::World& world, const particles::Lengths& length, const FixedPoint& fixed) {
  CellGrid grid;
  grid.dimensions = world.dimensions;
  const double edge = length.cell_edge;
  for (int d = 0; d < world.dimensions; ++d) {
    const auto a = static_cast<std::size_t>(d);
    double lower = world.origin[d], upper = world.origin[d] + world.size[d];
    grid.periodic[a] = world.sides[2 * a].kind == SideKind::periodic;
    if (grid.periodic[a]) {
      grid.period[d] = world.size[d];
      grid.period_quanta[a] = fixed.wrapped(world.size[d]);
    } else {
      // The space beyond the sides for dummy particles of walls, and for fluid that splashes out of an open side.
      const double R = length.interaction_radius;
      lower -= R + room_beyond(world, world.sides[2 * a].kind, d);
      upper += R + room_beyond(world, world.sides[2 * a + 1].kind, d);
    }
    grid.origin[d] = lower;
    grid.count[a] = std::max(1, static_cast<std::int32_t>(std::floor((upper - lower) / edge)));
    grid.edge[d] = (upper - lower) / grid.count[a];
    grid.per_edge[d] = grid.count[a] / (upper - lower);
    if (grid.periodic[a] && grid.count[a] < 3)
      throw UserError("domain.size: a periodic side must be at least three cells (" + std::to_string(3 * edge) +
                      " m) long. Use a longer domain or a finer spacing.");
  }
  return grid;
}

/// The rows of cells that this process and another rank exchange.
void add_exchange(const particles::RankCells& other, const particles::CellIndex& rows, exchange::Halo& halo) {
  for (const std::int32_t cell : other.sent) {
    const particles::RowRange sent = rows.of(cell);
    halo.add_sent(other.rank, sent.begin, sent.count());
  }
  for (const auto& ghost : other.received) {
    const particles::RowRange received = rows.of(ghost.cell);
    halo.add_received(other.rank, received.begin, received.count(), ghost.shift);
  }
}

/// Cells of the fluid in a rank's share of a first, even partition.
std::vector<Int3> cells_at_start(const world::World& world, const CellGrid& grid, const comm::Communicator& c) {
  const decompose::Partition even(grid, {decompose::Method::bisection}, c.size(), 1, [](const CellBox& box, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    return std::vector<std::int64_t>(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 1);
  });
  const CellLayout share(grid, even.boxes_of(c.rank()));
  const auto placement = particles::place(world, [&](Vec3 x) { return share.owned_cell(x) >= 0; });
  std::vector<Int3> cells;
  for (const auto& particle : placement.fluid) cells.push_back(grid.cell_of(particle.position));
  return cells;
}

}  // namespace

Subdomain::Subdomain(const world::World& world, const particles::Lengths& length, const FixedPoint& fixed,
                     const solver::Execution& execution, std::int32_t depth, comm::Communicator& communicator,
                     comm::Tags& tags)
    : cuts_(decompose::cuts_of(execution.decomposition)),
      boxes_(execution.boxes),
      shuffle_(execution.shuffle),
      depth_(depth),
      communicator_(communicator),
      cell_halo_(communicator, execution.exchange, execution.between, tags.take("cells")) {
  for (int d = 0; d < 3; ++d) {
    const auto limit = [&](int end) {
      const SideKind kind = world.sides[static_cast<std::size_t>(2 * d + end)].kind;
      const double room = room_beyond(world, kind, d);
      return d < world.dimensions && room > 0 ? room : INFINITY;
    };
    lowest_[d] = world.origin[d] - limit(0);
    highest_[d] = world.origin[d] + world.size[d] + limit(1);
  }
  const CellGrid grid = make_grid(world, length, fixed);
  layout_ = CellLayout(grid, {});
  const bool is_cut = communicator.size() * boxes_ > 1;
  repartition(is_cut ? cells_at_start(world, grid, communicator) : std::vector<Int3>{}, 1);
}

void Subdomain::repartition(std::span<const Int3> cells, std::int64_t weight) {
  const auto weights = [&](const CellBox& box, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    std::vector<std::int64_t> slabs(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 0);
    for (const Int3& cell : cells)
      if (box.contains(cell)) slabs[static_cast<std::size_t>(cell[a] - box.lower[a])] += weight;
    comm::sum(communicator_, slabs, "decomposition");
    return slabs;
  };
  const CellGrid grid = layout_.grid();
  const auto weight_of_cells = [&] {
    std::vector<std::int64_t> all(static_cast<std::size_t>(grid.cells()), 0);
    for (const Int3& cell : cells) all[static_cast<std::size_t>(grid.index(cell))] += weight;
    comm::sum(communicator_, all, "decomposition");
    return all;
  };
  partition_ = decompose::Partition(grid, cuts_, communicator_.size(), boxes_, weights, weight_of_cells);
  const int rank = communicator_.rank();
  if (depth_ > 0)
    layout_ = CellLayout(grid, partition_.boxes_of(rank), {}, partition_.within(rank, depth_), depth_);
  else
    layout_ = CellLayout(grid, partition_.boxes_of(rank), partition_.around(rank));
  find_copied_cells();
  cell_halo_.clear();
  const auto length = [](const auto& cells_of_border) { return static_cast<std::int32_t>(cells_of_border.size()); };
  std::int32_t sent = 0, received = 0;
  for (const auto& other : layout_.rank_cells()) received += length(other.sent);
  for (const auto& other : layout_.rank_cells()) {
    cell_halo_.add_sent(other.rank, sent, length(other.sent));
    cell_halo_.add_received(other.rank, received, length(other.received), {});
    sent += length(other.sent), received += length(other.received);
  }
}

std::vector<int> Subdomain::neighbors() const {
  std::vector<int> ranks;
  for (const auto& other : depth_ > 0 ? copied_cells_ : layout_.rank_cells()) ranks.push_back(other.rank);
  return ranks;
}

/// Each side finds these on its own, in the same order.
void Subdomain::find_copied_cells() {
  copied_cells_.clear();
  copied_by_.clear();
  if (depth_ == 0) return;
  copied_by_.resize(static_cast<std::size_t>(layout_.cells()));
  const int self = communicator_.rank();
  std::map<int, particles::RankCells> ranks;
  for (const auto& box : partition_.within(self, depth_)) {
    auto& cells = ranks.try_emplace(box.rank, particles::RankCells{box.rank, {}, {}}).first->second;
    for_each_cell(box.cells, [&](Int3 cell) { cells.received.push_back({layout_.computed_cell(cell), {}}); });
  }
  for (auto& [rank, cells] : ranks) {
    for (const auto& box : partition_.within(rank, depth_)) {
      if (box.rank != self) continue;
      for_each_cell(box.cells, [&](Int3 cell) {
        cells.sent.push_back(layout_.computed_cell(cell));
        copied_by_[static_cast<std::size_t>(cells.sent.back())].push_back(rank);
      });
    }
    copied_cells_.push_back(std::move(cells));
  }
}

template <int D>
std::map<int, std::vector<std::size_t>> Subdomain::copied_by_others(const VectorArray<double, D>& x) const {
  std::map<int, std::vector<std::size_t>> by_rank;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::int32_t cell = layout_.computed_cell(grid().cell_of(vector_of(x, i)));
    for (const int rank : copied_by_[static_cast<std::size_t>(cell)]) by_rank[rank].push_back(i);
  }
  return by_rank;
}

template <int D>
std::vector<int> Subdomain::ranks_of(const VectorArray<double, D>& x) const {
  std::vector<int> ranks(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ranks[k] = partition_.rank_of(grid().cell_of(vector_of(x, k)));
  }
  return ranks;
}

void Subdomain::sort(std::span<const double* const> position, std::span<const std::int64_t> id,
                     particles::CellIndex& rows, Array<std::int32_t>& order, Array<std::int32_t>& room) {
  const auto fetch = [this](Array<std::int32_t>& counts) { cell_halo_.gather(exchange::ArrayField(counts)); };
  sort_.sort(layout_, position, id, shuffle_, rows, order, room,
             depth_ > 0 ? particles::CellSort::FetchCounts() : particles::CellSort::FetchCounts(fetch));
}

void Subdomain::find_copies(const particles::CellIndex& rows, exchange::Halo& halo) const {
  halo.clear();
  for (const auto& other : copied_cells_) add_exchange(other, rows, halo);
}

void Subdomain::find_ghosts(const particles::CellIndex& rows, exchange::Halo& halo) const {
  halo.clear();
  for (const auto& ghost : layout_.ghost_cells()) {
    const particles::RowRange from = rows.of(ghost.from_cell), to = rows.of(ghost.to_cell);
    halo.routes().add(ghost.from_box, ghost.to_box, {from.begin, to.begin, from.count(), ghost.shift});
  }
  for (const auto& other : layout_.rank_cells()) add_exchange(other, rows, halo);
}

template <int D>
void Subdomain::wrap(VectorArray<double, D>& x, VectorArray<double, D>* with) const {
  for (int d = 0; d < D; ++d) {
    if (!grid().periodic[static_cast<std::size_t>(d)]) continue;
    const double lower = grid().origin[d], upper = lower + grid().period[d], period = grid().period[d];
    double *place = x[d], *other = with == nullptr ? nullptr : (*with)[d];
    const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const double by = place[i] < lower ? period : place[i] >= upper ? -period : 0.0;
      if (by == 0) continue;
      place[i] += by;
      if (other != nullptr) other[i] += by;
    }
  }
}

bool Subdomain::is_closed() const {
  bool closed = true;
  for (int d = 0; d < 3; ++d) closed = closed && std::isinf(lowest_[d]) && std::isinf(highest_[d]);
  return closed;
}

template std::map<int, std::vector<std::size_t>> Subdomain::copied_by_others(const VectorArray<double, 2>& x) const;
template std::map<int, std::vector<std::size_t>> Subdomain::copied_by_others(const VectorArray<double, 3>& x) const;
template std::vector<int> Subdomain::ranks_of(const VectorArray<double, 2>& x) const;
template std::vector<int> Subdomain::ranks_of(const VectorArray<double, 3>& x) const;
template void Subdomain::wrap(VectorArray<double, 2>&, VectorArray<double, 2>*) const;
template void Subdomain::wrap(VectorArray<double, 3>&, VectorArray<double, 3>*) const;

}  // namespace eddyline::domain
