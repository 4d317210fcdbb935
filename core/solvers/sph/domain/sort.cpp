// Domain: the order of particles, and who leaves.
#include "solvers/sph/domain/domain.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/parallel_for.hpp"
#include "domain/migrate.hpp"
#include "domain/remove.hpp"
#include "neighbors/fields.hpp"

namespace eddyline::sph {

template <class T, int D>
void Domain<T, D>::sort(bool by_expected_places) {
  state_.control.sort_ahead_steps = by_expected_places && rebuilds > 0 ? next_sort_ahead_steps() : 0;
  include_copies(false);
  scratch_.begin_sorting(state_.fluid.id.size(), rebuilds == 0);
  subdomain_.wrap(state_.fluid.x);
  if (bodies_change()) change_bodies();
  if (!state_.openings.empty())
    state_.openings.pass(state_.fluid, by_expected_places ? half_rebuild_interval() : 0,
                         [this](std::size_t i) { return state_.fluid.mass[i]; });
  remove_leavers();
  timers.lap(Phase::sort);
  if (rebalance_is_due()) rebalance();
  find_sort_places();
  timers.lap(Phase::sort);
  migrate_fluid();
  timers.lap(Phase::migrate);
  sort_fluid();
  if (state_.walls_move) sort_walls();
  refresh_wall_copies();
  include_copies(true);
  lazy.rebuilt();
  timers.lap(Phase::sort);
  begin_count();
}

/// Particles do not move to other ranks, enter or leave, and rows have the order of particles.
template <class T, int D>
bool Domain<T, D>::may_sort_elsewhere() const {
  return communicator_.is_alone() && rebuilds > 0 && !bodies_change() && state_.openings.empty() &&
         execution_.shuffle == 0 && execution_.rebalance_every == 0;
}

template <class T, int D>
void Domain<T, D>::end_sorting_elsewhere(double ahead_steps) {
  state_.control.sort_ahead_steps = ahead_steps;
  begin_drift();
  if (state_.walls_move) {
    scratch_.begin_sorting(state_.fluid.id.size(), false);
    sort_walls();
    scratch_.begin_sums((state_.fluid.id.size() + neighbors::k_chunk - 1) / neighbors::k_chunk * neighbors::k_chunk);
  }
  timers.lap(Phase::sort);
  begin_count();
}

template <class T, int D>
void Domain<T, D>::end_rebuild() {
  ++rebuilds;
  last_rebuild = state_.steps;
  timers.lap(Phase::lists);
}

/// Particles move away from the places that they are sorted by; if
/// these are the places half way to the next rebuild, cells hold twice as long. The number is the smallest of: the
/// steps that cells have held since their particles passed these places, and the steps that the drift and the speed of
/// the last step allow; reduced a little.
template <class T, int D>
double Domain<T, D>::next_sort_ahead_steps() const {
  constexpr double k_share = 0.9, k_to_middle = 0.4;  // the first step sums no pairs before its midpoint
  constexpr double k_least = 1e-6;                    // relative to lengths
  const double held = std::max(0.0, static_cast<double>(state_.steps - last_rebuild) - state_.control.sort_ahead_steps);
  const double skin = state_.constants.length.skin, farthest = state_.reach_of_lists() + skin;
  const double pace = std::max(k_least * skin, state_.control.relative_drift - state_.control.relative_drift_before);
  const double way = std::max(k_least * skin, state_.control.speed * state_.time_step);
  return k_share * std::min({held, skin / pace, farthest / way}) + k_to_middle;
}

/// Returns the time to the middle of the steps until the next rebuild [s]; pairs are summed at the ends of steps, and
/// there are assumed to be as many steps as since the last rebuild. It is longer than the time for which particles are
/// sorted ahead, which is on the safe side, whereas this must be right on average.
template <class T, int D>
double Domain<T, D>::half_rebuild_interval() const {
  return 0.5 * static_cast<double>(state_.steps - last_rebuild + 1) * state_.time_step;
}

/// Finds the places by which particles are sorted, in whole quanta, so that rows reproduce them. Particles of buffers
/// stay on their lines.
template <class T, int D>
void Domain<T, D>::find_sort_places() {
  const double ahead = state_.control.sort_ahead_steps * state_.time_step;
  auto& places = scratch_.places();
  places.resize(state_.fluid.id.size());
  for (int d = 0; d < D; ++d) {
    const double *x = state_.fluid.x[d], *v = state_.fluid.v[d];
    double* place = places[d];
    const auto n = static_cast<std::int64_t>(state_.fluid.id.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) place[i] = state_.constants.fixed.round(x[i] + v[i] * ahead);
  }
  if (!state_.openings.empty()) {
    const auto n = state_.fluid.id.size();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      if (state_.fluid.buffer[i] == 0) continue;
      const int axis = state_.openings.all()[state_.fluid.buffer[i] - 1u].sites.axis;
      for (int d = 0; d < D; ++d)
        if (d != axis) places[d][i] = state_.constants.fixed.round(state_.fluid.x[d][i]);
    }
  }
  subdomain_.wrap(places, &state_.fluid.x);
}

