#include "integrate/step.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "comm/collectives.hpp"
#include "neighbors/fields.hpp"
#include "physics/sph/acoustic_damping.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::integrate {

using physics::StateEquationLinear;

namespace {

constexpr double k_sound_ratio = 10;  // the speed of sound over the highest speed that a world expects

}  // namespace

template <class T, int D>
void Step<T, D>::advance(bool reactions) {
  flow_.timers.start();
  flow_.time_step = choose_time_step();
  drift_half();
  if (flow_.control.bad) return;
  sum_rates();
  openings_.discard_rates();
  if (reactions) react_viscous(), openings_.react_viscous();

  kick_half_and_drift();
  openings_.keep_files();
  begin_exchange(flow_.fluid_halo, flow_.pressed);
  sum_forces_of(flow_.schedule.early_forces, Phase::forces);
  end_exchange(flow_.fluid_halo, flow_.pressed);
  if (moving_walls_.any()) moving_walls_.move_to_end();
  if (surroundings_.walls_change_speed()) surroundings_.set_wall_velocities(flow_.wall, flow_.time + flow_.time_step);
  extrapolate_to_walls();
  gather(flow_.wall_halo, flow_.walls);
  extrapolate_to_openings(flow_.time + flow_.time_step, flow_.time_step);
  sum_forces_of(flow_.schedule.late_forces, late(Phase::forces));
  openings_.discard_forces();
  if (reactions) react_pressure(), openings_.react_pressure();

  flow_.time += flow_.time_step;
  kick_half_and_shift(flow_.time_step);
  openings_.hold();
  ++flow_.steps;
}

template <class T, int D>
Step<T, D>::Step(Flow<T, D>& flow)
    : flow_(flow), contact_(flow.world()), moving_walls_(flow), openings_(flow), surroundings_(flow.world()) {}

template <class T, int D>
void Step<T, D>::world_changed() {
  contact_ = Contact(flow_.world());
  surroundings_ = Surroundings<D>(flow_.world());
  moving_walls_.world_changed();
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

/// Rows at x + (v + a dt/2) dt/2, with lists that hold there and at the end of the step. The state is left alone until
/// that is so, and for good if the last step has gone wrong: that comes to light here.
template <class T, int D>
void Step<T, D>::drift_half() {
  constexpr double k_trust = 0.999;  // share of the skin: what rounding may take
  const double skin = k_trust * flow_.constants().length.skin;
  if (lists_hold(flow_.control.approach, skin)) return;
  flow_.rebuild();
  rows_time_step_ = k_none;
  while (!lists_hold(0, skin)) flow_.time_step *= std::min(0.9, skin / flow_.control.approach);
}

/// Lists hold while particles come nearer by less than the skin. Pairs are summed half way through the step, where they
/// have moved by the mean of its two ends, and at its end. `start`: by how much they were nearer at the end of the last.
template <class T, int D>
bool Step<T, D>::lists_hold(double start, double skin) {
  auto& control = flow_.control;
  const auto& c = flow_.constants();
  write_moving();
  openings_.write_moving(flow_.time_step, damping > 0);
  begin_exchange(flow_.fluid_halo, flow_.moving);
  if (moving_walls_.any()) moving_walls_.write_middle(motion_time(flow_.time + flow_.time_step), flow_.time_step);
  early_rates_summed_ = lists_will_hold(skin);  // while rows travel; in vain if the lists do not hold after all
  if (early_rates_summed_) sum_rates_of(flow_.schedule.early_rates, Phase::rates);
  end_exchange(flow_.fluid_halo, flow_.moving);
  const neighbors::Drift drift = flow_.drift();
  if (flow_.control.bad) return true;
  start += 2 * flow_.latest.corrected;
  const double end = drift.approach * c.fixed.quantum();
  control.approach = end;
  control.moved = drift.moved * c.fixed.quantum();
  flow_.timers.lap(Phase::integrate);
  return end <= skin && start + end <= 2 * skin && control.moved <= flow_.reach_of_lists() + skin;
}

/// Whether lists that held in the last step are likely to hold in this one.
template <class T, int D>
bool Step<T, D>::lists_will_hold(double skin) const {
  const auto age = static_cast<double>(flow_.steps - flow_.last_rebuild);
  return age == 0 || flow_.control.approach * (age + 1) <= skin * age;
}

template <class T, int D>
void Step<T, D>::gather(exchange::Halo& halo, neighbors::Rows<T>& rows) {
  begin_exchange(halo, rows);
  end_exchange(halo, rows);
}

template <class T, int D>
void Step<T, D>::begin_exchange(exchange::Halo& halo, neighbors::Rows<T>& rows) {
  halo.start(neighbors::RowField(rows, D));
  flow_.timers.lap(Phase::pack);
}

template <class T, int D>
void Step<T, D>::end_exchange(exchange::Halo& halo, neighbors::Rows<T>& rows) {
  halo.wait();
  flow_.timers.lap(Phase::wait);
  halo.finish(neighbors::RowField(rows, D));
  flow_.timers.lap(Phase::pack);
}

/// Rows for the middle of the step, unless the last step has written them ahead.
template <class T, int D>
void Step<T, D>::write_moving() {
  const double dt = flow_.time_step;
  if (rows_time_step_ == dt) return;
  const std::int64_t n = flow_.fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) write_moving(i, dt);
  rows_time_step_ = dt;
  flow_.timers.lap(Phase::integrate);
}

