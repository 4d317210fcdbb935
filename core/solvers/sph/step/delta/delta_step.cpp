#include "solvers/sph/step/delta/delta_step.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "neighbors/fields.hpp"
#include "solvers/sph/step/delta/passes.hpp"

namespace eddyline::sph {

template <class T, int D>
void DeltaStep<T, D>::advance(bool loads) {
  const typename Flow<T, D>::Copies copies(flow_);
  begin_step();
  if (!reach_midpoint()) return;  // control point; rebuilds while cells do not hold
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

  move_walls_to_end();
  extrapolate_to_walls();  // Adami: pressure and mirrored velocity
  overlap_.exchange(wall_state(), interior_forces);
  if (forces_on_walls) sum_pressure_loads();
  extrapolate_to_openings(flow_.time + flow_.time_step, flow_.time_step);
  if (loads) openings_.react_pressure();

  flow_.time += flow_.time_step;
  begin_kick_and_shift();
  overlap_.boundary_first(
      [&](Part part) {
        sum_forces(part);                       // pressure, shifting, volume fraction, free surface
        kick_and_shift(part, flow_.time_step);  // a, v += a dt/2, shifting, density relaxation, contact, extremes
      },
      {.cargo = midpoint(), .ahead = true});
  end_step();
}

template <class T, int D>
DeltaStep<T, D>::DeltaStep(Flow<T, D>& flow)
    : flow_(flow),
      contact_(flow.world()),
      moving_walls_(flow),
      openings_(flow),
      forcing_(flow.world()),
      sums_(flow, moving_walls_, forcing_),
      update_(flow, contact_, forcing_),
      overlap_(flow) {}

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
  contact_ = Contact(flow_.world());
  forcing_ = ExternalForcing<D>(flow_.world());
  sums_.world_changed();
  moving_walls_.world_changed();
}

template <class T, int D>
double DeltaStep<T, D>::choose_time_step() const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / (c.c0 + flow_.control.speed);
  if (c.nu_fluid > 0) dt = std::min(dt, method.viscous_cfl * h * h / c.nu_fluid);
  return dt;
}

template <class T, int D>
void DeltaStep<T, D>::begin_step() {
  flow_.timers.start();
  contents_.state = false;
  if (flow_.begin_step()) contents_.invalidate();
  flow_.time_step = choose_time_step();
}

template <class T, int D>
void DeltaStep<T, D>::end_step() {
  openings_.hold();
  ++flow_.steps;
  if (!flow_.communicator().is_alone() && !flow_.lazy.is_on()) contents_.end_of_step = flow_.steps;
}

template <class T, int D>
void DeltaStep<T, D>::write_state_rows() {
  if (contents_.state) return;
  flow_.timers.start();
  const typename Flow<T, D>::Copies copies(flow_);
  update_.write_state(flow_.lazy.passes());
  if (flow_.rows_share_memory()) contents_.midpoint_of = RowContents::k_none;
  contents_.state = true;
  contents_.end_of_step = -1;
  flow_.timers.lap(Phase::observe);
  overlap_.copy_within(whole_end_state());
}

template <class T, int D>
void DeltaStep<T, D>::rates_are_pending() {
  rates_ = {flow_.schedule.fringe_rates, flow_.schedule.interior_rates};
}

template <class T, int D>
void DeltaStep<T, D>::forces_are_pending() {
  forces_ = {flow_.schedule.fringe_forces, flow_.schedule.interior_forces};
}

template <class T, int D>
void DeltaStep<T, D>::sum_rates(Part part) {
  sums_.sum_rates(rates_.take(part));
  flow_.timers.lap(overlap_.phase_of(part, Phase::rates));
}

template <class T, int D>
void DeltaStep<T, D>::sum_rates(Blocks some) {
  sums_.sum_rates(some);
  flow_.timers.lap(Phase::rates);
}

template <class T, int D>
void DeltaStep<T, D>::sum_forces(Part part) {
  sums_.sum_forces(forces_.take(part));
  flow_.timers.lap(overlap_.phase_of(part, Phase::forces));
}

template <class T, int D>
void DeltaStep<T, D>::sum_forces(Blocks some) {
  sums_.sum_forces(some);
  flow_.timers.lap(Phase::forces);
}

