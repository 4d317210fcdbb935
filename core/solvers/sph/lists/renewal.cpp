// Lists: what they predict of the motion of rows, and when they are renewed.
#include <algorithm>
#include <cmath>
#include <utility>

#include "neighbors/fields.hpp"
#include "solvers/sph/lists/lists.hpp"

namespace eddyline::sph {

/// Finds the reference velocities of rows, the present velocity plus shifting, and the places that they start from.
/// Shifting has moved particles at once at the end of the last step; the start of the path is the place before that.
/// Collective.
template <class T, int D>
void Lists<T, D>::find_reference_velocities() {
  const auto shifting = [this](std::size_t i, int d) {
    if (!state_.fluid.confined) return 0.0;
    return static_cast<double>(lower_half(Pack<T, 1>(state_.fluid.half_g[d][i])).v) / state_.constants.scale;
  };
  find_reference_velocities(
      domain_.fluid_rows, state_.fluid.x,
      [this](std::size_t i, int d) { return state_.fluid.v[d][i] * state_.constants.inverse_c0; }, shifting,
      domain_.fluid_halo, scratch_.list_places.fluid, reference_velocities_);
  if (!state_.walls_move) return;
  // Sides may have a velocity, but stay in place.
  const auto velocity = [this](std::size_t k, int d) {
    return state_.wall.owner[k] < 0 ? 0.0 : state_.wall.v[d][k] * state_.constants.inverse_c0;
  };
  const auto none = [](std::size_t, int) { return 0.0; };
  find_reference_velocities(domain_.wall_rows, state_.wall.x, velocity, none, domain_.wall_halo,
                            scratch_.list_places.walls, wall_reference_velocities_);
}

/// velocity(i, axis), shifting(i, axis): those of a particle, in units of the speed of sound.
template <class T, int D>
template <class Velocity, class Shifting>
void Lists<T, D>::find_reference_velocities(const particles::CellIndex& rows, const VectorArray<double, D>& x,
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
      positions.x[d][row] = state_.constants.fixed.wrapped(x[d][k] - w * state_.constants.c0 * state_.time_step);
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
void Lists<T, D>::expect_walls_to_rest() {
  for (int d = 0; d < D; ++d) {
    const auto& from = domain_.wall_positions().x[d];
    scratch_.list_places.walls.x[d].resize(from.size());
    std::copy(from.begin(), from.end(), scratch_.list_places.walls.x[d].begin());
    wall_reference_velocities_.x[d].assign(from.size(), 0);
  }
}

/// Predicts the motion of particles for the lists of a rebuild. Before the first step its length is unknown.
template <class T, int D>
void Lists<T, D>::predict() {
  const double usual = state_.world.method.cfl * state_.constants.length.smoothing_length / state_.constants.c0;
  drift_bound_.measure(reference_velocities_, state_.walls_move ? &wall_reference_velocities_ : nullptr);
  followed_ = state_.time;
  margin_.begin(
      drift_bound_.cells(), drift_bound_.active_runs(),
      [this](const neighbors::CellRun& run, float* speeds) { drift_bound_.find_relative_drift(run, speeds); },
      steps_of_cells_, state_.acoustic_distance(state_.time_step > 0 ? state_.time_step : usual));
}

/// Measures how far rows move in this step.
template <class T, int D>
bool Lists<T, D>::follow_rows(const StepPath<T>& path) {
  last_acoustic_distance_ = state_.acoustic_distance(path.end - std::exchange(followed_, path.end));
  const auto step = static_cast<float>(last_acoustic_distance_);
  if (state_.walls_move && !margin_.follow_walls(domain_.wall_displacement, domain_.wall_positions(),
                                                 wall_reference_velocities_, step, scratch_.list_places.walls))
    return false;
  return drift_bound_.advance(path.rows, reference_velocities_, step, scratch_.list_places.fluid,
                              state_.walls_move ? &margin_.walls_step() : nullptr);
}

/// Returns the requirements of this step on lists. Particles of buffers move along the normals of their openings only,
/// while their rows predict other motion: a pair may be off by twice that, now and when lists were renewed. With
/// several ranks some pairs are summed before it is known whether their lists hold; these lists are renewed a step
/// early, unless cells end there.
template <class T, int D>
typename ListMargin<T, D>::Need Lists<T, D>::need_of_step(const StepPath<T>& path) const {
  typename ListMargin<T, D>::Need need;
  need.step = last_acoustic_distance_;
  need.besides = 4.0 * static_cast<double>(state_.half_a_step()) * static_cast<double>(sideways_in_buffers(path.rows));
  need.in_middle = path.in_middle;
  need.next_step =
      !domain_.communicator().is_alone() && state_.control.will_hold(k_safety * state_.constants.length.skin);
  return need;
}

/// Upper bound of the speed of buffer particles across the normal of their opening, in units of the speed of sound.
template <class T, int D>
float Lists<T, D>::sideways_in_buffers(const neighbors::PredictedPath<T>& path) const {
  if (state_.openings.empty()) return 0;
  const int axis = state_.openings.common_axis();
  T most2 = 0;
  for (const std::int32_t r : free_fluid_.rows_in_buffer()) {
    T speed2 = 0;
    for (int d = 0; d < D; ++d) {
      const T v = path.rows->row(r).first[path.velocity + d];
      speed2 += d == axis ? T(0) : v * v;
    }
    most2 = std::max(most2, speed2);
  }
  return static_cast<float>(std::sqrt(most2));
}

#define EDDYLINE_SPH_RENEWAL(T, D)                            \
  template void Lists<T, D>::find_reference_velocities();     \
  template void Lists<T, D>::expect_walls_to_rest();          \
  template void Lists<T, D>::predict();                       \
  template bool Lists<T, D>::follow_rows(const StepPath<T>&); \
  template typename ListMargin<T, D>::Need Lists<T, D>::need_of_step(const StepPath<T>&) const;

EDDYLINE_SPH_RENEWAL(float, 2)
EDDYLINE_SPH_RENEWAL(float, 3)
EDDYLINE_SPH_RENEWAL(double, 2)
EDDYLINE_SPH_RENEWAL(double, 3)

#undef EDDYLINE_SPH_RENEWAL

}  // namespace eddyline::sph
