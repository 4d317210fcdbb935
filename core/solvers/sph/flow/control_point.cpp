// Flow: the decisions that all ranks take together in each step.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

template <class T, int D>
void Flow<T, D>::agree() {
  timers.lap(Phase::integrate);
  agreement_.begin(communicator_, control, {});
  agreement_.end(communicator_, control, "control point after steps");
  end_drift();
  end_count();
  timers.lap(Phase::wait);
}

template <class T, int D>
void Flow<T, D>::begin_control_point(bool and_middle) {
  const auto measure = [&](const neighbors::PredictedPath<T>& path, float share_of_walls) {
    drift_bound_.measure(path, fluid_positions_, walls_moved(), share_of_walls);
    return drift_bound_.largest();
  };
  const neighbors::PredictedPath<T> path = predicted_path();
  neighbors::Drift own = measure(path, 1);
  if (and_middle) {
    const neighbors::Drift middle = measure({path.rows, path.velocity, 0}, 0.5F);
    own = {std::max(own.relative_drift, middle.relative_drift),
           std::max(own.max_displacement, middle.max_displacement)};
  }
  begin_control_point(own);
}

template <class T, int D>
void Flow<T, D>::begin_control_point(const neighbors::Drift& own) {
  agreement_.begin(communicator_, control, {own.relative_drift, own.max_displacement, 0.0});
  timers.lap(Phase::integrate);
}

template <class T, int D>
void Flow<T, D>::predict_control_point() {
  const neighbors::PredictedPath<T> path = predicted_path(), expected{&end_rows, D + 2, 2 * path.remaining};
  drift_bound_.measure(path, fluid_positions_, walls_moved());
  drift_bound_.measure_foreign(expected, fluid_positions_, walls_moved());
  const neighbors::Drift own = drift_bound_.largest();
  agreement_.begin(communicator_, control, {own.relative_drift, own.max_displacement, prediction_error(expected)});
  timers.lap(Phase::integrate);
}

template <class T, int D>
void Flow<T, D>::end_control_point() {
  const auto all = agreement_.end(communicator_, control, "control point of a step");
  end_count();
  timers.lap(Phase::wait);
  control.speed = control.latest.speed;
  // A ghost may be off by all[2] along each axis. Cells that touch approach by the length of their relative
  // displacement, one of them own: at most sqrt(D) all[2] more. Of cells with one between them, both may be ghosts: one
  // axis, twice.
  set_drift(all[0] + 2 * all[2], all[1]);
}

template <class T, int D>
bool Flow<T, D>::shorten_time_step(double skin, double first) {
  constexpr double k_shortest = 1e-9;  // of the first step: the right step for the speeds is a tenth of it, or more
  time_step *= std::min(0.9, skin / control.relative_drift);
  const bool can_hold = time_step > k_shortest * first && std::isnormal(time_step);
  if (!can_hold) control.bad = true;
  return can_hold;
}

template <class T, int D>
void Flow<T, D>::begin_drift() {
  drift_bound_.measure_foreign(predicted_path(), fluid_positions_, walls_moved());
  const neighbors::Drift own = drift_bound_.largest();
  drift_ = {own.relative_drift, own.max_displacement};
  drifting_.begin_maximum(drift_);
  is_drifting_ = true;
  timers.lap(Phase::integrate);
}

template <class T, int D>
void Flow<T, D>::end_drift() {
  if (!std::exchange(is_drifting_, false)) return;
  drifting_.wait("control point of a step");
  assert(drift_[0] * constants_.fixed.quantum() <= control.relative_drift);
  assert(drift_[1] * constants_.fixed.quantum() <= control.max_displacement);
  set_drift(drift_[0], drift_[1]);
  timers.lap(Phase::wait);
}

template <class T, int D>
void Flow<T, D>::set_drift(double relative_drift, double max_displacement) {
  control.relative_drift = relative_drift * constants_.fixed.quantum();
  control.max_displacement = max_displacement * constants_.fixed.quantum();
}

/// The scheme classic sums pairs at the midpoint only.
template <class T, int D>
neighbors::PredictedPath<T> Flow<T, D>::predicted_path() const {
  if (fluid.classic) return {&end_rows, D, 0.0F};
  return {&midpoint_rows, D, half_a_step()};
}

/// Largest difference, along any axis, between the rows that other ranks receive and their predicted path [quanta].
template <class T, int D>
double Flow<T, D>::prediction_error(const neighbors::PredictedPath<T>& expected) const {
  constexpr float k_rounding = 16;  // of displacements, which are below 2^26 quanta
  const neighbors::PredictedPath<T> path = predicted_path();
  float most = 0;
  fluid_halo.for_each_sent([&](std::int32_t first, std::int32_t count) {
    for (std::int32_t r = first; r < first + count; ++r)
      for (int d = 0; d < D; ++d) {
        const std::int32_t from = fluid_positions_.x[d][static_cast<std::size_t>(r)];
        const auto way = [&](const auto& along) { return along.of_row(r, d).displacement(0, from); };
        most = std::max(most, std::abs(way(path) - way(expected)));
      }
  });
  return static_cast<double>(most + k_rounding);
}

#define EDDYLINE_FLOW_CONTROL_POINT(T, D)                                 \
  template void Flow<T, D>::agree();                                      \
  template void Flow<T, D>::begin_control_point(bool);                    \
  template void Flow<T, D>::begin_control_point(const neighbors::Drift&); \
  template void Flow<T, D>::predict_control_point();                      \
  template void Flow<T, D>::end_control_point();                          \
  template bool Flow<T, D>::shorten_time_step(double, double);            \
  template void Flow<T, D>::begin_drift();                                \
  template void Flow<T, D>::end_drift();                                  \
  template neighbors::PredictedPath<T> Flow<T, D>::predicted_path() const;

EDDYLINE_FLOW_CONTROL_POINT(float, 2)
EDDYLINE_FLOW_CONTROL_POINT(float, 3)
EDDYLINE_FLOW_CONTROL_POINT(double, 2)
EDDYLINE_FLOW_CONTROL_POINT(double, 3)

#undef EDDYLINE_FLOW_CONTROL_POINT

}  // namespace eddyline::sph