template <class T, int D>
void DeltaStep<T, D>::kick_and_drift(Part part) {
  const auto blocks = flow_.schedule.rates_of(part);
  if (blocks.empty()) return;
  openings_.discard_rates();
  openings_.enforce_jet_cohesion();
  update_.kick_and_drift(blocks);
  openings_.align_particle_columns();
  flow_.timers.lap(Phase::integrate);
}

/// Ghosts of other ranks move like their owners; pressure and volume are on their way.
template <class T, int D>
void DeltaStep<T, D>::carry_ghosts_to_end() {
  update_.write_end_ghosts();
}

template <class T, int D>
void DeltaStep<T, D>::move_walls_to_end() {
  if (moving_walls_.any()) moving_walls_.move_to_end();
  if (forcing_.walls_change_speed()) forcing_.set_wall_velocities(flow_.wall, flow_.time + flow_.time_step);
}

template <class T, int D>
void DeltaStep<T, D>::extrapolate_to_walls() {
  sums_.extrapolate_to_walls(flow_.time + flow_.time_step);
  flow_.timers.lap(Phase::walls);
}

template <class T, int D>
void DeltaStep<T, D>::extrapolate_to_openings(double t, double dt) {
  if (flow_.openings.empty()) return;
  openings_.extrapolate(t, dt, damping > 0);
  flow_.timers.lap(Phase::walls);
  overlap_.exchange(whole_end_state());
}

template <class T, int D>
void DeltaStep<T, D>::begin_kick_and_shift() {
  contact_.move_bodies(motion_time(flow_.time));
  std::size_t inflow = 0;
  for (const auto& opening : flow_.openings.all())
    if (opening.world.inflow && !opening.world.stream) contact_.set_allowed_depth(inflow++, opening.allowed_depth);
  contents_.midpoint_of = choose_time_step();
  flow_.control.latest = {};
}

/// Also writes the rows of the next midpoint.
template <class T, int D>
void DeltaStep<T, D>::kick_and_shift(Part part, double dt) {
  const auto blocks = flow_.schedule.rates_of(part);
  if (blocks.empty()) return;
  openings_.discard_forces();
  update_.kick_and_shift(blocks, dt, damping, contents_.midpoint_of);
  flow_.timers.lap(Phase::integrate);
}

template <class T, int D>
void DeltaStep<T, D>::sum_viscous_loads(bool of_openings) {
  sums_.sum_viscous_reactions();
  flow_.timers.lap(Phase::observe);
  if (of_openings) openings_.react_viscous();
}

template <class T, int D>
void DeltaStep<T, D>::sum_pressure_loads() {
  sums_.sum_pressure_reactions();
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void DeltaStep<T, D>::start() {
  flow_.end_drift();
  overlap_.recall(midpoint());
  flow_.write_wall_rows();
  forcing_.set_wall_velocities(flow_.wall, flow_.time);
  moving_walls_.start(motion_time(flow_.time));
  flow_.timers.start();
  flow_.time_step = 0;
  flow_.rebuild(false);
  const typename Flow<T, D>::Copies copies(flow_);
  update_.write_state(k_rates);
  overlap_.exchange(whole_end_state());
  extrapolate_to_walls();
  overlap_.exchange(whole_wall_state());
  extrapolate_to_openings(flow_.time, 0);
  write_midpoint_rows();
  openings_.write_midpoint_rows(0, damping > 0);
  overlap_.exchange(midpoint());
  rates_are_pending();
  for (const Part part : {Part::interior, Part::border}) sum_rates(part);
  openings_.discard_rates();
  openings_.enforce_jet_cohesion();
  update_.write_state(k_rates);
  overlap_.exchange(whole_end_state());
  forces_are_pending();
  for (const Part part : {Part::interior, Part::border}) sum_forces(part);
  begin_kick_and_shift();
  for (const Part part : {Part::interior, Part::border}) kick_and_shift(part, 0);
  openings_.hold();
  if (flow_.fluid.confined && flow_.openings.empty())
    flow_.volume_fraction_offset = std::min(0.0, update_.mean_excess_volume_fraction());
  flow_.agree();
  flow_.control.speed = flow_.control.latest.speed;
  contents_.invalidate();
}

template class DeltaStep<float, 2>;
template class DeltaStep<float, 3>;
template class DeltaStep<double, 2>;
template class DeltaStep<double, 3>;

}  // namespace eddyline::sph
