// A rebuild of a liquid: leavers, migration, sorting, walls of other ranks, and lists.
#include "solvers/mps/liquid.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "domain/migrate.hpp"
#include "domain/remove.hpp"
#include "neighbors/fields.hpp"

namespace eddyline::mps {

namespace {

constexpr double k_least_margin = 0.01;  // in spacings
constexpr double k_rebuild_cost = 1.4;   // over the cost of the sums over pairs within R in one step, as measured
constexpr double k_reserve = 1.05;       // for particles that become faster

}  // namespace

/// Chooses how far lists reach beyond R, so that steps cost least: lists that serve n steps need the margin
/// m = 2 (n - 1) |u| dt, which adds pairs to all sums, while a rebuild counts 1/n:  (1 + m/R)^D + k_rebuild_cost/n.
template <int D>
void Liquid<D>::choose_margin(double dt, double speed) {
  const double most = constants_.length.skin, least = k_least_margin * constants_.length.spacing;
  const double way = 2 * k_reserve / k_safe_margin * std::max(speed, wall_speed_) * dt;
  double lowest = INFINITY;
  margin_ = most;
  constexpr int k_most_steps = 100;
  for (int n = 1; n <= k_most_steps; ++n) {
    const double margin = least + (n - 1) * way;
    if (margin > most) break;
    double pairs = 1;
    for (int d = 0; d < D; ++d) pairs *= 1 + margin / constants_.R;
    const double cost = pairs + k_rebuild_cost / n;
    if (cost < lowest) lowest = cost, margin_ = margin;
  }
}

template <int D>
void Liquid<D>::rebuild(double dt, double speed) {
  choose_margin(dt, speed);
  const bool changed = bodies_change();
  if (changed) change_bodies();
  if (!openings.empty()) {
    const double half_interval = rebuilds > 0 ? 0.5 * static_cast<double>(steps - last_rebuild + 1) * dt : 0.0;
    openings.pass(fluid, half_interval, [this](std::size_t i) { return mass_of(i); });
    find_middle(dt);
  }
  remove_leavers();
  timers.lap(Phase::sort);
  const bool due = execution_.rebalance_every > 0
                       ? (rebuilds + 1) % execution_.rebalance_every == 0
                       : execution_.rebalance && balance.is_due(communicator_, timers.busy(), steps);
  if (due) rebalance();
  for (int d = 0; d < D; ++d)
    for (std::size_t i = 0; i < fluid.id.size(); ++i) fluid.place[d][i] = constants_.fixed.round(middle[d][i]);
  VectorArray<double, D> before;
  before.resize(fluid.id.size());
  for (int d = 0; d < D; ++d) std::copy_n(fluid.place[d], fluid.id.size(), before[d]);
  subdomain_.wrap(fluid.place, &fluid.x);
  for (int d = 0; d < D; ++d)
    for (std::size_t i = 0; i < fluid.id.size(); ++i) middle[d][i] += fluid.place[d][i] - before[d][i];
  sort_fluid();
  if (walls_move_ || changed) send_walls();
  timers.lap(Phase::sort);
  build_lists();
  ++rebuilds;
  last_rebuild = steps;
  count();
  timers.lap(Phase::lists);
}

template <int D>
void Liquid<D>::remove_leavers() {
  if (subdomain_.is_closed() && openings.empty()) return;
  domain::remove_particles_if(
      fluid.size(),
      [&](auto&& visit) {
        fluid.for_each_array(visit);
        visit(middle);
      },
      [&](std::size_t i) {
        if (openings.is_spent(fluid, i)) return true;
        if (fluid.buffer[i] != 0 || !subdomain_.has_left(vector_of(fluid.x, i))) return false;
        left_mass.add(mass_of(i));
        ++left_particles;
        return true;
      });
}

template <int D>
void Liquid<D>::rebalance() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<Int3> cells(fluid.id.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = subdomain_.grid().cell_of(vector_of(middle, i));
  const double cost = balance.cost(timers.busy(), steps) / static_cast<double>(std::max<std::int64_t>(1, fluid.size()));
  subdomain_.repartition(cells, std::max<std::int64_t>(1, std::llround(1e9 * cost)));
  openings.share(communicator_);
  if (!walls_move_) send_walls();
  timers.lap(Phase::migrate);
  balance.done(communicator_, std::chrono::duration<double>(Clock::now() - start).count(), timers.busy(), steps);
}

/// Sends the fluid to the ranks of its places and puts it in canonical order.
template <int D>
void Liquid<D>::sort_fluid() {
  const auto for_each_field = [&](auto&& visit) {
    fluid.for_each_array(visit);
    visit(middle);
  };
  migrants += domain::migrate(communicator_, subdomain_.ranks_of(fluid.place), subdomain_.neighbors(), for_each_field);
  timers.lap(Phase::migrate);
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = fluid.place[d];
  subdomain_.sort({position, D}, {fluid.id.data(), fluid.id.size()}, fluid_rows, reorder_.order, room_);
  for_each_field([&](auto& array) { reorder_(array); });
  openings.find_members(fluid);
  put_positions(fluid_rows, fluid.place, fluid_positions_);
  fluid_of_row_.resize(fluid_rows.slot.size());
  for (std::size_t i = 0; i < fluid_rows.slot.size(); ++i)
    fluid_of_row_[static_cast<std::size_t>(fluid_rows.slot[i])] = static_cast<std::int32_t>(i);
  subdomain_.find_ghosts(fluid_rows, fluid_halo);
  fluid_halo.gather_between(neighbors::PositionField(fluid_positions_, D));
  rows.resize(fluid_rows.rows);
}

/// Sends walls to the ranks of their cells. If no body moves, this is done once, and when cells change ranks.
template <int D>
void Liquid<D>::send_walls() {
  const auto& from = walls_move_ ? wall_middle_ : wall.x;
  wall_places_.resize(wall.id.size());
  for (int d = 0; d < D; ++d)
    for (std::size_t k = 0; k < wall.id.size(); ++k) wall_places_[d][k] = constants_.fixed.round(from[d][k]);
  sort_walls();
}

template <int D>
void Liquid<D>::sort_walls() {
  const auto for_each_field = [&](auto&& visit) { for_each_wall_array(visit); };
  domain::migrate(communicator_, subdomain_.ranks_of(wall_places_), subdomain_.neighbors(), for_each_field);
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = wall_places_[d];
  subdomain_.sort({position, D}, {wall.id.data(), wall.id.size()}, wall_rows, reorder_.order, room_);
  for_each_field([&](auto& array) { reorder_(array); });
  put_positions(wall_rows, wall_places_, wall_positions_);
  subdomain_.find_ghosts(wall_rows, wall_halo);
  wall_halo.gather_between(neighbors::PositionField(wall_positions_, D));
  wall_rows_data.resize(wall_rows.rows);
}

/// Sets the places of this rank's rows; `places` are in the order of particles.
template <int D>
void Liquid<D>::put_positions(const particles::CellIndex& index, const VectorArray<double, D>& places,
                              neighbors::FixedPositions& positions) const {
  const std::int64_t n = index.computed();
  for (int d = 0; d < D; ++d) {
    Array<std::int32_t>& p = positions.x[d];
    p.resize(static_cast<std::size_t>(index.real_rows) + neighbors::k_chunk);
    std::fill(p.end() - neighbors::k_chunk, p.end(), 0);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      p[static_cast<std::size_t>(index.row_of(k))] = constants_.fixed.wrapped(places[d][k]);
    }
  }
}

