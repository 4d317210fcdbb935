#include "integrate/step.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::integrate {

using physics::StateEquationLinear;

namespace {

/// Calls sweep(first, last) for blocks of chunks, in parallel. Which thread takes which block changes nothing.
template <class Sweep>
void for_blocks(std::size_t chunks, Sweep&& sweep) {
  constexpr std::int64_t k_block = 16;
  const auto n = static_cast<std::int64_t>(chunks);
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t first = 0; first < n; first += k_block) sweep(first, std::min(first + k_block, n));
}

/// Gathers an Extent over particles.
template <int D>
struct ExtentSum {
  std::array<double, D> lower{}, upper{};
  double largest2 = 0;

  void add(const std::array<double, D>& v, double v2) {
    for (std::size_t d = 0; d < D; ++d) {
      lower[d] = std::min(lower[d], v[d]);
      upper[d] = std::max(upper[d], v[d]);
    }
    largest2 = std::max(largest2, v2);
  }
  void merge(const ExtentSum& other) {
    for (std::size_t d = 0; d < D; ++d) {
      lower[d] = std::min(lower[d], other.lower[d]);
      upper[d] = std::max(upper[d], other.upper[d]);
    }
    largest2 = std::max(largest2, other.largest2);
  }
  Extent extent() const {
    Extent e;
    for (int d = 0; d < D; ++d) {
      e.lower[d] = lower[static_cast<std::size_t>(d)];
      e.upper[d] = upper[static_cast<std::size_t>(d)];
    }
    e.largest = std::sqrt(largest2);
    return e;
  }
};

}  // namespace

template <class T, int D>
void Step<T, D>::advance(bool reactions) {
  flow_.timers.start();
  const double dt = flow_.time_step = choose_time_step();
  if (rebuild_is_due()) flow_.rebuild();

  kick_and_drift_half();
  openings_.drift_half(dt, damping > 0);
  gather(flow_.fluid_routes, flow_.moving);
  sum_rates();
  openings_.discard_rates();
  if (reactions) react_viscous(), openings_.react_viscous();

  update_density_and_drift();
  openings_.keep_files();
  gather(flow_.fluid_routes, flow_.pressed);
  if (walls_change_speed_) set_wall_velocities(flow_.time + dt);
  extrapolate_to_walls();
  gather(flow_.wall_routes, flow_.walls);
  extrapolate_to_openings(flow_.time + dt, dt);
  sum_forces();
  openings_.discard_forces();
  if (reactions) react_pressure(), openings_.react_pressure();

  flow_.time += dt;
  kick_half_and_shift(dt);
  openings_.hold();
  ++flow_.steps;
}

template <class T, int D>
Step<T, D>::Step(Flow<T, D>& flow) : flow_(flow), contact_(flow.world()), openings_(flow) {
  const auto& world = flow.world();
  for (const auto& side : world.sides)
    for (const auto& component : side.velocity) {
      const auto used = component.used_variables();
      walls_change_speed_ = walls_change_speed_ || std::find(used.begin(), used.end(), "t") != used.end();
    }
  force_is_uniform_ = true;
  uniform_force_ = world.gravity;
  for (int d = 0; d < D; ++d) {
    const auto& force = world.body_force[static_cast<std::size_t>(d)];
    force_is_uniform_ = force_is_uniform_ && force.is_constant();
    if (force.is_constant()) uniform_force_[d] += force.evaluate(std::array{0.0, 0.0, 0.0, 0.0});
  }
}

template <class T, int D>
Vec3 Step<T, D>::body_force(Vec3 x, double t) const {
  if (force_is_uniform_) return uniform_force_;
  Vec3 f = flow_.world().gravity;
  for (int d = 0; d < D; ++d)
    f[d] += flow_.world().body_force[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, t});
  return f;
}

template <class T, int D>
double Step<T, D>::choose_time_step() const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / (c.c0 + flow_.control.velocity.largest);
  if (c.nu_fluid > 0) dt = std::min(dt, method.viscous_cfl * h * h / c.nu_fluid);
  // No two particles may approach by more than the skin in one step: v dt + a dt^2 / 2 <= 0.98 skin.
  const double reach = 0.98 * c.length.skin, v = flow_.control.velocity.spread(),
               a = flow_.control.acceleration.spread();
  const double rate = v + std::sqrt(v * v + 2 * a * reach);
  if (rate > 0) dt = std::min(dt, 2 * reach / rate);
  return dt;
}

/// Lists hold as long as no two particles can have come nearer than the skin allows, this step included.
template <class T, int D>
bool Step<T, D>::rebuild_is_due() const {
  const double dt = flow_.time_step;
  const auto& control = flow_.control;
  const double approach =
      control.moved.spread() + dt * (control.velocity.spread() + 0.5 * dt * control.acceleration.spread());
  return approach > 0.999 * flow_.constants().length.skin;
}

template <class T, int D>
void Step<T, D>::gather(exchange::Routes& routes, neighbors::Rows<T>& rows) {
  routes.gather([&](std::int32_t from, std::int32_t to, const Int3& shift) { rows.copy(from, to, shift, D); });
  flow_.timers.lap(Phase::exchange);
}

