#include "solvers/sph/step/delta/on_device.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"
#include "domain/wall_friction.hpp"
#include "physics/delta/update.hpp"
#include "solvers/sph/estimate.hpp"
#include "solvers/sph/solver.hpp"
#include "solvers/sph/sweep_input.hpp"

namespace eddyline::sph {

namespace {

template <class T, int D>
std::unique_ptr<device::Delta<T, D>> make_device(const solver::Execution& execution, comm::Communicator& communicator) {
  if (execution.device == "emulated") return device::make_emulated<T, D>();
  if (execution.device == "gpu")
    return device::load_cuda<T, D>(execution.device_library, communicator.rank() - communicator.machine());
  throw UserError("device = \"" + execution.device + "\"; must be \"cpu\", \"gpu\" or \"emulated\".");
}

}  // namespace

std::string device_refusal(const world::World& world) {
  const auto refused = [](const std::string& what) { return what + " cannot be computed on a device yet"; };
  if (world.method.scheme == world::Scheme::classic) return refused("method.scheme = \"classic\"");
  using physics::terms::Kind;
  const auto is_formula = [](const physics::terms::Term& each) {
    return each.kind == Kind::central || each.kind == Kind::vector || each.kind == Kind::particle;
  };
  if (!std::ranges::all_of(physics::terms::terms_of(world), is_formula)) return refused("a term by a module");
  return {};
}

void rethrow_failure(const std::string& device) {
  try {
    throw;
  } catch (const UserError&) {
    throw;
  } catch (const std::runtime_error& error) {
    if (device == "cpu") throw;
    throw UserError("device = \"" + device + "\": " + error.what());
  }
}

template <class T, int D>
OnDevice<T, D>::OnDevice(Parts<T, D>& parts, const ParticleUpdate<T, D>& update, const Contact& contact,
                         const domain::WallFriction& friction, const ExternalForcing<D>& forcing,
                         const MovingWalls<T, D>& moving_walls)
    : state_(parts.state),
      scratch_(parts.scratch),
      domain_(parts.domain),
      lists_(parts.lists),
      update_(update),
      contact_(contact),
      friction_(friction),
      forcing_(forcing),
      moving_walls_(moving_walls) {
  const auto& execution = parts.domain.execution();
  const std::string given = "device = \"" + execution.device + "\": ";
  if (execution.lazy.every > 1) throw UserError(given + "lazy steps cannot be computed on a device; remove lazy.");
  device_ = make_device<T, D>(execution, parts.domain.communicator());
  check_memory();
}

/// Throws UserError, with what would fit, if the device has too little memory.
template <class T, int D>
void OnDevice<T, D>::check_memory() const {
  const auto free = static_cast<double>(device_->free_bytes());
  if (free == 0) return;
  const std::string why = device_memory_refusal(state_.world, static_cast<double>(state_.fluid.size()),
                                                static_cast<double>(state_.wall.size()), device_->name(), free);
  if (!why.empty())
    throw UserError("device = \"" + domain_.execution().device + "\": " + why + ", another GPU, or device = \"cpu\".");
}

template <class T, int D>
device::HostFluid<T, D> OnDevice<T, D>::host_fluid() {
  auto& fluid = state_.fluid;
  device::HostFluid<T, D> host;
  host.count = fluid.size();
  host.id = fluid.id.data(), host.mass = fluid.mass.data();
  host.s = fluid.s.data(), host.surface = fluid.surface.data();
  for (int d = 0; d < D; ++d) {
    host.x[d] = fluid.x[d], host.v[d] = fluid.v[d];
    host.a[d] = fluid.a[d], host.half_g[d] = fluid.half_g[d];
  }
  return host;
}

template <class T, int D>
device::HostWalls<T> OnDevice<T, D>::host_walls() {
  return {state_.wall.size(), state_.wall.no_slip.data(), scratch_.wall_is_wet.data(), scratch_.walls.row(0)};
}

template <class T, int D>
void OnDevice<T, D>::upload_walls() {
  moving_.clear();
  for (std::int64_t k = 0; k < state_.wall.size() && state_.walls_move; ++k) {
    const std::int32_t owner = state_.wall.owner[static_cast<std::size_t>(k)];
    if (owner >= 0 && state_.world.bodies[static_cast<std::size_t>(owner)].motion)
      moving_.push_back(static_cast<std::int32_t>(k));
  }
  walls_travel_ = find_travellers(domain_.wall_halo);
  device_->upload_walls(host_walls(),
                        {rows_of<D>(domain_.wall_rows, domain_.wall_positions()), moving_, walls_travel_});
  walls_are_driven_ = terms_are_set_ = false;
}

template <class T, int D>
void OnDevice<T, D>::build_lists() {
  const auto& c = state_.constants;
  const double cut = (c.length.interaction_radius + c.length.skin) / c.fixed.quantum();
  if (!state_.openings.empty()) set_inflows();
  device_->build_lists(static_cast<float>(cut * cut), !state_.world.bodies.empty(),
                       {!state_.openings.empty() || friction_.acts_at_sides(), contact_.sides(),
                        state_.reach_of_lists() + c.length.skin + 4 * c.length.spacing});
}

template <class T, int D>
bool OnDevice<T, D>::upload_state() {
  const bool is_due = !has_state_;
  if (is_due) {
    fluid_travels_ = find_travellers(domain_.fluid_halo);
    device_->upload(host_fluid(),
                    {&domain_.layout(), rows_of<D>(domain_.fluid_rows, domain_.fluid_positions()), fluid_travels_});
    domain_.timers.lap(Phase::pack);
    upload_walls();
    if (!state_.openings.empty()) upload_openings();
    build_lists();
    has_state_ = true;
    domain_.timers.lap(Phase::lists);
  }
  host_has_state_ = false;
  return is_due;
}

template <class T, int D>
bool OnDevice<T, D>::rebuild(bool by_expected_places) {
  if (!has_state_ || !domain_.may_sort_elsewhere()) return false;
  collect_maxima();
  const double steps = by_expected_places ? domain_.next_sort_ahead_steps() : 0;
  const domain::Subdomain& cells = domain_.subdomain();
  if (!device_->sort({.fixed = state_.constants.fixed,
                      .ahead = steps * state_.time_step,
                      .may_leave = !cells.is_closed(),
                      .lowest = cells.lowest(),
                      .highest = cells.highest()}))
    return false;
  host_has_state_ = false, host_has_order_ = false;
  if (state_.walls_move) device_->download_walls(host_walls());
  domain_.end_sorting_elsewhere(steps);
  if (state_.walls_move) upload_walls();
  build_lists();
  domain_.end_rebuild();
  ++rebuilds_;
  return true;
}

template <class T, int D>
void OnDevice<T, D>::hand_back() {
  try {
    copy_state();
  } catch (const std::runtime_error&) {
    rethrow_failure(domain_.execution().device);
  }
}

template <class T, int D>
void OnDevice<T, D>::copy_state() {
  collect_maxima();
  if (std::exchange(host_has_state_, true)) return;
  const bool is_sorted = !std::exchange(host_has_order_, true);
  device_->download(host_fluid(), is_sorted);
  device_->download_walls(host_walls());
  if (is_sorted) {
    domain_.adopt_order([this](VectorArray<double, D>& places) {
      std::array<double*, D> place;
      for (int d = 0; d < D; ++d) place[static_cast<std::size_t>(d)] = places[d];
      device_->download_places(state_.constants.fixed, place.data());
    });
    lists_.find_without_lists();
    host_has_lists_ = false;
  }
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void OnDevice<T, D>::find_host_lists() {
  hand_back();
  if (!std::exchange(host_has_lists_, true)) lists_.find();
}

template <class T, int D>
void OnDevice<T, D>::collect_maxima() {
  if (!std::exchange(maxima_are_due_, false)) return;
  const device::StepMaxima found = device_->maxima();
  auto& latest = state_.control.latest;
  state_.contacts += found.contacts;
  latest.speed = std::max(latest.speed, std::sqrt(found.speed2));
  latest.corrected = std::max(latest.corrected, std::sqrt(found.corrected2));
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
  device_->move_walls_to_midpoint(moved_walls(true), displacement);
}

template <class T, int D>
neighbors::Drift OnDevice<T, D>::measure_drift(bool and_middle) {
  const neighbors::Drift end = device_->measure_drift(state_.half_a_step(), state_.walls_move, 1);
  collect_maxima();
  if (!and_middle) return end;
  const neighbors::Drift middle = device_->measure_drift(0, state_.walls_move, 0.5F);
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
  device_->kick_and_drift({.units = row_factors(dt).units,
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
  const auto& c = state_.constants;
  const auto& wall = state_.wall;
  const double t = state_.time + state_.time_step, to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const auto n = static_cast<std::size_t>(wall.size());
  device::WallDrive<T, D> drive;
  const bool changes = state_.walls_move || forcing_.walls_change_speed();
  if (wall.can_move && (changes || !walls_are_driven_))
    for (int d = 0; d < D; ++d) {
      drive.v[d].resize(n);
      for (std::size_t k = 0; k < n; ++k) drive.v[d][k] = static_cast<T>(wall.v[d][k] * c.inverse_c0);
    }
  const Vec3* even = moving_walls_.any() ? nullptr : forcing_.uniform_force();
  if (even != nullptr) {
    const Vec3 g = to_dimensionless * *even;
    for (int d = 0; d < D; ++d) drive.uniform_g[d] = static_cast<T>(g[d]);
  } else {
    for (auto& g : drive.g) g.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 x = vector_of(wall.x, k);
      const Vec3 g = to_dimensionless * (forcing_.force(x, t) - moving_walls_.acceleration(wall.owner[k], x));
      for (int d = 0; d < D; ++d) drive.g[d][k] = static_cast<T>(g[d]);
    }
  }
  if (moving_walls_.any()) {
    for (auto& turn : drive.turn) turn.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const Vec3 turn = (1 / c.rate) * moving_walls_.angular_velocity(wall.owner[k]);
      for (int d = 0; d < 3; ++d) drive.turn[d][k] = turn[d];
    }
  }
  device_->extrapolate_to_walls(sweep_input(state_, domain_, scratch_), drive, c.free_surface);
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
  if (!std::exchange(walls_are_driven_, true) || state_.walls_move) {
    set_force();
    const auto boxes = contact_.body_bounds();
    device_->set_bodies(boxes);
    bodies_ = static_cast<std::int32_t>(boxes.size());
  }
  if (!state_.openings.empty()) set_inflows();
  const device::ShiftFactors factors = shift_factors(dt, damping);
  if (factors.force_varies) compute_forces();
  std::vector<device::Suspect> suspects = device_->kick_and_shift(factors, row_factors(next));
  check_contact(suspects, dt);
  device_->finish(suspects, factors, row_factors(next));
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
device::Travellers OnDevice<T, D>::find_travellers(const exchange::Halo& halo) const {
  device::Travellers rows;
  const auto add_to = [](std::vector<std::int32_t>& to) {
    return [&to](std::int32_t first, std::int32_t count) {
      for (std::int32_t r = first; r < first + count; ++r) to.push_back(r);
    };
  };
  halo.for_each_sent(add_to(rows.sent));
  halo.for_each_received(add_to(rows.received));
  return rows;
}

template <class T, int D>
neighbors::PairData<T>& OnDevice<T, D>::rows_of_kind(device::RowKind kind) {
  if (kind == device::RowKind::walls) return scratch_.walls;
  return kind == device::RowKind::midpoint ? scratch_.midpoint_rows : scratch_.end_rows;
}

template <class T, int D>
void OnDevice<T, D>::fetch_sent(device::RowKind kind) {
  const auto& which = (kind == device::RowKind::walls ? walls_travel_ : fluid_travels_).sent;
  if (which.empty()) return;
  neighbors::PairData<T>& rows = rows_of_kind(kind);
  const auto width = static_cast<std::size_t>(rows.width());
  cargo_.resize(which.size() * width);
  device_->fetch_sent(kind, cargo_.data());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto row = rows.row(which[k]);
    for (std::size_t c = 0; c < width; ++c) row[static_cast<int>(c)] = cargo_[k * width + c];
  }
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void OnDevice<T, D>::put_received(device::RowKind kind) {
  const auto& which = (kind == device::RowKind::walls ? walls_travel_ : fluid_travels_).received;
  if (which.empty()) return;
  neighbors::PairData<T>& rows = rows_of_kind(kind);
  const auto width = static_cast<std::size_t>(rows.width());
  cargo_.resize(which.size() * width);
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto row = rows.row(which[k]);
    for (std::size_t c = 0; c < width; ++c) cargo_[k * width + c] = row[static_cast<int>(c)];
  }
  device_->put_received(kind, cargo_.data());
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void OnDevice<T, D>::react_viscous() {
  lists_.resize_reactions();
  T* force[D];
  for (int d = 0; d < D; ++d) force[d] = scratch_.viscous_reaction[d].data();
  device_->sum_viscous_reactions(sweep_input(state_, domain_, scratch_), state_.fluid.confined, force);
}

template <class T, int D>
void OnDevice<T, D>::react_pressure() {
  T* force[D];
  for (int d = 0; d < D; ++d) force[d] = scratch_.pressure_reaction[d].data();
  device_->sum_pressure_reactions(sweep_input(state_, domain_, scratch_), force);
}

template class OnDevice<float, 2>;
template class OnDevice<float, 3>;
template class OnDevice<double, 2>;
template class OnDevice<double, 3>;

}  // namespace eddyline::sph