template <int D>
void Liquid<D>::build_lists() {
  const double cut = (constants_.R + margin_) / constants_.fixed.quantum();
  const auto search = [&](const auto& targets, const auto& target_positions, const auto& sources,
                          const auto& source_positions) {
    return neighbors::Search{.dimensions = D,
                             .cut_squared = static_cast<float>(cut * cut),
                             .prediction = {},
                             .layout = &layout(),
                             .targets = &targets,
                             .sources = &sources,
                             .target_positions = &target_positions,
                             .source_positions = &source_positions,
                             .same = &targets == &sources};
  };
  const char* instructions = execution_.instructions.c_str();
  fluid_fluid.build(search(fluid_rows, fluid_positions_, fluid_rows, fluid_positions_), instructions);
  fluid_wall.build(search(fluid_rows, fluid_positions_, wall_rows, wall_positions_), instructions);
  wall_fluid.build(search(wall_rows, wall_positions_, fluid_rows, fluid_positions_), instructions);
}

template <int D>
void Liquid<D>::count() {
  everywhere_ = {fluid_rows.owned(), wall_rows.owned()};
  comm::sum(communicator_, everywhere_, "rebuild");
}

#define EDDYLINE_LIQUID_REBUILD(D)                                                                   \
  template void Liquid<D>::rebuild(double, double);                                                  \
  template void Liquid<D>::sort_fluid();                                                             \
  template void Liquid<D>::sort_walls();                                                             \
  template void Liquid<D>::send_walls();                                                             \
  template void Liquid<D>::build_lists();                                                            \
  template void Liquid<D>::count();                                                                  \
  template void Liquid<D>::put_positions(const particles::CellIndex&, const VectorArray<double, D>&, \
                                         neighbors::FixedPositions&) const;
EDDYLINE_LIQUID_REBUILD(2)
EDDYLINE_LIQUID_REBUILD(3)
#undef EDDYLINE_LIQUID_REBUILD

}  // namespace eddyline::mps