/// Row for the middle of the step, at x + v dt/2.
template <class T, int D>
void Step<T, D>::write_moving(std::int64_t i, double dt) {
  const auto k = static_cast<std::size_t>(i);
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  T* row = flow_.moving.row(flow_.fluid_rows.slot[k]);
  for (int d = 0; d < D; ++d) {
    flow_.moving.put_fixed(row + d, c.fixed.wrapped(fluid.x[d][k] + 0.5 * dt * fluid.v[d][k]));
    row[D + d] = static_cast<T>(fluid.v[d][k] * c.inverse_c0);
    row[2 * D + 2 + d] = static_cast<T>(fluid.G[d][k]);
  }
  row[2 * D] = static_cast<T>(fluid.s[k]);
  row[2 * D + 1] = static_cast<T>(fluid.mass[k] * c.inverse_mass / (1 + fluid.s[k]));
}

template <class T, int D>
void Step<T, D>::write_pressed(std::int64_t i) {
  const auto k = static_cast<std::size_t>(i);
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  T* row = flow_.pressed.row(flow_.fluid_rows.slot[k]);
  for (int d = 0; d < D; ++d) {
    flow_.pressed.put_fixed(row + d, c.fixed.wrapped(fluid.x[d][k]));
    row[D + 2 + d] = static_cast<T>(fluid.v[d][k] * c.inverse_c0);
  }
  row[D] = static_cast<T>(StateEquationLinear::pressure(fluid.s[k]));
  row[D + 1] = static_cast<T>(fluid.mass[k] * c.inverse_mass / (1 + fluid.s[k]));
}

/// v += a dt/2; rows at x + v dt/2.
template <class T, int D>
void Step<T, D>::kick_and_drift_half() {
  auto& fluid = flow_.fluid;
  const double dt = flow_.time_step;
  const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    for (int d = 0; d < D; ++d)
      fluid.v[d][static_cast<std::size_t>(i)] += 0.5 * dt * fluid.a[d][static_cast<std::size_t>(i)];
    write_moving(i, dt);
  }
  flow_.timers.lap(Phase::integrate);
}

template <class T, int D>
void Step<T, D>::sum_rates() {
  auto in = flow_.input();
  in.target_rows = flow_.fluid_fluid.target_rows();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::RateResults<T, D> out{flow_.divergence.data(), flow_.diffusion.data(), {}};
  for (int d = 0; d < D; ++d) out.viscous[d] = flow_.viscous[d].data();
  const auto rates = flow_.constants().viscosity == physics::delta::FluidViscosity::morris
                         ? flow_.sweeps.rates_morris
                         : flow_.sweeps.rates_monaghan_cleary;
  for_blocks(flow_.fluid_fluid.chunks().size(),
             [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
  flow_.timers.lap(Phase::rates);
}

/// rho += dt d rho/dt;  x += dt v.
template <class T, int D>
void Step<T, D>::update_density_and_drift() {
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const double dt = flow_.time_step, factor = dt * c.rate * c.kernel, delta = flow_.world().method.density_diffusion;
  const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double continuity = -(1 + fluid.s[k]) * static_cast<double>(flow_.divergence[k]);
    fluid.s[k] += factor * (continuity + delta * static_cast<double>(flow_.diffusion[k]));
    for (int d = 0; d < D; ++d) fluid.x[d][k] += dt * fluid.v[d][k];
    write_pressed(i);
  }
  flow_.timers.lap(Phase::integrate);
}

/// Velocities of the domain's walls at time t.
template <class T, int D>
void Step<T, D>::set_wall_velocities(double t) {
  auto& wall = flow_.wall;
  const auto& sides = flow_.world().sides;
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (wall.owner[k] >= 0) continue;
    const auto& velocity = sides[static_cast<std::size_t>(-1 - wall.owner[k])].velocity;
    Vec3 x;
    for (int d = 0; d < D; ++d) x[d] = wall.x[d][k];
    for (int d = 0; d < D; ++d)
      wall.v[d][k] = velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, t});
  }
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
  for_blocks(flow_.wall_fluid.chunks().size(),
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
      Vec3 x;
      for (int d = 0; d < D; ++d) x[d] = wall.x[d][k];
      const Vec3 g = to_dimensionless * body_force(x, t);
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
  gather(flow_.fluid_routes, flow_.pressed);
}

template <class T, int D>
void Step<T, D>::sum_forces() {
  auto in = flow_.input();
  in.target_rows = flow_.fluid_fluid.target_rows();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  physics::delta::ForceResults<T, D> out{};
  out.surface = flow_.surface.data();
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = flow_.pressure_force[d].data();
    out.shift[d] = flow_.shift[d].data();
  }
  for_blocks(flow_.fluid_fluid.chunks().size(),
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.forces(in, out, first, last); });
  flow_.timers.lap(Phase::forces);
}

