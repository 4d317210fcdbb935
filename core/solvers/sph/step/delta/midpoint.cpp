// DeltaStep: the midpoint of a step, with cells and lists that hold.
#include "solvers/sph/step/delta/delta_step.hpp"

namespace eddyline::sph {

/// Writes rows at x + (v + a dt/2) dt/2, with cells and lists that hold there and at the end of the step. The state is
/// left alone until that is so, and for good if the last step was bad, which is found here: returns whether it was
/// good.
template <class T, int D>
bool DeltaStep<T, D>::reach_midpoint() {
  const double skin = k_safety * state_.constants.length.skin;
  control_point_.end_drift();
  if (domain_.bodies_change() || !prepare_midpoint(skin)) {
    rebuild(true);
    bool holds = prepare_midpoint(skin);
    if (!holds) rebuild(false), holds = prepare_midpoint(skin);
    for (const double first = state_.time_step; !holds; holds = prepare_midpoint(skin))
      if (!control_point_.shorten_time_step(skin, first)) break;
  }
  state_.control.path_since_rebuild += state_.step_displacement();
  if (state_.control.bad) return false;
  if (lists_.renew(path())) rates_are_pending();
  return true;
}

template <class T, int D>
void DeltaStep<T, D>::rebuild(bool by_expected_places) {
  overlap_.recall(midpoint());
  if (!device_ || !device_->rebuild(by_expected_places)) {
    hand_back();
    parts_.rebuild(by_expected_places, device_ == nullptr);
    if (device_) device_->forget(false);
  }
  contents_.invalidate();
}

/// Writes and exchanges rows of the midpoint, and passes the control point. Returns whether cells hold.
template <class T, int D>
bool DeltaStep<T, D>::prepare_midpoint(double skin) {
  const bool is_first = domain_.last_rebuild == state_.steps;
  const bool predicted = contents_.end_of_step == state_.steps && !is_first && !device_;
  const double start = state_.control.relative_drift;
  if (device_ && device_->upload_state()) contents_.invalidate();
  write_midpoint_rows();
  openings_.write_midpoint_rows(state_.time_step, damping > 0);
  if (moves_buffers_of_device()) device_->put_buffers_at_midpoint();
  if (moving_walls_.any())
    moving_walls_.write_midpoint_rows(motion_time(state_.time + state_.time_step), state_.time_step);
  if (moving_walls_.any() && device_) device_->move_walls_to_midpoint();
  if (device_ && !overlap_.has_sent_ahead()) device_->fetch_sent(device::RowKind::midpoint);
  overlap_.send_once(midpoint());
  device_ ? device_->gather_midpoint_rows() : overlap_.copy_within(midpoint());
  if (predicted) control_point_.predict(path());
  rates_are_pending();
  // Pairs are summed while rows travel, then while ranks come to the control point. That work is lost if cells or lists
  // do not hold after all.
  const bool sums_meanwhile = !device_ && !domain_.communicator().is_alone() && state_.control.will_hold(skin);
  const Meanwhile interior_rates{rates_, [this](Blocks some) { sum_rates(some); }};
  sums_meanwhile ? overlap_.receive(midpoint(), interior_rates) : overlap_.receive(midpoint());
  if (device_) device_->put_received(device::RowKind::midpoint);
  if (device_ && moving_walls_.any()) device_->put_received(device::RowKind::walls);
  if (device_)
    control_point_.begin(device_->measure_drift(is_first));
  else
    predicted ? control_point_.begin_drift(path()) : control_point_.begin(path(), is_first);
  if (sums_meanwhile) overlap_.until([this] { return control_point_.arrived(); }, interior_rates);
  if (sums_meanwhile && !control_point_.arrived()) sum_rates(Part::border);
  control_point_.end();
  state_.control.relative_drift_before = is_first ? state_.control.relative_drift : start;
  if (state_.control.bad) return true;
  if (!predicted) return cells_hold(skin, start);
  if (cells_hold(skin, start)) {
    ++predicted_steps_;
    return true;
  }
  control_point_.end_drift();  // the predicted drift was an upper bound
  return cells_hold(skin, start);
}

/// Writes rows for the midpoint of the step, unless the last step has written them ahead.
template <class T, int D>
void DeltaStep<T, D>::write_midpoint_rows() {
  if (contents_.midpoint_of == state_.time_step) return;
  overlap_.recall(midpoint());
  device_is_in_use() ? device_->write_midpoint_rows(state_.time_step) : update_.write_midpoint_rows(state_.time_step);
  contents_.midpoint_of = state_.time_step;
  domain_.timers.lap(Phase::integrate);
}

/// The way of rows to the end of the step, from its midpoint.
template <class T, int D>
StepPath<T> DeltaStep<T, D>::path() const {
  return {.rows = {&scratch_.midpoint_rows, D, state_.half_a_step()}, .end = state_.time + state_.time_step};
}

/// Tells whether cells hold. They do while particles have come nearer by less than the skin since they were sorted.
/// Pairs are summed at the midpoint of the step and at its end. At the midpoint particles have moved by the mean of the
/// two ends of the step; at its start they had come nearer by `start`, and a correction has followed since. In the
/// first step after a rebuild the midpoint is measured.
template <class T, int D>
bool DeltaStep<T, D>::cells_hold(double skin, double start) const {
  const bool is_first = domain_.last_rebuild == state_.steps;
  const double end = state_.control.relative_drift, farthest = state_.reach_of_lists() + skin;
  const bool in_middle = is_first || 0.5 * (start + end) + state_.control.latest.corrected <= skin;
  return end <= skin && in_middle && state_.control.max_displacement <= farthest && state_.openings_hold(farthest);
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