/// The row of a particle at x + v dt/2 with v = v + a dt/2.
template <class T, int D>
EDDYLINE_INLINE void Step<T, D>::write_moving(std::int64_t i, double dt) {
  const auto k = static_cast<std::size_t>(i);
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  T* row = flow_.moving.row(flow_.fluid_rows.slot[k]);
  for (int d = 0; d < D; ++d) {
    const double v = fluid.v[d][k] + 0.5 * dt * fluid.a[d][k];
    flow_.moving.put_fixed(row + d, c.fixed.wrapped(fluid.x[d][k] + 0.5 * dt * v));
    row[D + d] = static_cast<T>(v * c.inverse_c0);
    row[2 * D + 2 + d] = static_cast<T>(0.5 * fluid.G[d][k]);
    row[3 * D + 2 + d] = fluid.confined ? static_cast<T>(fluid.w[d][k] * c.inverse_c0) : T(0);
  }
  row[2 * D] = static_cast<T>(fluid.s[k]);
  row[2 * D + 1] = static_cast<T>(fluid.mass[k] * c.inverse_mass / (1 + fluid.s[k]));
}

template <class T, int D>
EDDYLINE_INLINE void Step<T, D>::write_pressed(std::int64_t i) {
  const auto k = static_cast<std::size_t>(i);
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  T* row = flow_.pressed.row(flow_.fluid_rows.slot[k]);
  for (int d = 0; d < D; ++d) {
    flow_.pressed.put_fixed(row + d, c.fixed.wrapped(fluid.x[d][k]));
    row[D + 2 + d] = static_cast<T>(fluid.v[d][k] * c.inverse_c0);
  }
  const double h_c = c.length.smoothing_length * c.inverse_c0;
  const double divergence = c.rate * c.kernel * static_cast<double>(flow_.divergence[k]);
  row[D] = static_cast<T>(StateEquationLinear::pressure(fluid.s[k]) +
                          physics::acoustic_damping(c.acoustic_damping, h_c, divergence));
  row[D + 1] = static_cast<T>(fluid.mass[k] * c.inverse_mass / (1 + fluid.s[k]));
}

template <class T, int D>
void Step<T, D>::sum_rates() {
  if (!early_rates_summed_) sum_rates_of(flow_.schedule.early_rates, Phase::rates);
  sum_rates_of(flow_.schedule.late_rates, late(Phase::rates));
}

