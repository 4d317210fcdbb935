#include "solvers/sph/step/delta/on_device.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "domain/wall_friction.hpp"
#include "physics/delta/update.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

template <class T, int D>
OnDevice<T, D>::OnDevice(Parts<T, D>& parts, const ParticleUpdate<T, D>& update, const Contact& contact,
                         const domain::WallFriction& friction, const ExternalForcing<D>& forcing,
                         const MovingWalls<T, D>& moving_walls)
    : StateOnDevice<T, D>(parts, contact, forcing, make_device<device::Delta>(parts)),
      update_(update),
      friction_(friction),
      moving_walls_(moving_walls),
      device_(static_cast<device::Delta<T, D>&>(*flow_)) {}

template <class T, int D>
device::HostFluid<T, D> OnDevice<T, D>::host_fluid() {
  auto host = StateOnDevice<T, D>::host_fluid();
  for (auto* values : {&state_.fluid.a, &state_.fluid.half_g})
    for (int d = 0; d < D; ++d) host.values.push_back((*values)[d]);
  return host;
}

template <class T, int D>
void OnDevice<T, D>::upload_further() {
  if (!state_.openings.empty()) upload_openings();
  terms_are_set_ = false;
}

template <class T, int D>
device::HostSides OnDevice<T, D>::sides() {
  const auto& c = state_.constants;
  if (!state_.openings.empty()) set_inflows();
  return {!state_.openings.empty() || friction_.acts_at_sides(), contact_.sides(),
          state_.reach_of_lists() + c.length.skin + 4 * c.length.spacing};
}

template <class T, int D>
void OnDevice<T, D>::adopt(const device::StepMaxima& found) {
  auto& latest = state_.control.latest;
  state_.contacts += found.contacts;
  latest.speed = std::max(latest.speed, std::sqrt(found.speed2));
  latest.corrected = std::max(latest.corrected, std::sqrt(found.moved2));
  latest.bad = latest.bad || found.bad;
}

template <class T, int D>
device::MovedWalls<T, D> OnDevice<T, D>::moved_walls(bool at_midpoint) const {
  device::MovedWalls<T, D> moved;
  for (const std::int32_t k : moving_) {
    const auto row = std::as_const(scratch_.walls).row(domain_.wall_rows.row_of(static_cast<std::size_t>(k)));
    moved.V.push_back(row[D + 1]);
    for (int d = 0; d < D; ++d) {
      moved.x[d].push_back(neighbors::PairData<T>::get_fixed(row.first + d));
      if (at_midpoint) moved.v[d].push_back(row[2 * D + 2 + d]);
    }
  }
  return moved;
}

template <class T, int D>
void OnDevice<T, D>::move_walls_to_midpoint() {
  std::array<const float*, D> displacement;
  for (std::size_t d = 0; d < D; ++d) displacement[d] = domain_.wall_displacement.x[d].data();
  device_.move_walls_to_midpoint(moved_walls(true), displacement);
}

template <class T, int D>
neighbors::Drift OnDevice<T, D>::measure_drift(bool and_middle) {
  const neighbors::Drift end = device_.measure_drift(state_.half_a_step(), state_.walls_move, 1);
  this->collect_maxima();
  if (!and_middle) return end;
  const neighbors::Drift middle = device_.measure_drift(0, state_.walls_move, 0.5F);
  return {std::max(end.relative_drift, middle.relative_drift), std::max(end.max_displacement, middle.max_displacement)};
}

template <class T, int D>
device::RowFactors OnDevice<T, D>::row_factors(double dt) const {
  const auto& c = state_.constants;
  return {{c.fixed, c.inverse_c0, c.inverse_mass}, dt};
}

template <class T, int D>
void OnDevice<T, D>::kick_and_drift() {
  const auto& c = state_.constants;
  const double dt = state_.time_step, everywhere = c.free_surface ? 0 : c.acoustic_damping;
  device_.kick_and_drift({.units = row_factors(dt).units,
                          .dt = dt,
                          .density = dt * c.rate * c.kernel,
                          .diffusion = state_.world.method.density_diffusion,
                          .distance = 0.5 * dt * c.c0,
                          .damping_everywhere = everywhere,
                          .damping_below = c.acoustic_damping - everywhere,
                          .h_c = c.length.smoothing_length * c.inverse_c0,
                          .to_divergence = c.rate * c.kernel});
}

template <class T, int D>
void OnDevice<T, D>::extrapolate_to_walls() {
  const auto& wall = state_.wall;
  const double t = state_.time + state_.time_step;
  device::WallDrive<T, D> drive =
      this->drive_walls(moving_walls_.any() ? nullptr : forcing_.uniform_force(), [&](std::size_t k, const Vec3& x) {
        return forcing_.force(x, t) - moving_walls_.acceleration(wall.owner[k], x);
      });
  if (moving_walls_.any()) {
    const auto n = static_cast<std::size_t>(wall.size());
    for (auto& turn : drive.turn) turn.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 turn = (1 / state_.constants.rate) * moving_walls_.angular_velocity(wall.owner[k]);
      for (int d = 0; d < 3; ++d) drive.turn[d][k] = turn[d];
    }
  }
  device_.extrapolate_to_walls(sweep_input(state_, domain_, scratch_), drive, state_.constants.free_surface);
}

