#include "solvers/sph/step/control_point.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace eddyline::sph {

template <class T, int D>
void ControlPoint<T, D>::agree() {
  domain_.timers.lap(Phase::integrate);
  agreement_.begin(domain_.communicator(), state_.control, {});
  agreement_.end(domain_.communicator(), state_.control, "control point after steps");
  end_drift();
  domain_.end_count();
  domain_.timers.lap(Phase::wait);
}

template <class T, int D>
void ControlPoint<T, D>::begin(const StepPath<T>& step, bool and_middle) {
  const auto measure = [&](const neighbors::PredictedPath<T>& path, float share_of_walls) {
    lists_.drift_bound().measure(path, domain_.fluid_positions(), domain_.walls_moved(), share_of_walls);
    return lists_.drift_bound().largest();
  };
  const neighbors::PredictedPath<T> path = step.rows;
  neighbors::Drift own = measure(path, 1);
  if (and_middle) {
    const neighbors::Drift middle = measure({path.rows, path.velocity, 0}, 0.5F);
    own = {std::max(own.relative_drift, middle.relative_drift),
           std::max(own.max_displacement, middle.max_displacement)};
  }
  begin(own);
}

template <class T, int D>
void ControlPoint<T, D>::begin(const neighbors::Drift& own) {
  agreement_.begin(domain_.communicator(), state_.control, {own.relative_drift, own.max_displacement, 0.0});
  domain_.timers.lap(Phase::integrate);
}

template <class T, int D>
void ControlPoint<T, D>::predict(const StepPath<T>& step) {
  const neighbors::PredictedPath<T> path = step.rows, expected{&end_rows_, D + 2, 2 * path.remaining};
  lists_.drift_bound().measure(path, domain_.fluid_positions(), domain_.walls_moved());
  lists_.drift_bound().measure_foreign(expected, domain_.fluid_positions(), domain_.walls_moved());
  const neighbors::Drift own = lists_.drift_bound().largest();
  agreement_.begin(domain_.communicator(), state_.control,
                   {own.relative_drift, own.max_displacement, prediction_error(step, expected)});
  domain_.timers.lap(Phase::integrate);
}

template <class T, int D>
void ControlPoint<T, D>::end() {
  const auto all = agreement_.end(domain_.communicator(), state_.control, "control point of a step");
  domain_.end_count();
  domain_.timers.lap(Phase::wait);
  state_.control.speed = state_.control.latest.speed;
  // A ghost may be off by all[2] along each axis. Cells that touch approach by the length of their relative
  // displacement, one of them own: at most sqrt(D) all[2] more. Of cells with one between them, both may be ghosts: one
  // axis, twice.
  set_drift(all[0] + 2 * all[2], all[1]);
}

template <class T, int D>
bool ControlPoint<T, D>::shorten_time_step(double skin, double first) {
  constexpr double k_shortest = 1e-9;  // of the first step: the right step for the speeds is a tenth of it, or more
  state_.time_step *= std::min(0.9, skin / state_.control.relative_drift);
  const bool can_hold = state_.time_step > k_shortest * first && std::isnormal(state_.time_step);
  if (!can_hold) state_.control.bad = true;
  return can_hold;
}

template <class T, int D>
void ControlPoint<T, D>::begin_drift(const StepPath<T>& step) {
  lists_.drift_bound().measure_foreign(step.rows, domain_.fluid_positions(), domain_.walls_moved());
  const neighbors::Drift own = lists_.drift_bound().largest();
  drift_ = {own.relative_drift, own.max_displacement};
  drifting_.begin_maximum(drift_);
  is_drifting_ = true;
  domain_.timers.lap(Phase::integrate);
}

template <class T, int D>
void ControlPoint<T, D>::end_drift() {
  if (!std::exchange(is_drifting_, false)) return;
  drifting_.wait("control point of a step");
  assert(drift_[0] * state_.constants.fixed.quantum() <= state_.control.relative_drift);
  assert(drift_[1] * state_.constants.fixed.quantum() <= state_.control.max_displacement);
  set_drift(drift_[0], drift_[1]);
  domain_.timers.lap(Phase::wait);
}

template <class T, int D>
void ControlPoint<T, D>::set_drift(double relative_drift, double max_displacement) {
  state_.control.relative_drift = relative_drift * state_.constants.fixed.quantum();
  state_.control.max_displacement = max_displacement * state_.constants.fixed.quantum();
}

/// Largest difference, along any axis, between the rows that other ranks receive and their predicted path [quanta].
template <class T, int D>
double ControlPoint<T, D>::prediction_error(const StepPath<T>& step,
                                            const neighbors::PredictedPath<T>& expected) const {
  constexpr float k_rounding = 16;  // of displacements, which are below 2^26 quanta
  const neighbors::PredictedPath<T> path = step.rows;
  float most = 0;
  domain_.fluid_halo.for_each_sent([&](std::int32_t first, std::int32_t count) {
    for (std::int32_t r = first; r < first + count; ++r)
      for (int d = 0; d < D; ++d) {
        const std::int32_t from = domain_.fluid_positions().x[d][static_cast<std::size_t>(r)];
        const auto way = [&](const auto& along) { return along.of_row(r, d).displacement(0, from); };
        most = std::max(most, std::abs(way(path) - way(expected)));
      }
  });
  return static_cast<double>(most + k_rounding);
}

template class ControlPoint<float, 2>;
template class ControlPoint<float, 3>;
template class ControlPoint<double, 2>;
template class ControlPoint<double, 3>;

}  // namespace eddyline::sph
