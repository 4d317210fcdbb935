// Flow: neighbour lists, and how long they hold.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

namespace {

constexpr double k_first = 10;  // steps that the first cells are assumed to last

}  // namespace

/// Builds the lists of a rebuild. Margins assume that cells last as long as the last ones.
template <class T, int D>
void Flow<T, D>::find_neighbors() {
  if (rebuilds == 0)
    steps_of_cells_ = k_first;
  else if (steps > last_rebuild)
    steps_of_cells_ = static_cast<double>(steps - last_rebuild);
  drift_bound_.begin(layout(), fluid_rows, wall_rows);
  if (may_have_margins()) find_reference_velocities();
  if (has_margins())
    predict_lists();
  else
    margin_.disable();
  if (!openings.empty()) find_node_neighbors();
  find_near_walls();
  build_lists();
  make_schedule();
  resize_results();
}

/// Finds the reference velocities of rows, the present velocity plus shifting, and the places that they start from.
/// Shifting has moved particles at once at the end of the last step; the start of the path is the place before that.
/// Collective.
template <class T, int D>
void Flow<T, D>::find_reference_velocities() {
  const auto shifting = [this](std::size_t i, int d) {
    if (!fluid.confined) return 0.0;
    return static_cast<double>(lower_half(Pack<T, 1>(fluid.half_g[d][i])).v) / constants_.scale;
  };
  find_reference_velocities(
      fluid_rows, fluid.x, [this](std::size_t i, int d) { return fluid.v[d][i] * constants_.inverse_c0; }, shifting,
      fluid_halo, margin_.fluid(), reference_velocities_);
  if (!walls_move_) return;
  // Sides may have a velocity, but stay in place.
  const auto velocity = [this](std::size_t k, int d) {
    return wall.owner[k] < 0 ? 0.0 : wall.v[d][k] * constants_.inverse_c0;
  };
  const auto none = [](std::size_t, int) { return 0.0; };
  find_reference_velocities(wall_rows, wall.x, velocity, none, wall_halo, margin_.walls(), wall_reference_velocities_);
}

/// velocity(i, axis), shifting(i, axis): those of a particle, in units of the speed of sound.
template <class T, int D>
template <class Velocity, class Shifting>
void Flow<T, D>::find_reference_velocities(const particles::CellIndex& rows, const VectorArray<double, D>& x,
                                           Velocity&& velocity, Shifting&& shifting, exchange::Halo& halo,
                                           neighbors::FixedPositions& positions,
                                           neighbors::ReferenceVelocities& reference_velocities) const {
  const std::int64_t n = rows.computed();
  const std::size_t room = static_cast<std::size_t>(rows.real_rows) + neighbors::k_chunk;
  for (int d = 0; d < D; ++d) {
    positions.x[d].resize(room), reference_velocities.x[d].resize(room);
    std::fill(positions.x[d].end() - neighbors::k_chunk, positions.x[d].end(), 0);
    std::fill(reference_velocities.x[d].end() - neighbors::k_chunk, reference_velocities.x[d].end(), std::int16_t{0});
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const auto row = static_cast<std::size_t>(rows.row_of(k));
      const double w = shifting(k, d);
      positions.x[d][row] = constants_.fixed.wrapped(x[d][k] - w * constants_.c0 * time_step);
      reference_velocities.x[d][row] = neighbors::ReferenceVelocities::nearest(velocity(k, d) + w);
    }
  }
  const auto gather = [&](auto... axis) {
    halo.gather_between(neighbors::PositionField(positions, D), exchange::ArrayField(reference_velocities.x[axis])...);
  };
  if constexpr (D == 2)
    gather(0, 1);
  else
    gather(0, 1, 2);
}

/// Sets reference velocities of walls that have stood still until now to zero, as lists have assumed.
template <class T, int D>
void Flow<T, D>::expect_walls_to_rest() {
  for (int d = 0; d < D; ++d) {
    const auto& from = wall_positions_.x[d];
    margin_.walls().x[d].resize(from.size());
    std::copy(from.begin(), from.end(), margin_.walls().x[d].begin());
    wall_reference_velocities_.x[d].assign(from.size(), 0);
  }
}

/// Predicts the motion of particles for the lists of a rebuild. Before the first step its length is unknown.
template <class T, int D>
void Flow<T, D>::predict_lists() {
  const double usual = world_.method.cfl * constants_.length.smoothing_length / constants_.c0;
  drift_bound_.measure(reference_velocities_, walls_move_ ? &wall_reference_velocities_ : nullptr);
  followed_ = time;
  margin_.begin(
      drift_bound_.cells(), drift_bound_.active_runs(),
      [this](const neighbors::CellRun& run, float* speeds) { drift_bound_.find_relative_drift(run, speeds); },
      steps_of_cells_, acoustic_distance(time_step > 0 ? time_step : usual));
}