template <class T, int D>
void Step<T, D>::sum_rates_of(const std::vector<Block>& blocks, Phase phase) {
  auto in = flow_.input();
  in.target_rows = flow_.fluid_fluid.target_rows();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::RateResults<T, D> out{flow_.divergence.data(), flow_.diffusion.data(), {}};
  for (int d = 0; d < D; ++d) out.viscous[d] = flow_.viscous[d].data();
  const auto rates = flow_.constants().viscosity == physics::delta::FluidViscosity::morris
                         ? flow_.sweeps.rates_morris
                         : flow_.sweeps.rates_monaghan_cleary;
  for_blocks(blocks, [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
  flow_.timers.lap(phase);
}

/// rho += dt d rho/dt;  v += a dt/2;  x += dt v.
template <class T, int D>
void Step<T, D>::kick_half_and_drift() {
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const double dt = flow_.time_step, factor = dt * c.rate * c.kernel, delta = flow_.world().method.density_diffusion;
  const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double continuity = -(1 + fluid.s[k]) * static_cast<double>(flow_.divergence[k]);
    fluid.s[k] += factor * (continuity + delta * static_cast<double>(flow_.diffusion[k]));
    for (int d = 0; d < D; ++d) {
      fluid.v[d][k] += 0.5 * dt * fluid.a[d][k];
      fluid.x[d][k] += dt * fluid.v[d][k];
    }
    write_pressed(i);
  }
  flow_.timers.lap(Phase::integrate);
}

/// Pressure and mirrored velocity of dummy particles, and their rows.
template <class T, int D>
void Step<T, D>::extrapolate_to_walls() {
  auto in = flow_.input();
  in.target_rows = flow_.wall_fluid.target_rows();
  in.fluid_neighbors = flow_.wall_fluid.chunks().data();
  physics::delta::WallResults<T, D> out{flow_.wall_weight.data(), flow_.wall_pressure.data(), {}, {}};
  for (int d = 0; d < D; ++d) {
    out.lever[d] = flow_.wall_lever[d].data();
    out.velocity[d] = flow_.wall_velocity[d].data();
  }
  for_blocks(flow_.schedule.walls,
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.walls(in, out, first, last); });

  const auto& c = flow_.constants();
  auto& wall = flow_.wall;
  const double t = flow_.time + flow_.time_step;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    T* row = flow_.walls.row(flow_.wall_rows.slot[k]);
    const double weight = static_cast<double>(flow_.wall_weight[k]);
    double p = 0;
    if (weight > 0) {
      const Vec3 x = vector_of(wall.x, k);
      const Vec3 g = to_dimensionless * (surroundings_.force(x, t) - moving_walls_.acceleration(wall.owner[k], x));
      p = static_cast<double>(flow_.wall_pressure[k]);
      for (int d = 0; d < D; ++d) p += g[d] * static_cast<double>(flow_.wall_lever[d][k]);
      p /= weight;
      if (c.free_surface) p = std::max(p, 0.0);
    }
    row[D] = static_cast<T>(p);
    for (int d = 0; d < D; ++d) {
      const double v_wall = wall.v[d][k] * c.inverse_c0;
      const double mirrored =
          weight > 0 ? 2 * v_wall - static_cast<double>(flow_.wall_velocity[d][k]) / weight : v_wall;
      row[D + 2 + d] = static_cast<T>(wall.no_slip[k] != 0 ? mirrored : v_wall);
      row[2 * D + 2 + d] = static_cast<T>(v_wall);
    }
  }
  flow_.timers.lap(Phase::walls);
}

template <class T, int D>
void Step<T, D>::extrapolate_to_openings(double t, double dt) {
  if (flow_.openings.empty()) return;
  openings_.extrapolate(t, dt, damping > 0);
  flow_.timers.lap(Phase::walls);
  gather(flow_.fluid_halo, flow_.pressed);
}

template <class T, int D>
void Step<T, D>::sum_forces_of(const std::vector<Block>& blocks, Phase phase) {
  auto in = flow_.input();
  in.target_rows = flow_.fluid_fluid.target_rows();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::ForceResults<T, D> out{};
  out.surface = flow_.surface.data();
  out.filling = flow_.filling.data();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = flow_.pressure_force[d].data();
    out.shift[d] = flow_.shift[d].data();
  }
  const auto forces = flow_.constants().free_surface ? flow_.sweeps.forces_free_surface : flow_.sweeps.forces_confined;
  for_blocks(blocks, [&](std::int64_t first, std::int64_t last) { forces(in, out, first, last); });
  flow_.timers.lap(phase);
}

