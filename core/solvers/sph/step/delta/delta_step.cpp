#include "solvers/sph/step/delta/delta_step.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "neighbors/fields.hpp"
#include "solvers/sph/step/delta/passes.hpp"

namespace eddyline::sph {

template <class T, int D>
void DeltaStep<T, D>::advance(bool loads) {
  const typename Domain<T, D>::Copies copies(domain_);
  begin_step();
  if (!reach_midpoint()) {  // control point; rebuilds while cells do not hold
    hand_back();
    return;
  }
  const bool forces_on_walls = loads || openings_.takes_forces();
  if (forces_on_walls) sum_viscous_loads(loads);

  overlap_.boundary_first(
      [&](Part part) {
        sum_rates(part);       // continuity, density diffusion, viscosity
        kick_and_drift(part);  // v += a dt/2, rho += dt drho/dt, x += dt v
      },
      {end_state()});
  carry_ghosts_to_end();
  forces_are_pending();
  const Meanwhile interior_forces{forces_, [this](Blocks some) { sum_forces(some); }};
  overlap_.receive(end_state(), interior_forces);
  put_received(device::RowKind::end);

  move_walls_to_end();
  extrapolate_to_walls();  // Adami: pressure and mirrored velocity
  overlap_.exchange(wall_state(), interior_forces);
  put_received(device::RowKind::walls);
  if (forces_on_walls) sum_pressure_loads();
  extrapolate_to_openings(state_.time + state_.time_step, state_.time_step);
  if (loads) openings_.react_pressure();

  state_.time += state_.time_step;
  begin_kick_and_shift();
  overlap_.boundary_first(
      [&](Part part) {
        sum_forces(part);                        // pressure, shifting, volume fraction, free surface
        kick_and_shift(part, state_.time_step);  // a, v += a dt/2, shifting, density relaxation, contact, extremes
      },
      {.cargo = midpoint(), .ahead = true});
  end_step();
}

template <class T, int D>
DeltaStep<T, D>::DeltaStep(Parts<T, D>& parts)
    : parts_(parts),
      state_(parts.state),
      scratch_(parts.scratch),
      domain_(parts.domain),
      lists_(parts.lists),
      contact_(parts.state.world),
      moving_walls_(parts),
      openings_(parts),
      friction_(parts.state.world),
      forcing_(parts.state.world),
      sums_(parts, moving_walls_, forcing_),
      update_(parts, contact_, friction_, forcing_),
      control_point_(parts),
      overlap_(parts) {
  if (parts.domain.execution().device != "cpu")
    device_ = std::make_unique<OnDevice<T, D>>(parts, update_, contact_, friction_, forcing_, moving_walls_);
  if (!device_) return;
  openings_.sum_elsewhere(
      [this](const physics::delta::SweepInput<T>& in, T* const* value) {
        if (device_is_in_use()) device_->sum_nodes(in, value);
        return device_is_in_use();
      },
      [this](bool viscous, T* const* force) {
        if (device_is_in_use()) device_->sum_buffer_reactions(viscous, force);
        return device_is_in_use();
      });
}

template <class T, int D>
void DeltaStep<T, D>::end() {
  overlap_.recall(midpoint());
}

template <class T, int D>
DeltaStep<T, D>::~DeltaStep() {
  try {
    end();
  } catch (const std::exception&) {  // NOLINT: another rank has ended; the ranks that waited for it have reported it
  }
}

template <class T, int D>
void DeltaStep<T, D>::world_changed() {
  contact_ = Contact(state_.world);
  friction_ = domain::WallFriction(state_.world);
  forcing_ = ExternalForcing<D>(state_.world);
  sums_.world_changed();
  update_.world_changed();
  moving_walls_.world_changed();
  if (device_) device_->forget();
}

template <class T, int D>
void DeltaStep<T, D>::count(solver::Counters& counters) const {
  if (device_) device_->count(counters);
}

template <class T, int D>
double DeltaStep<T, D>::choose_time_step() const {
  const auto& c = state_.constants;
  const auto& method = state_.world.method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / (c.c0 + state_.control.speed);
  if (c.nu_fluid > 0) dt = std::min(dt, method.viscous_cfl * h * h / c.nu_fluid);
  return dt;
}

template <class T, int D>
void DeltaStep<T, D>::begin_step() {
  domain_.timers.start();
  contents_.state = false;
  if (domain_.begin_step()) contents_.invalidate();
  state_.time_step = choose_time_step();
}

template <class T, int D>
void DeltaStep<T, D>::end_step() {
  if (moves_buffers_of_device()) device_->fetch_buffers();
  openings_.hold();
  if (moves_buffers_of_device()) device_->put_held_buffers();
  ++state_.steps;
  if (!domain_.communicator().is_alone() && !domain_.lazy.is_on()) contents_.end_of_step = state_.steps;
}

template <class T, int D>
void DeltaStep<T, D>::write_state_rows() {
  if (device_) device_->find_host_lists();
  if (contents_.state) return;
  domain_.timers.start();
  const typename Domain<T, D>::Copies copies(domain_);
  update_.write_state(domain_.lazy.passes());
  if (scratch_.rows_share_memory()) contents_.midpoint_of = RowContents::k_none;
  contents_.state = true;
  contents_.end_of_step = -1;
  domain_.timers.lap(Phase::observe);
  overlap_.copy_within(whole_end_state());
}

template <class T, int D>
void DeltaStep<T, D>::rates_are_pending() {
  rates_ = {lists_.schedule.fringe_rates, lists_.schedule.interior_rates};
  scratch_.delta.begin(DeltaResults<T, D>::Sums::rates);
}

template <class T, int D>
void DeltaStep<T, D>::forces_are_pending() {
  forces_ = {lists_.schedule.fringe_forces, lists_.schedule.interior_forces};
  scratch_.delta.begin(DeltaResults<T, D>::Sums::forces);
}

template <class T, int D>
void DeltaStep<T, D>::sum_rates(Part part) {
  const Blocks blocks = rates_.take(part);
  if (!device_is_in_use()) sums_.sum_rates(blocks);
  if (sums_on_device(part)) device_->sum_rates(sums_);
  domain_.timers.lap(overlap_.phase_of(part, Phase::rates));
}

template <class T, int D>
void DeltaStep<T, D>::sum_rates(Blocks some) {
  if (!device_is_in_use()) sums_.sum_rates(some);
  domain_.timers.lap(Phase::rates);
}

template <class T, int D>
void DeltaStep<T, D>::sum_forces(Part part) {
  const Blocks blocks = forces_.take(part);
  if (!device_is_in_use()) sums_.sum_forces(blocks);
  if (sums_on_device(part)) device_->sum_forces();
  domain_.timers.lap(overlap_.phase_of(part, Phase::forces));
}

template <class T, int D>
void DeltaStep<T, D>::sum_forces(Blocks some) {
  if (!device_is_in_use()) sums_.sum_forces(some);
  domain_.timers.lap(Phase::forces);
}

template <class T, int D>
void DeltaStep<T, D>::kick_and_drift(Part part) {
  const auto blocks = lists_.schedule.rates_of(part);
  if (sums_on_device(part)) {
    device_->kick_and_drift();
    device_->fetch_sent(device::RowKind::end);
  }
  if (!device_is_in_use() && !blocks.empty()) {
    openings_.discard_rates();
    update_.kick_and_drift(blocks);
    openings_.align_particle_columns();
  }
  domain_.timers.lap(Phase::integrate);
}

/// Ghosts of other ranks move like their owners; pressure and volume are on their way.
template <class T, int D>
void DeltaStep<T, D>::carry_ghosts_to_end() {
  update_.write_end_ghosts();
}

template <class T, int D>
void DeltaStep<T, D>::move_walls_to_end() {
  if (moving_walls_.any()) moving_walls_.move_to_end();
  if (moving_walls_.any() && device_) device_->move_walls_to_end();
  if (forcing_.walls_change_speed()) forcing_.set_wall_velocities(state_.wall, state_.time + state_.time_step);
}

template <class T, int D>
void DeltaStep<T, D>::extrapolate_to_walls() {
  device_is_in_use() ? device_->extrapolate_to_walls() : sums_.extrapolate_to_walls(state_.time + state_.time_step);
  if (device_is_in_use()) device_->fetch_sent(device::RowKind::walls);
  domain_.timers.lap(Phase::walls);
}

template <class T, int D>
void DeltaStep<T, D>::extrapolate_to_openings(double t, double dt) {
  if (state_.openings.empty()) return;
  if (moves_buffers_of_device()) device_->fetch_buffers();
  openings_.extrapolate(t, dt, damping > 0);
  if (moves_buffers_of_device()) device_->put_buffers_at_end();
  domain_.timers.lap(Phase::walls);
  overlap_.exchange(whole_end_state());
  put_received(device::RowKind::end);
}

template <class T, int D>
void DeltaStep<T, D>::begin_kick_and_shift() {
  contact_.move_bodies(motion_time(state_.time));
  if (friction_.acts()) friction_.move(motion_time(state_.time));
  openings_.set_allowed_depths(contact_);
  contents_.midpoint_of = choose_time_step();
  state_.control.latest = {};
}

/// Also writes the rows of the next midpoint.
template <class T, int D>
void DeltaStep<T, D>::kick_and_shift(Part part, double dt) {
  const auto blocks = lists_.schedule.rates_of(part);
  if (sums_on_device(part)) {
    device_->kick_and_shift(dt, damping, contents_.midpoint_of);
    if (state_.openings.empty()) device_->fetch_sent(device::RowKind::midpoint);  // they are sent ahead
  }
  if (!device_is_in_use() && !blocks.empty()) {
    openings_.discard_forces();
    update_.kick_and_shift(blocks, dt, damping, contents_.midpoint_of);
  }
  domain_.timers.lap(Phase::integrate);
}

template <class T, int D>
void DeltaStep<T, D>::sum_viscous_loads(bool of_openings) {
  device_ ? device_->react_viscous() : sums_.sum_viscous_reactions();
  domain_.timers.lap(Phase::observe);
  if (of_openings) openings_.react_viscous();
}

template <class T, int D>
void DeltaStep<T, D>::sum_pressure_loads() {
  device_ ? device_->react_pressure() : sums_.sum_pressure_reactions();
  domain_.timers.lap(Phase::observe);
}

template <class T, int D>
void DeltaStep<T, D>::start() {
  if (device_) device_->forget();
  control_point_.end_drift();
  overlap_.recall(midpoint());
  domain_.write_wall_rows();
  forcing_.set_wall_velocities(state_.wall, state_.time);
  moving_walls_.start(motion_time(state_.time));
  domain_.timers.start();
  state_.time_step = 0;
  parts_.rebuild(false);
  const typename Domain<T, D>::Copies copies(domain_);
  update_.write_state(k_rates);
  overlap_.exchange(whole_end_state());
  extrapolate_to_walls();
  overlap_.exchange(whole_wall_state());
  extrapolate_to_openings(state_.time, 0);
  write_midpoint_rows();
  openings_.write_midpoint_rows(0, damping > 0);
  overlap_.exchange(midpoint());
  rates_are_pending();
  for (const Part part : {Part::interior, Part::border}) sum_rates(part);
  openings_.discard_rates();
  update_.write_state(k_rates);
  overlap_.exchange(whole_end_state());
  forces_are_pending();
  for (const Part part : {Part::interior, Part::border}) sum_forces(part);
  begin_kick_and_shift();
  for (const Part part : {Part::interior, Part::border}) kick_and_shift(part, 0);
  openings_.hold();
  if (state_.fluid.confined && state_.openings.empty())
    state_.volume_fraction_offset = std::min(0.0, update_.mean_excess_volume_fraction());
  control_point_.agree();
  state_.control.speed = state_.control.latest.speed;
  contents_.invalidate();
  if (device_) device_->upload_state();  // too little memory is found before the first step
}

template class DeltaStep<float, 2>;
template class DeltaStep<float, 3>;
template class DeltaStep<double, 2>;
template class DeltaStep<double, 3>;

}  // namespace eddyline::sph
