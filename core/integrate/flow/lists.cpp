// Flow: neighbour lists, and how long they hold.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "integrate/flow.hpp"

namespace eddyline::integrate {

namespace {

constexpr double k_first = 10;  // steps that the first cells are taken to last

}  // namespace

/// Lists of a rebuild: where rows stood at it, and as far as pays while cells last as long as the last ones.
template <class T, int D>
void Flow<T, D>::find_neighbors() {
  margin_.begin(constants_.length.skin / parts_of_skin(), control.approach);
  last_list_ = steps;
  if (!openings.empty()) find_node_neighbors();
  find_near_walls();
  find_pairs(fluid_positions_, wall_positions_);
  resize_results();
}

/// Copies that lazy ranks compute may stand anywhere until they are brought up to date.
template <class T, int D>
int Flow<T, D>::parts_of_skin() const {
  if (lazy.is_on() || execution_.all_pairs) return 1;
  if (execution_.list_parts > 0) return execution_.list_parts;
  if (layout().cells() > fluid_rows.computed()) return 1;  // who asks whether lists hold looks at every cell
  const double expected = rebuilds == 0 ? k_first : static_cast<double>(steps - last_rebuild);
  return best_parts(D, constants_.length.skin / constants_.length.interaction_radius, expected);
}

/// Lists of fluid and walls that stand at these places.
template <class T, int D>
void Flow<T, D>::find_pairs(const neighbors::FixedPositions& fluid_places,
                            const neighbors::FixedPositions& wall_places) {
  const char* instructions = execution_.instructions.c_str();
  const double width = margin_.width();
  fluid_fluid.build(search_of(fluid_rows, fluid_places, fluid_rows, fluid_places, width), instructions);
  fluid_wall.build(search_of(fluid_rows, fluid_places, wall_rows, wall_places, width), instructions);
  wall_fluid.build(search_of(wall_rows, wall_places, fluid_rows, fluid_places, width), instructions);
  make_schedule();
}

template <class T, int D>
neighbors::Search Flow<T, D>::search_of(const particles::CellRows& targets,
                                        const neighbors::FixedPositions& target_positions,
                                        const particles::CellRows& sources,
                                        const neighbors::FixedPositions& source_positions, double width) const {
  const double cut = (constants_.length.interaction_radius + width) / constants_.fixed.quantum();
  return {.dimensions = D,
          .cut_squared = static_cast<float>(cut * cut),
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
  const double skin = constants_.length.skin, trusted = k_trust * margin_.width();
  if (margin_.width() == skin) return false;
  // Of classic, pairs are summed in the middle of the step only.
  const double start = fluid.classic ? 0.0 : margin_.approach() + 2 * control.latest.corrected;
  note_approach();
  timers.lap(Phase::integrate);
  if (margin_.approach() <= trusted && start + margin_.approach() <= 2 * trusted) return false;
  margin_.renew(*course_of_step().rows, fluid_rows.rows);
  if (walls_move_) margin_.renew_walls(walls, wall_rows.rows);
  find_pairs(margin_.fluid(), walls_move_ ? margin_.walls() : wall_positions_);
  note_approach();
  if (margin_.approach() > trusted) {  // within half a step: too fast for parts of the skin
    margin_.begin(skin, control.approach);
    find_pairs(fluid_positions_, wall_positions_);
  }
  ++renewals;
  last_list_ = steps;
  timers.lap(Phase::lists);
  return true;
}

template <class T, int D>
bool Flow<T, D>::margin_will_last() const {
  if (margin_.width() == constants_.length.skin) return true;
  // Renewals are in the middle of a step.
  const double age = static_cast<double>(steps - last_list_) - (margin_.renewed() ? 0.5 : 0.0);
  return age <= 0 || margin_.approach() * (age + 1) <= margin_.width() * age;
}

/// By how much particles will have come nearer since lists were built. Particles of buffers go on along the normals of
/// their openings only, where their rows have more to come.
template <class T, int D>
void Flow<T, D>::note_approach() {
  const bool renewed = margin_.renewed();
  const auto* walls_moved = walls_move_ ? &wall_displacement : nullptr;
  if (walls_moved != nullptr && renewed) walls_moved = margin_.since(wall_displacement, wall_positions_);
  neighbors::Course<T> course = course_of_step();
  course.to_come = half_a_step();  // of classic as well: who counts neighbours does so at the end
  drift_bound_.measure(layout(), fluid_rows, course, renewed ? margin_.fluid() : fluid_positions_, wall_rows,
                       walls_moved);
  const float touching = drift_bound_.touching(layout()) + course.to_come * sideways_in_buffers();
  margin_.note(static_cast<double>(touching) * constants_.fixed.quantum());
}

/// The highest speed of a buffer's particle across the normal of its opening, or more, in units of the speed of sound.
template <class T, int D>
float Flow<T, D>::sideways_in_buffers() const {
  const auto in_buffer = free_fluid_.in_buffer();
  if (openings.empty() || in_buffer.empty()) return 0;
  const int axis = openings.common_axis();
  T most2 = 0;
  for (std::int32_t r = 0; r < fluid_rows.rows; ++r) {
    if (in_buffer[static_cast<std::size_t>(r)] == 0) continue;
    T speed2 = 0;
    for (int d = 0; d < D; ++d) {
      const T v = moving.row(r)[D + d];
      speed2 += d == axis ? T(0) : v * v;
    }
    most2 = std::max(most2, speed2);
  }
  return static_cast<float>(std::sqrt(most2));
}

/// Bodies can touch only who has walls in the cells around, which hold longer than lists.
template <class T, int D>
void Flow<T, D>::find_near_walls() {
  if (world_.bodies.empty()) return;
  near_walls_.resize(static_cast<std::size_t>(fluid_rows.computed()));
  const std::int32_t depth = D == 3 ? 1 : 0;
  const auto& begin = wall_rows.begin;
  for (std::size_t i = 0; i < near_walls_.size(); ++i) {
    const std::int32_t cell = fluid_rows.cell[i];
    if (i > 0 && cell == fluid_rows.cell[i - 1]) {
      near_walls_[i] = near_walls_[i - 1];
      continue;
    }
    const auto& shape = layout().boxes()[static_cast<std::size_t>(layout().box_of(cell))].shape;
    bool near = false;
    for (std::int32_t dz = -depth; dz <= depth; ++dz)
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const auto run = static_cast<std::size_t>(cell + (dz * shape[1] + dy) * shape[0] - 1);
        near = near || begin[run] < begin[run + 3];
      }
    near_walls_[i] = near ? 1 : 0;
  }
}

template <class T, int D>
void Flow<T, D>::find_node_neighbors() {
  free_fluid_.find(fluid_positions_, fluid_rows, openings.members(), fluid_halo, D);
  node_fluid.build(search_of(node_rows, node_positions_, fluid_rows, free_fluid_.positions(), constants_.length.skin),
                   execution_.instructions.c_str());
  for (auto& sums : node_sums) sums.resize(node_fluid.chunks().size() * neighbors::k_chunk);
  free_neighbors_found_ = false;
}

template <class T, int D>
void Flow<T, D>::find_free_neighbors() {
  if (openings.empty() || free_neighbors_found_) return;
  free_neighbors_found_ = true;
  const char* instructions = execution_.instructions.c_str();
  const auto& free_positions = free_fluid_.positions();
  const double skin = constants_.length.skin;
  buffer_free.build(search_of(free_fluid_.buffer_rows(), fluid_positions_, fluid_rows, free_positions, skin),
                    instructions);
  wall_free.build(search_of(wall_rows, wall_positions_, fluid_rows, free_positions, skin), instructions);
  choose_all_blocks(wall_free.chunks().size(), schedule.free_walls);
}

template <class T, int D>
void Flow<T, D>::make_schedule() {
  choose_all_blocks(wall_fluid.chunks().size(), schedule.walls);
  if (communicator_.is_alone() || execution_.all_pairs || lazy.computes_copies())
    schedule.make_all_late(fluid_fluid.chunks().size());
  else
    schedule.divide(layout(), fluid_rows, fluid_wall.chunks(), free_fluid_.in_buffer());
}

#define EDDYLINE_FLOW_LISTS(T, D)                     \
  template void Flow<T, D>::find_neighbors();         \
  template bool Flow<T, D>::renew_lists();            \
  template bool Flow<T, D>::margin_will_last() const; \
  template void Flow<T, D>::find_free_neighbors();

EDDYLINE_FLOW_LISTS(float, 2)
EDDYLINE_FLOW_LISTS(float, 3)
EDDYLINE_FLOW_LISTS(double, 2)
EDDYLINE_FLOW_LISTS(double, 3)

#undef EDDYLINE_FLOW_LISTS

}  // namespace eddyline::integrate