/// Tells whether lists of any rank may have their own margins. Copies that deferred exchange computes may stand
/// anywhere until they are renewed.
template <class T, int D>
bool Flow<T, D>::may_have_margins() const {
  return !lazy.is_on() && !execution_.all_pairs && execution_.list_parts != 1;
}

/// Tells whether lists of this rank have their own margins. Checking margins costs time in every cell that has
/// particles around it.
template <class T, int D>
bool Flow<T, D>::has_margins() const {
  std::int64_t surrounded = 0;
  for (const auto& run : drift_bound_.active_runs()) surrounded += run.end - run.begin;
  return may_have_margins() && (execution_.list_parts > 1 || surrounded <= fluid_rows.computed());
}

template <class T, int D>
void Flow<T, D>::build_lists() {
  const char* instructions = execution_.instructions.c_str();
  for_each_list(
      [&](neighbors::NeighborList& list, const neighbors::Search& search) { list.build(search, instructions); });
}

/// Calls visit(list, search) for lists between fluid and walls; places are those of the rebuild or of the last renewal.
template <class T, int D>
template <class Visit>
void Flow<T, D>::for_each_list(Visit&& visit) {
  const auto& fluid_places = margin_.is_used() ? margin_.fluid() : fluid_positions_;
  const auto& wall_places = margin_.is_used() && walls_move_ ? margin_.walls() : wall_positions_;
  const auto search = [&](const auto& targets, const auto& target_places, const auto& sources,
                          const auto& source_places) {
    auto found = search_of(targets, target_places, sources, source_places, constants_.length.skin);
    found.margins_of = margin_.cells();
    found.cut_squared_of = margin_.cut_squared();
    const auto reference_velocities = [&](const auto& rows) {
      return &rows == &fluid_rows ? &reference_velocities_ : walls_move_ ? &wall_reference_velocities_ : nullptr;
    };
    found.prediction = {reference_velocities(targets), reference_velocities(sources), margin_.behind(),
                        margin_.ahead()};
    return found;
  };
  visit(fluid_fluid, search(fluid_rows, fluid_places, fluid_rows, fluid_places));
  visit(fluid_wall, search(fluid_rows, fluid_places, wall_rows, wall_places));
  visit(wall_fluid, search(wall_rows, wall_places, fluid_rows, fluid_places));
}

template <class T, int D>
neighbors::Search Flow<T, D>::search_of(const particles::CellIndex& targets,
                                        const neighbors::FixedPositions& target_positions,
                                        const particles::CellIndex& sources,
                                        const neighbors::FixedPositions& source_positions, double width) const {
  const double cut = (constants_.length.interaction_radius + width) / constants_.fixed.quantum();
  return {.dimensions = D,
          .cut_squared = static_cast<float>(cut * cut),
          .prediction = {},
          .layout = &layout(),
          .targets = &targets,
          .sources = &sources,
          .target_positions = &target_positions,
          .source_positions = &source_positions,
          .same = &targets == &sources,
          .all_pairs = execution_.all_pairs};
}

template <class T, int D>
bool Flow<T, D>::renew_lists() {
  if (!margin_.is_used()) return false;
  if (!follow_rows()) {
    // A value is not finite, and the run is about to stop. Which particles it reaches must not depend on margins.
    margin_.disable();
    build_lists();
    return true;
  }
  const auto relative_drift = [this](const neighbors::CellRun& run, float* by, float* beside) {
    drift_bound_.find_relative_drift(run, by);
    drift_bound_.find_midpoint_excess(run, beside);
  };
  const bool lacking = margin_.use_up(relative_drift, need_of_step());
  timers.lap(Phase::integrate);
  if (!margin_.any_due()) return false;
  const auto age = static_cast<double>(steps - last_rebuild);
  margin_.renew(std::max(steps_of_cells_ - age, age));
  const char* instructions = execution_.instructions.c_str();
  for_each_list([&](neighbors::NeighborList& list, const neighbors::Search& search) {
    const std::int64_t chunks = list.renew(search, instructions, margin_.due());
    if (&list == &fluid_fluid)
      renewals += static_cast<double>(chunks) / static_cast<double>(std::max<std::size_t>(1, list.chunks().size()));
  });
  timers.lap(Phase::lists);
  return lacking;
}

/// Measures how far rows move in this step.
template <class T, int D>
bool Flow<T, D>::follow_rows() {
  neighbors::PredictedPath<T> path = predicted_path();
  if (fluid.classic) path.remaining = 0;
  const double until = time + (fluid.classic ? 0.5 : 1) * time_step;
  last_acoustic_distance_ = acoustic_distance(until - std::exchange(followed_, until));
  const auto step = static_cast<float>(last_acoustic_distance_);
  if (walls_move_ && !margin_.follow_walls(wall_displacement, wall_positions_, wall_reference_velocities_, step))
    return false;
  return drift_bound_.advance(path, reference_velocities_, step, margin_.fluid(),
                              walls_move_ ? &margin_.walls_step() : nullptr);
}

