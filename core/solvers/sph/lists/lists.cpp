#include "solvers/sph/lists/lists.hpp"

#include <algorithm>
#include <utility>

namespace eddyline::sph {

namespace {

constexpr double k_first = 10;  // steps that the first cells are assumed to last

}  // namespace

template <class T, int D>
Lists<T, D>::Lists(State<T, D>& state, Scratch<T, D>& scratch, Domain<T, D>& domain)
    : state_(state),
      scratch_(scratch),
      domain_(domain),
      margin_(state.constants.length.interaction_radius / state.constants.fixed.quantum(),
              state.constants.length.skin / state.constants.fixed.quantum(), domain.execution().list_parts) {}

/// Builds the lists of a rebuild. Margins assume that cells last as long as the last ones.
template <class T, int D>
void Lists<T, D>::find() {
  if (domain_.rebuilds == 0)
    steps_of_cells_ = k_first;
  else if (state_.steps > domain_.last_rebuild)
    steps_of_cells_ = static_cast<double>(state_.steps - domain_.last_rebuild);
  drift_bound_.begin(domain_.layout(), domain_.fluid_rows, domain_.wall_rows);
  if (may_have_margins()) find_reference_velocities();
  if (has_margins())
    predict();
  else
    margin_.disable();
  if (!state_.openings.empty()) {
    find_free_fluid();
    find_node_neighbors();
  }
  build();
  end_find();
}

template <class T, int D>
void Lists<T, D>::find_without_lists() {
  if (!state_.openings.empty()) find_free_fluid();
  end_find();
}

template <class T, int D>
void Lists<T, D>::end_find() {
  find_near_walls();
  make_schedule();
  resize_results();
}

/// Tells whether lists of any rank may have their own margins. Copies that deferred exchange computes may stand
/// anywhere until they are renewed.
template <class T, int D>
bool Lists<T, D>::may_have_margins() const {
  return !domain_.lazy.is_on() && !domain_.execution().all_pairs && domain_.execution().list_parts != 1;
}

/// Tells whether lists of this rank have their own margins. Checking margins costs time in every cell that has
/// particles around it.
template <class T, int D>
bool Lists<T, D>::has_margins() const {
  std::int64_t surrounded = 0;
  for (const auto& run : drift_bound_.active_runs()) surrounded += run.end - run.begin;
  return may_have_margins() && (domain_.execution().list_parts > 1 || surrounded <= domain_.fluid_rows.computed());
}

template <class T, int D>
void Lists<T, D>::build() {
  for_each_list(
      [&](neighbors::NeighborList& list, const neighbors::Search& search) { list.build(search, instructions()); });
}

/// Calls visit(list, search) for lists between fluid and walls; places are those of the rebuild or of the last renewal.
template <class T, int D>
template <class Visit>
void Lists<T, D>::for_each_list(Visit&& visit) {
  const auto& fluid_places = margin_.is_used() ? scratch_.list_places.fluid : domain_.fluid_positions();
  const auto& wall_places =
      margin_.is_used() && state_.walls_move ? scratch_.list_places.walls : domain_.wall_positions();
  const auto search = [&](const auto& targets, const auto& target_places, const auto& sources,
                          const auto& source_places) {
    auto found = search_of(targets, target_places, sources, source_places, state_.constants.length.skin);
    found.margins_of = margin_.cells();
    found.cut_squared_of = margin_.cut_squared();
    const auto reference_velocities = [&](const auto& rows) {
      return &rows == &domain_.fluid_rows ? &reference_velocities_
             : state_.walls_move          ? &wall_reference_velocities_
                                          : nullptr;
    };
    found.prediction = {reference_velocities(targets), reference_velocities(sources), margin_.behind(),
                        margin_.ahead()};
    return found;
  };
  visit(fluid_fluid, search(domain_.fluid_rows, fluid_places, domain_.fluid_rows, fluid_places));
  visit(fluid_wall, search(domain_.fluid_rows, fluid_places, domain_.wall_rows, wall_places));
  visit(wall_fluid, search(domain_.wall_rows, wall_places, domain_.fluid_rows, fluid_places));
}

template <class T, int D>
neighbors::Search Lists<T, D>::search_of(const particles::CellIndex& targets,
                                         const neighbors::FixedPositions& target_positions,
                                         const particles::CellIndex& sources,
                                         const neighbors::FixedPositions& source_positions, double width) const {
  const double cut = (state_.constants.length.interaction_radius + width) / state_.constants.fixed.quantum();
  return {.dimensions = D,
          .cut_squared = static_cast<float>(cut * cut),
          .prediction = {},
          .layout = &domain_.layout(),
          .targets = &targets,
          .sources = &sources,
          .target_positions = &target_positions,
          .source_positions = &source_positions,
          .same = &targets == &sources,
          .all_pairs = domain_.execution().all_pairs};
}

template <class T, int D>
bool Lists<T, D>::renew(const StepPath<T>& path) {
  if (!margin_.is_used()) return false;
  if (!follow_rows(path)) {
    // A value is not finite, and the run is about to stop. Which particles it reaches must not depend on margins.
    margin_.disable();
    build();
    return true;
  }
  const auto relative_drift = [this](const neighbors::CellRun& run, float* by, float* beside) {
    drift_bound_.find_relative_drift(run, by);
    drift_bound_.find_midpoint_excess(run, beside);
  };
  const bool lacking = margin_.use_up(relative_drift, need_of_step(path));
  domain_.timers.lap(Phase::integrate);
  if (!margin_.any_due()) return false;
  const auto age = static_cast<double>(state_.steps - domain_.last_rebuild);
  margin_.renew(std::max(steps_of_cells_ - age, age));
  for_each_list([&](neighbors::NeighborList& list, const neighbors::Search& search) {
    const std::int64_t chunks = list.renew(search, instructions(), margin_.due());
    if (&list == &fluid_fluid)
      renewals += static_cast<double>(chunks) / static_cast<double>(std::max<std::size_t>(1, list.chunks().size()));
  });
  domain_.timers.lap(Phase::lists);
  return lacking;
}

/// Marks the fluid particles with walls in the cells around them. Only these can touch bodies; the marks hold longer
/// than lists.
template <class T, int D>
void Lists<T, D>::find_near_walls() {
  if (state_.world.bodies.empty()) return;
  domain_.layout().find_computed_around(domain_.wall_rows.cells, cells_around_);
  near_walls_.resize(static_cast<std::size_t>(domain_.fluid_rows.computed()));
  particles::for_each_occupied_cell(domain_.fluid_rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
    std::fill_n(near_walls_.data() + first, last - first, cells_around_.has(cell) ? 1 : 0);
  });
}

