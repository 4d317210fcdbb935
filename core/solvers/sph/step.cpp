#include "solvers/sph/step.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "comm/collectives.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/wall_row.hpp"

namespace eddyline::sph {

namespace {

constexpr int k_rates = 1, k_walls = 2;  // passes over pairs in a step, see DeferredExchange; forces are the last

}  // namespace

template <class T, int D>
void Step<T, D>::advance(bool reactions) {
  const typename Flow<T, D>::Copies copies(flow_);
  flow_.timers.start();
  rows_hold_state_ = false;
  if (flow_.begin_step()) invalidate_rows();
  flow_.time_step = choose_time_step();
  drift_to_midpoint();
  if (flow_.control.bad) {
    hand_back();
    return;
  }
  if (reactions || openings_.takes_forces()) react_viscous();
  if (reactions) openings_.react_viscous();

  // The border of this rank comes first, so that its rows travel while the rest is computed.
  if (!fringe_rates_summed_) sum_fringe_rates();
  half_kick_and_drift(flow_.schedule.fringe_rates);
  send(flow_.fluid_halo, flow_.end_field());
  sum_rates_of(interior_rates_.rest(), Phase::rates);
  half_kick_and_drift(flow_.schedule.interior_rates);
  if (!device_) gather_within(flow_.fluid_halo, flow_.end_rows);
  update_.write_end_ghosts();

  interior_forces_ = WorkPortions(flow_.schedule.interior_forces);
  sum_forces_until([this] { return flow_.fluid_halo.arrived(); });
  end_exchange(flow_.fluid_halo, flow_.end_field());
  if (moving_walls_.any()) moving_walls_.move_to_end();
  if (moving_walls_.any() && device_) device_->move_walls_to_end();
  if (forcing_.walls_change_speed()) forcing_.set_wall_velocities(flow_.wall, flow_.time + flow_.time_step);
  extrapolate_to_walls();
  begin_exchange(flow_.wall_halo, wall_field());
  sum_forces_until([this] { return flow_.wall_halo.arrived(); });
  end_exchange(flow_.wall_halo, wall_field());
  if (reactions || openings_.takes_forces()) react_pressure();
  extrapolate_to_openings(flow_.time + flow_.time_step, flow_.time_step);
  if (reactions) openings_.react_pressure();

  flow_.time += flow_.time_step;
  begin_half_kick_and_shift();
  // The border comes first, as above: the next step begins with its rows.
  sum_forces_of(flow_.schedule.fringe_forces, of_fringe(Phase::forces));
  half_kick_and_shift(flow_.schedule.fringe_rates, flow_.time_step);
  if (sends_ahead()) send_ahead();
  sum_forces_of(interior_forces_.rest(), Phase::forces);
  half_kick_and_shift(flow_.schedule.interior_rates, flow_.time_step);
  openings_.hold();
  ++flow_.steps;
  if (!flow_.communicator().is_alone() && !flow_.lazy.is_on()) end_rows_of_ = flow_.steps;
}

template <class T, int D>
Step<T, D>::Step(Flow<T, D>& flow)
    : flow_(flow),
      contact_(flow.world()),
      friction_(flow.world()),
      moving_walls_(flow),
      openings_(flow),
      forcing_(flow.world()),
      update_(flow, contact_, friction_, forcing_) {
  if (flow.execution().device != "cpu")
    device_ = std::make_unique<OnDevice<T, D>>(flow, update_, contact_, forcing_, moving_walls_);
}

template <class T, int D>
void Step<T, D>::end() {
  recall_midpoint_rows();
}

template <class T, int D>
Step<T, D>::~Step() {
  try {
    end();
  } catch (const std::exception&) {  // NOLINT: another rank has ended; the ranks that waited for it have reported it
  }
}

template <class T, int D>
void Step<T, D>::world_changed() {
  contact_ = Contact(flow_.world());
  friction_ = domain::WallFriction(flow_.world());
  forcing_ = ExternalForcing<D>(flow_.world());
  inactive_walls_.forget();
  moving_walls_.world_changed();
  if (device_) device_->forget();
}

template <class T, int D>
double Step<T, D>::choose_time_step() const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / (c.c0 + flow_.control.speed);
  if (c.nu_fluid > 0) dt = std::min(dt, method.viscous_cfl * h * h / c.nu_fluid);
  return dt;
}