/// Returns the requirements of this step on lists. Particles of buffers move along the normals of their openings only,
/// while their rows predict other motion: a pair may be off by twice that, now and when lists were renewed. With
/// several ranks some pairs are summed before it is known whether their lists hold; these lists are renewed a step
/// early, unless cells end there.
template <class T, int D>
typename ListMargin<T, D>::Need Flow<T, D>::need_of_step() const {
  typename ListMargin<T, D>::Need need;
  need.step = last_acoustic_distance_;
  need.besides = 4.0 * static_cast<double>(half_a_step()) * static_cast<double>(sideways_in_buffers());
  need.in_middle = fluid.classic;
  need.next_step = !communicator_.is_alone() && control.will_hold(k_safety * constants_.length.skin);
  return need;
}

/// Upper bound of the speed of buffer particles across the normal of their opening, in units of the speed of sound.
template <class T, int D>
float Flow<T, D>::sideways_in_buffers() const {
  if (openings.empty()) return 0;
  const int axis = openings.common_axis();
  T most2 = 0;
  for (const std::int32_t r : free_fluid_.rows_in_buffer()) {
    T speed2 = 0;
    for (int d = 0; d < D; ++d) {
      const T v = midpoint_rows.row(r).first[D + d];
      speed2 += d == axis ? T(0) : v * v;
    }
    most2 = std::max(most2, speed2);
  }
  return static_cast<float>(std::sqrt(most2));
}

/// Marks the fluid particles with walls in the cells around them. Only these can touch bodies; the marks hold longer
/// than lists.
template <class T, int D>
void Flow<T, D>::find_near_walls() {
  if (world_.bodies.empty()) return;
  layout().find_computed_around(wall_rows.cells, cells_around_);
  near_walls_.resize(static_cast<std::size_t>(fluid_rows.computed()));
  particles::for_each_occupied_cell(fluid_rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
    std::fill_n(near_walls_.data() + first, last - first, cells_around_.has(cell) ? 1 : 0);
  });
}

template <class T, int D>
void Flow<T, D>::find_node_neighbors() {
  free_fluid_.find(fluid_rows, openings.members(), fluid_halo);
  build_over_free_fluid(node_fluid, node_rows, node_positions_);
  const auto& members = openings.members();
  member_places.resize(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Vec3 place = sorted_place(static_cast<std::size_t>(members[m]));
    for (int d = 0; d < D; ++d) member_places[d][m] = place[d];
  }
  layout().find_computed_around(free_fluid_.cells_with_buffers(), cells_around_);
  find_chunks_with(cells_around_, wall_rows, walls_at_buffers_);
  for (auto& sums : node_sums) sums.resize(node_fluid.chunks().size() * neighbors::k_chunk);
  free_neighbors_found_ = false;
}

template <class T, int D>
void Flow<T, D>::find_free_neighbors() {
  if (openings.empty()) return;
  wall_free.find(wall_fluid, free_fluid_.in_buffer(), walls_at_buffers_);
  if (std::exchange(free_neighbors_found_, true)) return;
  build_over_free_fluid(buffer_free, free_fluid_.buffer_rows(), fluid_positions_);
}

/// Builds a list over the fluid outside buffers.
template <class T, int D>
void Flow<T, D>::build_over_free_fluid(neighbors::NeighborList& list, const particles::CellIndex& targets,
                                       const neighbors::FixedPositions& target_positions) const {
  auto search = search_of(targets, target_positions, fluid_rows, fluid_positions_, constants_.length.skin);
  search.excluded = free_fluid_.in_buffer().data();
  list.build(search, execution_.instructions.c_str());
}

template <class T, int D>
void Flow<T, D>::make_schedule() {
  choose_all_blocks(wall_fluid.chunks().size(), schedule.walls);
  if (communicator_.is_alone() || execution_.all_pairs || lazy.computes_copies())
    schedule.make_all_fringe(fluid_fluid.chunks().size());
  else
    schedule.divide(layout(), fluid_rows, wall_rows, free_fluid_.cells_with_buffers());
}

#define EDDYLINE_FLOW_LISTS(T, D)                   \
  template void Flow<T, D>::find_neighbors();       \
  template void Flow<T, D>::expect_walls_to_rest(); \
  template bool Flow<T, D>::renew_lists();          \
  template void Flow<T, D>::find_free_neighbors();

EDDYLINE_FLOW_LISTS(float, 2)
EDDYLINE_FLOW_LISTS(float, 3)
EDDYLINE_FLOW_LISTS(double, 2)
EDDYLINE_FLOW_LISTS(double, 3)

#undef EDDYLINE_FLOW_LISTS

}  // namespace eddyline::sph