/// Removes particles that are too far beyond an open side, or at the end of a buffer.
template <class T, int D>
void Domain<T, D>::remove_leavers() {
  if (subdomain_.is_closed() && state_.openings.empty()) return;
  const auto has_left = [&](std::size_t i) {
    return state_.fluid.buffer[i] == 0 && subdomain_.has_left(vector_of(state_.fluid.x, i));
  };
  sparse_.find(state_.fluid.size(), 2e-9,
               [&](std::size_t i) { return state_.openings.is_spent(state_.fluid, i) || has_left(i); });
  if (!sparse_.any()) return;
  gone_.resize(0);
  sparse_.for_each([&](std::size_t i) {
    if (!state_.openings.is_spent(state_.fluid, i)) {
      if (!has_left(i)) return;
      state_.left_mass.add(state_.fluid.mass[i]);
      ++state_.left_particles;
    }
    gone_.push_back(static_cast<std::int32_t>(i));
  });
  domain::remove_particles(state_.fluid.size(), gone_, [&](auto&& visit) { state_.fluid.for_each_array(visit); });
}

template <class T, int D>
bool Domain<T, D>::rebalance_is_due() {
  if (execution_.rebalance_every > 0) return (rebuilds + 1) % execution_.rebalance_every == 0;
  return execution_.rebalance && balance.is_due(communicator_, timers.busy(), state_.steps);
}

/// Partitions the domain again so that each rank gets the same amount of work: the weight of a particle is its cost on
/// its present rank. The fluid, which is still where the step left it, follows when it migrates.
template <class T, int D>
void Domain<T, D>::rebalance() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<Int3> cells(state_.fluid.id.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = subdomain_.grid().cell_of(vector_of(state_.fluid.x, i));
  const double cost =
      balance.cost(timers.busy(), state_.steps) / static_cast<double>(std::max<std::int64_t>(1, state_.fluid.size()));
  subdomain_.repartition(cells, std::max<std::int64_t>(1, std::llround(1e9 * cost)));
  state_.openings.share(communicator_);
  saved_wall_rows_.take(scratch_.walls, wall_rows);
  move_walls();
  resize_walls(wall_rows.owned());
  wall_halo.gather(neighbors::RowField(scratch_.walls, D));
  place_nodes();
  timers.lap(Phase::migrate);
  balance.done(communicator_, std::chrono::duration<double>(Clock::now() - start).count(), timers.busy(), state_.steps);
}

template <class T, int D>
void Domain<T, D>::migrate_fluid() {
  if (communicator_.is_alone()) return;
  const auto for_each_field = [&](auto&& visit) {
    state_.fluid.for_each_array(visit);
    visit(scratch_.places());
  };
  migrants +=
      domain::migrate(communicator_, subdomain_.ranks_of(scratch_.places()), subdomain_.neighbors(), for_each_field);
  send_copies(scratch_.places(), for_each_field);
}

/// Puts the fluid in canonical order: by cell, then id.
template <class T, int D>
void Domain<T, D>::sort_fluid() {
  find_fluid_rows();
  begin_drift();
}

/// Measures drift from here on.
template <class T, int D>
void Domain<T, D>::begin_drift() {
  state_.control.relative_drift = state_.control.relative_drift_before = state_.control.max_displacement =
      state_.control.path_since_rebuild = state_.control.latest.corrected = 0;
}

/// Sorts the fluid by the places in `reorder_`.
template <class T, int D>
void Domain<T, D>::find_fluid_rows() {
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = scratch_.places()[d];
  scratch_.with_order(state_.fluid.id.size(), scratch_.list_places.fluid, [&](Array<std::int32_t>& room) {
    subdomain_.sort({position, D}, {state_.fluid.id.data(), state_.fluid.id.size()}, fluid_rows, scratch_.order(),
                    room);
    put_positions(fluid_rows, scratch_.places(), fluid_positions_);
    state_.fluid.for_each_array([&](auto& array) { scratch_.reorder(array); });
  });
  state_.openings.find_members(state_.fluid);
  subdomain_.find_ghosts(fluid_rows, fluid_halo);
  find_fluid_copies();
  fluid_halo.gather_between(neighbors::PositionField(fluid_positions_, D));
  scratch_.resize_fluid_rows(fluid_rows.rows, rebuilds == 0);
}

#define EDDYLINE_SPH_SORT(T, D)                                \
  template void Domain<T, D>::sort(bool);                      \
  template double Domain<T, D>::next_sort_ahead_steps() const; \
  template bool Domain<T, D>::may_sort_elsewhere() const;      \
  template void Domain<T, D>::end_sorting_elsewhere(double);   \
  template void Domain<T, D>::end_rebuild();                   \
  template void Domain<T, D>::find_fluid_rows();

EDDYLINE_SPH_SORT(float, 2)
EDDYLINE_SPH_SORT(float, 3)
EDDYLINE_SPH_SORT(double, 2)
EDDYLINE_SPH_SORT(double, 3)

#undef EDDYLINE_SPH_SORT

}  // namespace eddyline::sph