/// a = pressure + viscosity + body forces;  v += a dt/2;  G from the pressure force;  x += shift. In confined flows
/// density follows the filling of space, and velocity follows shifting in the next step, whose first rows are written.
template <class T, int D>
void Step<T, D>::kick_half_and_shift(double dt) {
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double acceleration = c.rate * c.c0 * c.kernel;
  const double h = c.length.smoothing_length, R = c.length.interaction_radius;
  const double strength = method.shifting ? c.shifting_strength * h * dt * c.kernel / R : 0.0;
  const double cap = method.shifting_cap * c.length.spacing;
  const double reference_speed = c.c0 / k_sound_ratio;
  const double relaxation = method.shifting && !c.free_surface ? method.volume_relaxation * dt * c.c0 / h : 0.0;
  const double per_time = dt > 0 ? 1 / dt : 0.0;
  const double keep = damping > 0 ? portable::exp(-damping * dt) : 1.0;
  const double limit2 = c.speed_limit * c.speed_limit, jump2 = c.length.cell_edge * c.length.cell_edge;
  const double next = choose_time_step();
  const std::int64_t n = fluid.size();
  contact_.move_bodies(motion_time(flow_.time));
  double speed2 = 0, corrected2 = 0;
  std::int64_t bad = 0, contacts = 0;
  const auto chunks = flow_.fluid_wall.chunks();
  const auto near_walls = [&](std::size_t k) { return chunks[k / neighbors::k_chunk].length > 0; };
#pragma omp parallel for schedule(static) reduction(max : speed2, corrected2) reduction(+ : bad, contacts)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Vec3 x, v, moved;
    for (int d = 0; d < D; ++d) x[d] = fluid.x[d][k];
    const Vec3 g = surroundings_.force(x, flow_.time);
    const double per_density = acceleration / (1 + fluid.s[k]);
    double v2 = 0, a2 = 0, shift2 = 0, moved2 = 0;
    for (int d = 0; d < D; ++d) {
      const double pressure = static_cast<double>(flow_.pressure_force[d][k]);
      const double viscous = static_cast<double>(flow_.viscous[d][k]);
      const double a = per_density * pressure - acceleration * viscous + g[d];
      v[d] = (fluid.v[d][k] + 0.5 * dt * a) * keep;
      fluid.a[d][k] = a;
      fluid.G[d][k] = -c.kernel * pressure;
      moved[d] = static_cast<double>(flow_.shift[d][k]);
      a2 += a * a;
      v2 += v[d] * v[d];
      shift2 += moved[d] * moved[d];
    }
    const double wanted = strength * (c.free_surface ? std::sqrt(v2) : reference_speed);
    const double length = wanted * std::sqrt(shift2);
    const double factor = length > cap ? wanted * (cap / length) : wanted;
    for (int d = 0; d < D; ++d) {
      x[d] += factor * moved[d];
      if (fluid.confined) fluid.w[d][k] = per_time * factor * moved[d];
    }
    if (relaxation > 0 && fluid.buffer[k] == 0) {
      const double filling = c.kernel / 20 * (static_cast<double>(flow_.filling[k]) + fluid.mass[k] * c.inverse_mass);
      fluid.s[k] += relaxation * (filling - 1 - fluid.s[k]);
    }
    if (fluid.buffer[k] == 0 &&
        (contact_.with_sides(x, v) || contact_.with_inflows(x, v) || (near_walls(k) && contact_.with_bodies(x, v))))
      ++contacts;
    for (int d = 0; d < D; ++d) {
      const double by = x[d] - fluid.x[d][k];
      moved2 += by * by;
      fluid.x[d][k] = x[d];
      fluid.v[d][k] = v[d];
    }
    bad += !(v2 <= limit2) || !(moved2 <= jump2) || !(std::abs(fluid.s[k]) < 0.5) || !(a2 < INFINITY);
    speed2 = std::max(speed2, v2);
    corrected2 = std::max(corrected2, moved2);
    write_moving(i, next);
  }
  rows_time_step_ = next;
  flow_.contacts += contacts;
  flow_.latest = {std::sqrt(speed2), std::sqrt(corrected2), bad > 0};
  flow_.timers.lap(Phase::integrate);
}

template <class T, int D>
void Step<T, D>::react_viscous() {
  flow_.find_free_neighbors();
  auto in = flow_.input();
  in.target_rows = flow_.wall_reaction().target_rows();
  in.fluid_neighbors = flow_.wall_reaction().chunks().data();
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = flow_.viscous_reaction[d].data();
  for_blocks(flow_.wall_reaction_blocks(),
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.viscous_reaction(in, out, first, last); });
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void Step<T, D>::react_pressure() {
  auto in = flow_.input();
  in.target_rows = flow_.wall_reaction().target_rows();
  in.fluid_neighbors = flow_.wall_reaction().chunks().data();
  physics::delta::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) out.force[d] = flow_.pressure_reaction[d].data();
  for_blocks(flow_.wall_reaction_blocks(),
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.pressure_reaction(in, out, first, last); });
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void Step<T, D>::start() {
  flow_.write_wall_rows();
  surroundings_.set_wall_velocities(flow_.wall, flow_.time);
  moving_walls_.start(motion_time(flow_.time));
  flow_.timers.start();
  flow_.rebuild();
  const std::int64_t n = flow_.fluid.size();
  flow_.time_step = 0;
  write_moving();
  std::fill(flow_.divergence.begin(), flow_.divergence.begin() + n, T(0));
  for (std::int64_t i = 0; i < n; ++i) write_pressed(i);
  gather(flow_.fluid_halo, flow_.pressed);
  extrapolate_to_walls();
  gather(flow_.wall_halo, flow_.walls);
  extrapolate_to_openings(flow_.time, 0);
  openings_.write_moving(0, damping > 0);
  gather(flow_.fluid_halo, flow_.moving);
  early_rates_summed_ = false;
  sum_rates();
  openings_.discard_rates();
  sum_forces_of(flow_.schedule.early_forces, Phase::forces);
  sum_forces_of(flow_.schedule.late_forces, Phase::forces);
  openings_.discard_forces();
  kick_half_and_shift(0);
  openings_.hold();
  flow_.agree();
  flow_.control.speed = flow_.latest.speed;
}

template class Step<float, 2>;
template class Step<float, 3>;
template class Step<double, 2>;
template class Step<double, 3>;

}  // namespace eddyline::integrate
