// DeltaStep: the midpoint of a step, with cells and lists that hold.
#include "solvers/sph/step/delta/delta_step.hpp"

namespace eddyline::sph {

/// Writes rows at x + (v + a dt/2) dt/2, with cells and lists that hold there and at the end of the step. The state is
/// left alone until that is so, and for good if the last step was bad, which is found here: returns whether it was
/// good.
template <class T, int D>
bool DeltaStep<T, D>::reach_midpoint() {
  const double skin = k_safety * flow_.constants().length.skin;
  flow_.end_drift();
  if (flow_.bodies_change() || !prepare_midpoint(skin)) {
    rebuild(true);
    bool holds = prepare_midpoint(skin);
    if (!holds) rebuild(false), holds = prepare_midpoint(skin);
    for (const double first = flow_.time_step; !holds; holds = prepare_midpoint(skin))
      if (!flow_.shorten_time_step(skin, first)) break;
  }
  flow_.control.path_since_rebuild += step_displacement();
  if (flow_.control.bad) return false;
  if (flow_.renew_lists()) rates_are_pending();
  return true;
}

template <class T, int D>
void DeltaStep<T, D>::rebuild(bool by_expected_places) {
  overlap_.recall(midpoint());
  flow_.rebuild(by_expected_places);
  contents_.invalidate();
}

/// Writes and exchanges rows of the midpoint, and passes the control point. Returns whether cells hold.
template <class T, int D>
bool DeltaStep<T, D>::prepare_midpoint(double skin) {
  const bool is_first = flow_.last_rebuild == flow_.steps;
  const bool predicted = contents_.end_of_step == flow_.steps && !is_first;
  const double start = flow_.control.relative_drift;
  write_midpoint_rows();
  openings_.write_midpoint_rows(flow_.time_step, damping > 0);
  if (moving_walls_.any())
    moving_walls_.write_midpoint_rows(motion_time(flow_.time + flow_.time_step), flow_.time_step);
  overlap_.send_once(midpoint());
  overlap_.copy_within(midpoint());
  if (predicted) flow_.predict_control_point();
  rates_are_pending();
  // Pairs are summed while rows travel, then while ranks come to the control point. That work is lost if cells or lists
  // do not hold after all.
  const bool sums_meanwhile = !flow_.communicator().is_alone() && flow_.control.will_hold(skin);
  const Meanwhile interior_rates{rates_, [this](Blocks some) { sum_rates(some); }};
  sums_meanwhile ? overlap_.receive(midpoint(), interior_rates) : overlap_.receive(midpoint());
  predicted ? flow_.begin_drift() : flow_.begin_control_point(is_first);
  if (sums_meanwhile) overlap_.until([this] { return flow_.control_point_arrived(); }, interior_rates);
  if (sums_meanwhile && !flow_.control_point_arrived()) sum_rates(Part::border);
  flow_.end_control_point();
  flow_.control.relative_drift_before = is_first ? flow_.control.relative_drift : start;
  if (flow_.control.bad) return true;
  if (!predicted) return cells_hold(skin, start);
  if (cells_hold(skin, start)) {
    ++flow_.predicted_steps;
    return true;
  }
  flow_.end_drift();  // the predicted drift was an upper bound
  return cells_hold(skin, start);
}

/// Writes rows for the midpoint of the step, unless the last step has written them ahead.
template <class T, int D>
void DeltaStep<T, D>::write_midpoint_rows() {
  if (contents_.midpoint_of == flow_.time_step) return;
  overlap_.recall(midpoint());
  update_.write_midpoint_rows(flow_.time_step);
  contents_.midpoint_of = flow_.time_step;
  flow_.timers.lap(Phase::integrate);
}

/// Tells whether cells hold. They do while particles have come nearer by less than the skin since they were sorted.
/// Pairs are summed at the midpoint of the step and at its end. At the midpoint particles have moved by the mean of the
/// two ends of the step; at its start they had come nearer by `start`, and a correction has followed since. In the
/// first step after a rebuild the midpoint is measured. Particles enter and leave openings at rebuilds only, and until
/// then must not have moved farther than buffers are made for.
template <class T, int D>
bool DeltaStep<T, D>::cells_hold(double skin, double start) const {
  const bool is_first = flow_.last_rebuild == flow_.steps;
  const double end = flow_.control.relative_drift, farthest = flow_.reach_of_lists() + skin;
  const bool in_middle = is_first || 0.5 * (start + end) + flow_.control.latest.corrected <= skin;
  const bool at_openings = flow_.openings.empty() || flow_.control.path_since_rebuild + step_displacement() <= farthest;
  return end <= skin && in_middle && flow_.control.max_displacement <= farthest && at_openings;
}

/// Estimates the largest displacement of a particle in this step: by the largest speed, plus the last correction.
template <class T, int D>
double DeltaStep<T, D>::step_displacement() const {
  constexpr double k_faster = 1.05;  // than before the step
  return k_faster * flow_.control.speed * flow_.time_step + flow_.control.latest.corrected;
}

#define EDDYLINE_SPH_MIDPOINT(T, D)                             \
  template bool DeltaStep<T, D>::reach_midpoint();              \
  template bool DeltaStep<T, D>::prepare_midpoint(double skin); \
  template void DeltaStep<T, D>::write_midpoint_rows();

EDDYLINE_SPH_MIDPOINT(float, 2)
EDDYLINE_SPH_MIDPOINT(float, 3)
EDDYLINE_SPH_MIDPOINT(double, 2)
EDDYLINE_SPH_MIDPOINT(double, 3)

#undef EDDYLINE_SPH_MIDPOINT

}  // namespace eddyline::sph