template <class T, int D>
void Lists<T, D>::find_node_neighbors() {
  build_over_free_fluid(node_fluid, domain_.node_rows, domain_.node_positions());
}

template <class T, int D>
void Lists<T, D>::find_free_fluid() {
  free_fluid_.find(domain_.fluid_rows, state_.openings.members(), domain_.fluid_halo);
  const auto& members = state_.openings.members();
  member_places.resize(members.size());
  for (std::size_t m = 0; m < members.size(); ++m) {
    const Vec3 place = domain_.sorted_place(static_cast<std::size_t>(members[m]));
    for (int d = 0; d < D; ++d) member_places[d][m] = place[d];
  }
  domain_.layout().find_computed_around(free_fluid_.cells_with_buffers(), cells_around_);
  find_chunks_with(cells_around_, domain_.wall_rows, walls_at_buffers_);
  for (auto& sums : scratch_.node_sums) sums.resize(chunks_of(domain_.node_rows) * neighbors::k_chunk);
  free_neighbors_found_ = false;
}

template <class T, int D>
void Lists<T, D>::find_free_neighbors() {
  if (state_.openings.empty()) return;
  wall_free.find(wall_fluid, free_fluid_.in_buffer(), walls_at_buffers_);
  if (std::exchange(free_neighbors_found_, true)) return;
  build_over_free_fluid(buffer_free, free_fluid_.buffer_rows(), domain_.fluid_positions());
}

/// Builds a list over the fluid outside buffers.
template <class T, int D>
void Lists<T, D>::build_over_free_fluid(neighbors::NeighborList& list, const particles::CellIndex& targets,
                                        const neighbors::FixedPositions& target_positions) const {
  auto search =
      search_of(targets, target_positions, domain_.fluid_rows, domain_.fluid_positions(), state_.constants.length.skin);
  search.excluded = free_fluid_.in_buffer().data();
  list.build(search, instructions());
}

template <class T, int D>
void Lists<T, D>::make_schedule() {
  choose_all_blocks(chunks_of(domain_.wall_rows), schedule.walls);
  if (domain_.communicator().is_alone() || domain_.execution().all_pairs || domain_.lazy.computes_copies())
    schedule.make_all_fringe(chunks_of(domain_.fluid_rows));
  else
    schedule.divide(domain_.layout(), domain_.fluid_rows, domain_.wall_rows, free_fluid_.cells_with_buffers());
}

/// Resizes the arrays that sweeps write.
template <class T, int D>
void Lists<T, D>::resize_results() {
  const std::size_t whole = chunks_of(domain_.fluid_rows) * neighbors::k_chunk;
  scratch_.begin_sums(whole);
  scratch_.wall_is_wet.resize(state_.wall.id.size());
  state_.fluid.reserve_sums(whole);
}

template <class T, int D>
std::size_t Lists<T, D>::bytes() const {
  const auto sum = [](const auto&... each) { return (std::size_t{0} + ... + each.bytes()); };
  std::size_t bytes = sum(fluid_fluid, fluid_wall, wall_fluid, buffer_free, wall_free, node_fluid, margin_,
                          drift_bound_, near_walls_, cells_around_, free_fluid_);
  for (int d = 0; d < D; ++d) bytes += sum(reference_velocities_.x[d], wall_reference_velocities_.x[d]);
  return bytes;
}

template class Lists<float, 2>;
template class Lists<float, 3>;
template class Lists<double, 2>;
template class Lists<double, 3>;

}  // namespace eddyline::sph