template <class T, int D>
device::ShiftFactors OnDevice<T, D>::shift_factors(double dt, double damping) const {
  const auto& c = state_.constants;
  device::ShiftFactors factors;
  factors.update = update_.factors(dt, damping);
  factors.density = {{c.free_surface}, factors.update.relaxation, factors.update.unloading, c.loose};
  factors.sound = {factors.update.speed_limit2, factors.update.jump2, c.thinnest, c.densest};
  factors.sides = contact_.sides();
  factors.force_varies = force_varies(state_.world) || update_.terms().acts;
  if (!factors.force_varies) factors.force = forcing_.force({}, state_.time);
  factors.unit = c.rate * c.c0 * c.kernel;
  factors.to_half_g = -0.5 * c.kernel * c.scale;
  factors.to_w = dt > 0 ? c.inverse_c0 * c.scale / dt : 0.0;
  factors.to_volume_fraction = c.to_volume_fraction;
  factors.inverse_mass = c.inverse_mass;
  factors.volume_fraction_offset = state_.volume_fraction_offset;
  factors.beside_wall = physics::delta::k_beside_wall * c.length.spacing;
  factors.near_body = std::max(factors.beside_wall, friction_.acts() ? friction_.reach() : 0.0);
  factors.near_side = friction_.acts_at_sides() && dt > 0 ? friction_.reach() : 0.0;
  factors.free_surface = c.free_surface;
  factors.confined = state_.fluid.confined;
  factors.bodies = bodies_;
  factors.has_openings = !state_.openings.empty();
  for (const auto& opening : state_.openings.all())
    factors.inflows += opening.world.inflow && !opening.world.stream ? 1 : 0;
  return factors;
}

template <class T, int D>
void OnDevice<T, D>::kick_and_shift(double dt, double damping, double next) {
  this->set_forces_and_bodies();
  if (!state_.openings.empty()) set_inflows();
  const device::ShiftFactors factors = shift_factors(dt, damping);
  if (factors.force_varies) compute_forces();
  std::vector<device::Suspect> suspects = device_.kick_and_shift(factors, row_factors(next));
  check_contact(suspects, dt);
  device_.finish(suspects, factors, row_factors(next));
  maxima_are_due_ = true;
}

/// Does what ParticleUpdate does at walls, for particles about which the host decides.
template <class T, int D>
void OnDevice<T, D>::check_contact(std::vector<device::Suspect>& suspects, double dt) {
  std::int64_t contacts = 0;
  const auto n = static_cast<std::int64_t>(suspects.size());
#pragma omp parallel for schedule(static) reduction(+ : contacts)
  for (std::int64_t k = 0; k < n; ++k) {
    device::Suspect& one = suspects[static_cast<std::size_t>(k)];
    double taken_back = 0;
    for (int d = 0; d < D; ++d) taken_back += (one.x_old[d] - one.x[d]) * one.v[d];
    if (state_.constants.free_surface && taken_back > physics::delta::k_taken_back * dt * one.v2)
      if (const std::optional<Vec3> wall = update_.wall_beside(one.near_bodies != 0, one.x_old))
        one.v = physics::delta::stopped_velocity(one.v, one.x - one.x_old, *wall, dt);
    contacts += update_.apply_contact(one.near_bodies != 0, one.x, one.v) ? 1 : 0;
    if (friction_.acts() && dt > 0) one.v = friction_.after(one.x, one.v, dt);
  }
  state_.contacts += contacts;
}

template <class T, int D>
neighbors::PairData<T>& OnDevice<T, D>::rows_of_kind(device::RowKind kind) {
  if (kind == device::RowKind::walls) return scratch_.walls;
  return kind == device::RowKind::midpoint ? scratch_.midpoint_rows : scratch_.end_rows;
}

template <class T, int D>
void OnDevice<T, D>::react_viscous() {
  lists_.resize_reactions();
  T* force[D];
  for (int d = 0; d < D; ++d) force[d] = scratch_.viscous_reaction[d].data();
  device_.sum_viscous_reactions(sweep_input(state_, domain_, scratch_), state_.fluid.confined, force);
}

template <class T, int D>
void OnDevice<T, D>::react_pressure() {
  T* force[D];
  for (int d = 0; d < D; ++d) force[d] = scratch_.pressure_reaction[d].data();
  device_.sum_pressure_reactions(sweep_input(state_, domain_, scratch_), force);
}

template class OnDevice<float, 2>;
template class OnDevice<float, 3>;
template class OnDevice<double, 2>;
template class OnDevice<double, 3>;

}  // namespace eddyline::sph