/// Writes rows at x + (v + a dt/2) dt/2, with cells and lists that hold there and at the end of the step. The state is
/// left alone until that is so, and for good if the last step was bad, which is found here.
template <class T, int D>
void Step<T, D>::drift_to_midpoint() {
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
  if (!flow_.control.bad && flow_.renew_lists()) sum_all_rates_later();
}

template <class T, int D>
void Step<T, D>::rebuild(bool by_expected_places) {
  recall_midpoint_rows();
  hand_back();
  flow_.rebuild(by_expected_places);
  invalidate_rows();
  if (device_) device_->forget();
}

/// Writes and exchanges rows of the midpoint, and passes the control point. Returns whether cells hold.
template <class T, int D>
bool Step<T, D>::prepare_midpoint(double skin) {
  const bool is_first = flow_.last_rebuild == flow_.steps;
  const bool predicted = end_rows_of_ == flow_.steps && !is_first;
  const double start = flow_.control.relative_drift;
  if (device_ && device_->take_over()) invalidate_rows();
  write_midpoint_rows();
  openings_.write_midpoint_rows(flow_.time_step, damping > 0);
  if (moving_walls_.any())
    moving_walls_.write_midpoint_rows(motion_time(flow_.time + flow_.time_step), flow_.time_step);
  if (moving_walls_.any() && device_) device_->move_walls_to_midpoint();
  if (!std::exchange(midpoint_is_sent_, false)) send(flow_.fluid_halo, all_of(flow_.midpoint_rows));
  device_ ? device_->gather_midpoint_rows() : gather_within(flow_.fluid_halo, flow_.midpoint_rows);
  if (predicted) flow_.predict_control_point();
  sum_all_rates_later();
  // Pairs are summed while rows travel, then while ranks come to the control point. That work is lost if cells or lists
  // do not hold after all.
  const bool sums_meanwhile = !flow_.communicator().is_alone() && flow_.control.will_hold(skin);
  if (sums_meanwhile) sum_rates_until([this] { return flow_.fluid_halo.arrived(); });
  end_exchange(flow_.fluid_halo, all_of(flow_.midpoint_rows));
  if (device_)
    flow_.begin_control_point(device_->measure_drift(is_first));
  else
    predicted ? flow_.begin_drift() : flow_.begin_control_point(is_first);
  if (sums_meanwhile) sum_rates_until([this] { return flow_.control_point_arrived(); });
  if (sums_meanwhile && !flow_.control_point_arrived()) sum_fringe_rates();
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

/// Tells whether cells hold. They do while particles have come nearer by less than the skin since they were sorted.
/// Pairs are summed at the midpoint of the step and at its end. At the midpoint particles have moved by the mean of the
/// two ends of the step; at its start they had come nearer by `start`, and a correction has followed since. In the
/// first step after a rebuild the midpoint is measured. Particles enter and leave openings at rebuilds only, and until
/// then must not have moved farther than buffers are made for.
template <class T, int D>
bool Step<T, D>::cells_hold(double skin, double start) const {
  const bool is_first = flow_.last_rebuild == flow_.steps;
  const double end = flow_.control.relative_drift, farthest = flow_.reach_of_lists() + skin;
  const bool in_middle = is_first || 0.5 * (start + end) + flow_.control.latest.corrected <= skin;
  const bool at_openings = flow_.openings.empty() || flow_.control.path_since_rebuild + step_displacement() <= farthest;
  return end <= skin && in_middle && flow_.control.max_displacement <= farthest && at_openings;
}

/// Estimates the largest displacement of a particle in this step: by the largest speed, plus the last correction.
template <class T, int D>
double Step<T, D>::step_displacement() const {
  constexpr double k_faster = 1.05;  // than before the step
  return k_faster * flow_.control.speed * flow_.time_step + flow_.control.latest.corrected;
}

template <class T, int D>
void Step<T, D>::gather(exchange::Halo& halo, neighbors::PairData<T>& rows) {
  begin_exchange(halo, all_of(rows));
  end_exchange(halo, all_of(rows));
}

template <class T, int D>
void Step<T, D>::send(exchange::Halo& halo, const neighbors::RowField<T>& rows) {
  flow_.send(halo, rows);
  flow_.timers.lap(Phase::pack);
}

template <class T, int D>
void Step<T, D>::gather_within(exchange::Halo& halo, neighbors::PairData<T>& rows) {
  halo.gather_within(all_of(rows));
  flow_.timers.lap(Phase::pack);
}

template <class T, int D>
void Step<T, D>::begin_exchange(exchange::Halo& halo, const neighbors::RowField<T>& rows) {
  flow_.start_gather(halo, rows);
  flow_.timers.lap(Phase::pack);
}

template <class T, int D>
void Step<T, D>::end_exchange(exchange::Halo& halo, const neighbors::RowField<T>& rows) {
  halo.wait();
  flow_.timers.lap(Phase::wait);
  flow_.finish_gather(halo, rows);
  flow_.timers.lap(Phase::pack);
}

/// Writes rows for the midpoint of the step, unless the last step has written them ahead.
template <class T, int D>
void Step<T, D>::write_midpoint_rows() {
  if (rows_time_step_ == flow_.time_step) return;
  recall_midpoint_rows();
  device_is_in_use() ? device_->write_midpoint_rows(flow_.time_step) : update_.write_midpoint_rows(flow_.time_step);
  rows_time_step_ = flow_.time_step;
  flow_.timers.lap(Phase::integrate);
}

template <class T, int D>
void Step<T, D>::send_ahead() {
  send(flow_.fluid_halo, all_of(flow_.midpoint_rows));
  midpoint_is_sent_ = true;
}

/// Makes the next step write its rows itself, and predict nothing from the end rows of the last step.
template <class T, int D>
void Step<T, D>::invalidate_rows() {
  rows_time_step_ = k_none;
  rows_hold_state_ = false;
  end_rows_of_ = -1;
}

template <class T, int D>
void Step<T, D>::write_state_rows() {
  if (rows_hold_state_) return;
  flow_.timers.start();
  const typename Flow<T, D>::Copies copies(flow_);
  update_.write_state(flow_.lazy.passes());
  if (flow_.rows_share_memory()) rows_time_step_ = k_none;
  rows_hold_state_ = true;
  end_rows_of_ = -1;
  flow_.timers.lap(Phase::observe);
  gather_within(flow_.fluid_halo, flow_.end_rows);
}

/// Receives and discards the rows that were sent ahead, on all ranks.
template <class T, int D>
void Step<T, D>::recall_midpoint_rows() {
  if (std::exchange(midpoint_is_sent_, false)) end_exchange(flow_.fluid_halo, all_of(flow_.midpoint_rows));
}

/// Tells whether the rows with which the next step begins are known when this one ends.
template <class T, int D>
bool Step<T, D>::sends_ahead() const {
  return !flow_.communicator().is_alone() && flow_.openings.empty() && !flow_.lazy.is_on();
}

template <class T, int D>
void Step<T, D>::sum_all_rates_later() {
  interior_rates_ = WorkPortions(flow_.schedule.interior_rates);
  fringe_rates_summed_ = false;
}

template <class T, int D>
void Step<T, D>::sum_fringe_rates() {
  sum_rates_of(flow_.schedule.fringe_rates, of_fringe(Phase::rates));
  fringe_rates_summed_ = true;
}

/// Sums one portion of the interior after the other, until messages have arrived.
template <class T, int D>
template <class Arrived>
void Step<T, D>::sum_rates_until(Arrived&& arrived) {
  while (!interior_rates_.empty() && !arrived()) sum_rates_of(interior_rates_.next(), Phase::rates);
}

template <class T, int D>
template <class Arrived>
void Step<T, D>::sum_forces_until(Arrived&& arrived) {
  while (!interior_forces_.empty() && !arrived()) sum_forces_of(interior_forces_.next(), Phase::forces);
}

template <class T, int D>
void Step<T, D>::sum_rates_of(std::span<const Block> blocks, Phase phase) {
  if (device_is_in_use()) {
    if (!blocks.empty()) device_->sum_rates();
    flow_.timers.lap(phase);
    return;
  }
  auto in = flow_.input();
  in.targets = flow_.fluid_fluid.targets();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::RateResults<T, D> out{
      flow_.delta.divergence(), flow_.delta.diffusion(), {}, flow_.delta.dissipation.data()};
  for (int d = 0; d < D; ++d) out.viscous[d] = flow_.delta.viscous(d);
  const auto rates = flow_.constants().viscosity == physics::delta::FluidViscosity::morris ? flow_.sweeps.rates_morris
                                                                                           : flow_.sweeps.rates_central;
  for_blocks(blocks, flow_.fluid_after(k_rates),
             [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
  flow_.timers.lap(phase);
}

template <class T, int D>
void Step<T, D>::half_kick_and_drift(std::span<const Block> blocks) {
  if (blocks.empty()) return;
  openings_.discard_rates();
  openings_.enforce_jet_cohesion();
  device_ ? device_->kick_and_drift() : update_.half_kick_and_drift(blocks);
  openings_.align_particle_columns();
  flow_.timers.lap(Phase::integrate);
}

/// Computes pressure and mirrored velocity of dummy particles, and their rows.
template <class T, int D>
void Step<T, D>::extrapolate_to_walls() {
  if (device_is_in_use()) {
    device_->extrapolate_to_walls();
    flow_.timers.lap(Phase::walls);
    return;
  }
  auto in = flow_.input();
  in.targets = flow_.wall_fluid.targets();
  in.fluid_neighbors = flow_.wall_fluid.chunks().data();
  const std::int64_t n = flow_.walls_after(k_walls);
  const auto& c = flow_.constants();
  auto& wall = flow_.wall;
  const double t = flow_.time + flow_.time_step;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const bool walls_rest = !flow_.walls_move() && !forcing_.walls_change_speed();
  const auto blocks = inactive_walls_.active_blocks(flow_.wall_fluid, flow_.schedule.walls, n, walls_rest);
  for_blocks(blocks, n, [&](std::int64_t first, std::int64_t last) {
    WallBlock<T, D> sums;
    physics::delta::WallResults<T, D> out{sums.weight, sums.pressure, {}, {}};
    for (int d = 0; d < D; ++d) out.lever[d] = sums.lever[d], out.velocity[d] = sums.velocity[d];
    flow_.sweeps.walls(in, out, first, last);
    const auto begin = static_cast<std::size_t>(first * neighbors::k_chunk);
    const auto count = static_cast<std::size_t>(std::min(last * neighbors::k_chunk, n)) - begin;
    const Vec3* even = moving_walls_.any() ? nullptr : forcing_.uniform_force();
    sums.set_g(count, [&](std::size_t l) {
      if (even != nullptr) return to_dimensionless * *even;
      const Vec3 x = vector_of(wall.x, begin + l);
      return to_dimensionless * (forcing_.force(x, t) - moving_walls_.acceleration(wall.owner[begin + l], x));
    });
    if (moving_walls_.any())
      sums.turn_velocities(
          count, [&](std::size_t l) { return (1 / c.rate) * moving_walls_.angular_velocity(wall.owner[begin + l]); });
    sums.find_pressures(count, c.free_surface);
    sums.mirror_velocities(wall, begin, count, c.inverse_c0);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t k = begin + l;
      const auto row = flow_.walls.row(flow_.wall_rows.row_of(k));
      flow_.wall_is_wet[k] = sums.is_wet(l) ? 1 : 0;
      row[D] = sums.pressure[l];
      sums.write_velocities(row, wall, k, l, c.inverse_c0);
    }
  });
  flow_.timers.lap(Phase::walls);
}

template <class T, int D>
void Step<T, D>::extrapolate_to_openings(double t, double dt) {
  if (flow_.openings.empty()) return;
  openings_.extrapolate(t, dt, damping > 0);
  flow_.timers.lap(Phase::walls);
  gather(flow_.fluid_halo, flow_.end_rows);
}

template <class T, int D>
void Step<T, D>::sum_forces_of(std::span<const Block> blocks, Phase phase) {
  if (device_is_in_use()) {
    if (!blocks.empty()) device_->sum_forces();
    flow_.timers.lap(phase);
    return;
  }
  auto in = flow_.input();
  in.targets = flow_.fluid_fluid.targets();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::ForceResults<T, D> out{};
  out.surface = flow_.fluid.surface.data();
  out.volume_fraction = flow_.delta.volume_fraction();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = flow_.delta.pressure_force(d);
    out.shift[d] = flow_.delta.shift(d);
  }
  const auto forces = flow_.constants().free_surface ? flow_.sweeps.forces_free_surface : flow_.sweeps.forces_confined;
  for_blocks(blocks, flow_.fluid_after(flow_.lazy.passes()),
             [&](std::int64_t first, std::int64_t last) { forces(in, out, first, last); });
  flow_.timers.lap(phase);
}

template <class T, int D>
void Step<T, D>::begin_half_kick_and_shift() {
  contact_.move_bodies(motion_time(flow_.time));
  if (friction_.acts()) friction_.move(motion_time(flow_.time));
  std::size_t inflow = 0;
  for (const auto& opening : flow_.openings.all())
    if (opening.world.inflow && !opening.world.stream) contact_.set_allowed_depth(inflow++, opening.allowed_depth);
  rows_time_step_ = choose_time_step();
  flow_.control.latest = {};
}

template <class T, int D>
void Step<T, D>::half_kick_and_shift(std::span<const Block> blocks, double dt) {
  if (blocks.empty()) return;
  openings_.discard_forces();
  device_is_in_use() ? device_->kick_and_shift(dt, damping, rows_time_step_)
                     : update_.half_kick_and_shift(blocks, dt, damping, rows_time_step_);
  flow_.timers.lap(Phase::integrate);
}

/// Walls that slip exert no viscous force: blocks of them are skipped.
template <class T, int D>
void Step<T, D>::react_viscous() {
  if (device_) {
    device_->react_viscous();
    flow_.timers.lap(Phase::observe);
    return;
  }
  flow_.find_free_neighbors();
  flow_.resize_reactions();
  auto in = flow_.input();
  in.targets = flow_.wall_fluid.targets();
  in.fluid_neighbors = flow_.wall_reaction();
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = flow_.viscous_reaction[d].data();
  const auto& sweeps = flow_.sweeps;
  const auto reaction = flow_.fluid.confined ? sweeps.viscous_reaction_confined : sweeps.viscous_reaction_free_surface;
  const std::int64_t owned = flow_.wall_rows.owned();
  for_blocks(flow_.schedule.walls, owned, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t begin = first * neighbors::k_chunk, end = last * neighbors::k_chunk;
    const std::uint8_t* no_slip = flow_.wall.no_slip.data();
    if (std::any_of(no_slip + begin, no_slip + std::min(end, owned), [](std::uint8_t has) { return has != 0; }))
      return reaction(in, out, first, last);
    for (T* force : out.force) std::fill(force + begin, force + end, T(0));
  });
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void Step<T, D>::react_pressure() {
  if (device_) {
    device_->react_pressure();
    flow_.timers.lap(Phase::observe);
    return;
  }
  auto in = flow_.input();
  in.targets = flow_.wall_fluid.targets();
  in.fluid_neighbors = flow_.wall_reaction();
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = flow_.pressure_reaction[d].data();
  for_blocks(flow_.schedule.walls, flow_.wall_rows.owned(),
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.pressure_reaction(in, out, first, last); });
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void Step<T, D>::start() {
  if (device_) device_->forget();
  flow_.end_drift();
  recall_midpoint_rows();
  flow_.write_wall_rows();
  forcing_.set_wall_velocities(flow_.wall, flow_.time);
  moving_walls_.start(motion_time(flow_.time));
  flow_.timers.start();
  flow_.time_step = 0;
  flow_.rebuild(false);
  const typename Flow<T, D>::Copies copies(flow_);
  update_.write_state(k_rates);
  gather(flow_.fluid_halo, flow_.end_rows);
  extrapolate_to_walls();
  gather(flow_.wall_halo, flow_.walls);
  extrapolate_to_openings(flow_.time, 0);
  write_midpoint_rows();
  openings_.write_midpoint_rows(0, damping > 0);
  gather(flow_.fluid_halo, flow_.midpoint_rows);
  sum_rates_of(flow_.schedule.interior_rates, Phase::rates);
  sum_rates_of(flow_.schedule.fringe_rates, Phase::rates);
  openings_.discard_rates();
  openings_.enforce_jet_cohesion();
  update_.write_state(k_rates);
  gather(flow_.fluid_halo, flow_.end_rows);
  sum_forces_of(flow_.schedule.interior_forces, Phase::forces);
  sum_forces_of(flow_.schedule.fringe_forces, Phase::forces);
  begin_half_kick_and_shift();
  half_kick_and_shift(flow_.schedule.interior_rates, 0);
  half_kick_and_shift(flow_.schedule.fringe_rates, 0);
  openings_.hold();
  if (flow_.fluid.confined && flow_.openings.empty())
    flow_.volume_fraction_offset = std::min(0.0, update_.mean_excess_volume_fraction());
  flow_.agree();
  flow_.control.speed = flow_.control.latest.speed;
  invalidate_rows();
  if (device_) device_->take_over();  // too little memory is found before the first step
}

template class Step<float, 2>;
template class Step<float, 3>;
template class Step<double, 2>;
template class Step<double, 3>;

}  // namespace eddyline::sph