/// a = pressure + viscosity + body forces;  v += a dt/2;  G from the pressure force;  x += shift.
template <class T, int D>
void Step<T, D>::kick_half_and_shift(double dt) {
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double acceleration = c.rate * c.c0 * c.kernel;
  const double strength = method.shifting ? method.shifting_strength * c.length.smoothing_length * dt * c.kernel /
                                                c.length.interaction_radius
                                          : 0.0;
  const double cap = method.shifting_cap * c.length.spacing;
  const double keep = damping > 0 ? portable::exp(-damping * dt) : 1.0;
  const double limit2 = c.speed_limit * c.speed_limit, jump2 = c.length.cell_edge * c.length.cell_edge;
  const std::int64_t n = fluid.size();
  ExtentSum<D> velocity, acceleration_extent, moved;
  std::int64_t bad = 0, contacts = 0;
  const auto chunks = flow_.fluid_wall.chunks();
  const auto near_walls = [&](std::size_t k) { return chunks[k / neighbors::k_chunk].length > 0; };
#pragma omp declare reduction(extent : ExtentSum<D> : omp_out.merge(omp_in))
#pragma omp parallel for schedule(static) reduction(extent : velocity, acceleration_extent, moved) \
    reduction(+ : bad, contacts)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = fluid.x[d][k];
    const Vec3 g = body_force(x, flow_.time);
    const double per_density = acceleration / (1 + fluid.s[k]);
    double v2 = 0, a2 = 0, shift2 = 0, m2 = 0;
    std::array<double, D> v_i, a_i, moved_i;
    for (int d = 0; d < D; ++d) {
      const double pressure = static_cast<double>(flow_.pressure_force[d][k]);
      const double viscous = static_cast<double>(flow_.viscous[d][k]);
      const double a = per_density * pressure - acceleration * viscous + g[d];
      v[d] = (fluid.v[d][k] + 0.5 * dt * a) * keep;
      fluid.a[d][k] = a;
      fluid.G[d][k] = -c.kernel * pressure;
      a_i[static_cast<std::size_t>(d)] = a;
      a2 += a * a;
      v2 += v[d] * v[d];
      shift2 += static_cast<double>(flow_.shift[d][k]) * static_cast<double>(flow_.shift[d][k]);
    }
    const double wanted = strength * std::sqrt(v2), length = wanted * std::sqrt(shift2);
    const double factor = length > cap ? wanted * (cap / length) : wanted;
    for (int d = 0; d < D; ++d) x[d] += factor * static_cast<double>(flow_.shift[d][k]);
    if (contact_.with_sides(x, v) || (near_walls(k) && contact_.with_bodies(x, v))) ++contacts;
    for (int d = 0; d < D; ++d) {
      fluid.x[d][k] = x[d];
      fluid.v[d][k] = v[d];
      const double m = x[d] - fluid.x_ref[d][k];
      v_i[static_cast<std::size_t>(d)] = v[d];
      moved_i[static_cast<std::size_t>(d)] = m;
      m2 += m * m;
    }
    bad += !(v2 <= limit2) || !(m2 <= jump2) || !(std::abs(fluid.s[k]) < 0.5) || !(a2 < INFINITY);
    velocity.add(v_i, v2);
    acceleration_extent.add(a_i, a2);
    moved.add(moved_i, m2);
  }
  flow_.contacts += contacts;
  flow_.control = {velocity.extent(), acceleration_extent.extent(), moved.extent(), bad > 0};
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
  for_blocks(flow_.wall_reaction().chunks().size(),
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
  for_blocks(flow_.wall_reaction().chunks().size(),
             [&](std::int64_t first, std::int64_t last) { flow_.sweeps.pressure_reaction(in, out, first, last); });
  flow_.timers.lap(Phase::observe);
}

template <class T, int D>
void Step<T, D>::start() {
  const auto& c = flow_.constants();
  auto& wall = flow_.wall;
  for (std::int64_t i = 0; i < wall.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    T* row = flow_.walls.row(flow_.wall_rows.slot[k]);
    std::fill(row, row + flow_.walls.stride(), T(0));
    for (int d = 0; d < D; ++d) flow_.walls.put_fixed(row + d, c.fixed.wrapped(wall.x[d][k]));
    row[D + 1] = static_cast<T>(wall.volume[k] / c.volume);
    row[3 * D + 2] = static_cast<T>(wall.no_slip[k] != 0 ? 1 : 0);
  }
  set_wall_velocities(flow_.time);
  flow_.timers.start();
  flow_.rebuild();
  const std::int64_t n = flow_.fluid.size();
  flow_.time_step = 0;
  for (std::int64_t i = 0; i < n; ++i) write_moving(i, 0), write_pressed(i);
  gather(flow_.fluid_routes, flow_.pressed);
  extrapolate_to_walls();
  gather(flow_.wall_routes, flow_.walls);
  extrapolate_to_openings(flow_.time, 0);
  openings_.drift_half(0, damping > 0);
  gather(flow_.fluid_routes, flow_.moving);
  sum_rates();
  openings_.discard_rates();
  sum_forces();
  openings_.discard_forces();
  kick_half_and_shift(0);
  openings_.hold();
}

template class Step<float, 2>;
template class Step<float, 3>;
template class Step<double, 2>;
template class Step<double, 3>;

}  // namespace eddyline::integrate
