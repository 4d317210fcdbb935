#include "solvers/mps/step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"
#include "comm/collectives.hpp"
#include "neighbors/fields.hpp"
#include "physics/sph/free_surface.hpp"

namespace eddyline::mps {

using physics::mps::FluidColumns;
using physics::mps::WallColumns;

namespace {

constexpr double k_inside = 0.95, k_attached = 0.4, k_lone = 0.2;  // smallest eigenvalues of the matrix M
constexpr double k_shifting = 6;                                   // A of shifting, as of the solver sph
constexpr double k_farthest_shift = 0.1;                           // in spacings
constexpr double k_viscous_limit = 0.125;                          // dt <= 0.125 dx^2 / nu
constexpr double k_fall_limit = 0.5;                               // dt <= 0.5 sqrt(dx / g)

/// Height of the fluid along gravity, of all ranks [m].
template <int D>
double height_of(const Liquid<D>& liquid) {
  const Vec3 g = liquid.world().gravity;
  const double strength = norm(g);
  if (!(strength > 0)) return 0;
  double extent[] = {-INFINITY, -INFINITY};
  for (std::size_t i = 0; i < liquid.fluid.id.size(); ++i) {
    const double up = -dot(g, vector_of(liquid.fluid.x, i)) / strength;
    extent[0] = std::max(extent[0], up), extent[1] = std::max(extent[1], -up);
  }
  comm::maximum(liquid.communicator(), extent, "start");
  return extent[0] + extent[1] + liquid.world().spacing;
}

}  // namespace

template <int D>
Step<D>::Step(Liquid<D>& liquid) : liquid_(liquid), pressure_(liquid), openings_(liquid) {
  find_viscosity();
}

template <int D>
void Step<D>::find_viscosity() {
  const auto& c = liquid_.constants();
  const double nu = liquid_.world().fluid.kinematic_viscosity;
  nu_ = nu + c.options.artificial_viscosity * c.length.spacing * std::sqrt(norm(liquid_.world().gravity) * height_);
  liquid_.friction_ratio = nu_ > 0 ? nu / nu_ : 0;
}

template <int D>
void Step<D>::set_start_velocity() {
  auto& fluid = liquid_.fluid;
  const auto& velocity = liquid_.world().start.velocity;
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const Vec3 x = vector_of(fluid.x, i);
    for (int d = 0; d < D; ++d)
      fluid.v[d][i] = damping > 0 ? 0 : velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, 0.0});
  }
}

template <int D>
void Step<D>::start() {
  liquid_.settles = damping > 0;
  set_start_velocity();
  height_ = height_of(liquid_);
  find_viscosity();
  liquid_.start(control.time);
  if (!liquid_.openings.empty()) {
    write_rows();
    openings_.set(control.time, 0, 0, damping > 0);
    for (const std::int32_t i : liquid_.openings.members()) {
      const auto k = static_cast<std::size_t>(i);
      const Vec3 v = openings_.velocity_of(k);
      for (int d = 0; d < D; ++d) liquid_.fluid.v[d][k] = v[d];
    }
  }
  control.pressure = norm(liquid_.world().gravity) * height_, control.speed = 0;
  for (std::size_t i = 0; i < liquid_.fluid.id.size(); ++i)
    control.speed = std::max(control.speed, norm(vector_of(liquid_.fluid.v, i)));
  agree();
}

template <int D>
void Step<D>::save(ArchiveWriter& archive) const {
  archive.put_value("moment", std::array{control.time, control.time_step, control.speed, control.pressure, height_});
  archive.put_value("iterations", control.iterations);
  archive.put_value("contacts", control.contacts);
}

template <int D>
void Step<D>::restore(const std::vector<ArchiveReader>& parts) {
  auto& communicator = liquid_.communicator();
  std::array<double, 5> moment{};
  comm::agree(communicator, "checkpoint", [&] {
    control.contacts = 0;
    for (const auto& part : parts) {
      std::int64_t contacts = 0;
      part.get_value("contacts", contacts);
      control.contacts += contacts;
    }
    if (!communicator.is_root()) return;
    parts.at(0).get_value("moment", moment);
    parts.at(0).get_value("iterations", control.iterations);
  });
  moment = comm::broadcast(communicator, moment, 0, "checkpoint");
  control.iterations = comm::broadcast(communicator, control.iterations, 0, "checkpoint");
  control.time = moment[0], control.time_step = moment[1], control.speed = moment[2], control.pressure = moment[3];
  height_ = moment[4];
  structure_of_ = -1;
  find_viscosity();
}

template <int D>
void Step<D>::world_changed() {
  liquid_.forcing = domain::ExternalForcing<D>(liquid_.world());
  find_viscosity();
  control.time_step = choose_time_step();
}

template <int D>
void Step<D>::advance(bool reactions) {
  const double dt = control.time_step;
  liquid_.timers.start();
  liquid_.timers.current = Phase::pack;
  liquid_.move_to_midpoint(control.time, dt, control.speed);
  write_rows();
  if (!liquid_.openings.empty()) openings_.set(control.time + dt, dt, control.speed, damping > 0);
  mirror_walls();
  sum_neighborhoods();
  predict(dt);
  solve_pressure(dt);
  if (!control.solve.converged()) {
    control.good = false;
    return;
  }
  sum_gradient();
  if (reactions) react();
  correct(dt, reactions);
  control.time += dt;
  ++liquid_.steps;
  agree();
}

/// The largest step that is stable:
///   dt <= cfl dx / |u|,  dt <= dx / sqrt(p / rho),  dt <= 0.125 dx^2 / nu,  dt <= 0.5 sqrt(dx / |g|)
/// The gradient with sums of pressures is a spring of a stiffness proportional to p. Pressures of impacts grow as 1/dt:
/// those above rho (u^2 + g H) do not count.
template <int D>
double Step<D>::choose_time_step() const {
  const auto& c = liquid_.constants();
  const double dx = c.length.spacing;
  const double gravity = norm(liquid_.world().gravity);
  const Vec3* uniform = liquid_.forcing.uniform_force();
  const double drive = uniform != nullptr ? std::max(gravity, norm(*uniform)) : gravity;
  const double speed = std::max(control.speed, liquid_.wall_speed());
  double dt = INFINITY;
  if (speed > 0) dt = std::min(dt, c.options.cfl * dx / speed);
  const double p = std::min(control.pressure, speed * speed + gravity * height_);
  if (c.free_surface && p > 0) dt = std::min(dt, dx / std::sqrt(p));
  if (nu_ > 0) dt = std::min(dt, k_viscous_limit * dx * dx / nu_);
  if (drive > 0) dt = std::min(dt, k_fall_limit * std::sqrt(dx / drive));
  return std::isfinite(dt) ? dt : dx;  // nothing moves
}

// --- before the pressure --------------------------------------------------------------------------------------------

/// Writes places half a step ahead and velocities at the begin of the step.
template <int D>
void Step<D>::write_rows() {
  if (structure_of_ != liquid_.rebuilds) {
    pressure_.equation.find_structure();
    if (!liquid_.openings.empty()) openings_.rebuilt();
    structure_of_ = liquid_.rebuilds;
  }
  const auto& c = liquid_.constants();
  const auto& fluid = liquid_.fluid;
  const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto row = liquid_.rows.row(liquid_.fluid_rows.row_of(k));
    for (int d = 0; d < D; ++d) {
      liquid_.rows.put_fixed(row.first + d, c.fixed.wrapped(liquid_.middle[d][k]));
      row[FluidColumns<D>::k_velocity + d] = static_cast<float>(fluid.v[d][k]);
    }
    row[FluidColumns<D>::k_pressure] = static_cast<float>(fluid.p[k]);
    row[FluidColumns<D>::k_share] = fluid.volume_of(k);
  }
  liquid_.gather_fluid();
}

/// Gives walls to which the fluid sticks the velocity of the fluid, mirrored: 2 v_w - <u>.
template <int D>
void Step<D>::mirror_walls() {
  if (!(nu_ > 0 && liquid_.friction_ratio > 0)) return;
  const std::size_t whole = liquid_.wall_fluid.chunks().size() * neighbors::k_chunk;
  wall_weight_.resize(whole), wall_mean_pressure_.resize(whole);
  physics::mps::WallMeans<D> out{wall_weight_.data(), {}, wall_mean_pressure_.data()};
  for (int d = 0; d < D; ++d) wall_velocity_[d].resize(whole), out.velocity[d] = wall_velocity_[d].data();
  const auto in = liquid_.wall_input();
  liquid_.for_chunks(liquid_.wall_fluid,
                     [&](std::int64_t first, std::int64_t last) { liquid_.sweeps.walls(in, out, first, last); });
  const std::int64_t n = liquid_.wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!(wall_weight_[k] > 0)) continue;
    const auto row = liquid_.wall_rows_data.row(liquid_.wall_rows.row_of(k));
    for (int d = 0; d < D; ++d)
      row[WallColumns<D>::k_mirrored + d] =
          2 * row[WallColumns<D>::k_velocity + d] - wall_velocity_[d][k] / wall_weight_[k];
  }
  liquid_.gather_walls();
  liquid_.timers.lap(Phase::walls);
}

template <int D>
void Step<D>::sum_neighborhoods() {
  const std::size_t whole = liquid_.fluid_fluid.chunks().size() * neighbors::k_chunk;
  physics::mps::Neighborhoods<D> out{};
  density_.resize(whole), laplacian_.resize(whole);
  out.density = density_.data(), out.laplacian = laplacian_.data();
  for (int d = 0; d < D; ++d) {
    concentration_[d].resize(whole), viscous_[d].resize(whole);
    out.concentration[d] = concentration_[d].data(), out.viscous[d] = viscous_[d].data();
  }
  for (int k = 0; k < physics::mps::k_moments<D>; ++k) moment_[k].resize(whole), out.moment[k] = moment_[k].data();
  const auto& sweeps = liquid_.sweeps;
  const auto sweep = !(nu_ > 0)                         ? sweeps.neighborhoods
                     : liquid_.constants().free_surface ? sweeps.neighborhoods_central
                                                        : sweeps.neighborhoods_laplacian;
  const auto in = liquid_.fluid_input();
  liquid_.for_chunks(liquid_.fluid_fluid, [&](std::int64_t first, std::int64_t last) { sweep(in, out, first, last); });
  liquid_.timers.lap(Phase::rates);
}

/// Tells whether the smallest eigenvalue of M = sum B r r exceeds t.
template <int D>
bool Step<D>::exceeds(std::size_t i, double t) const {
  using S = Pack<double, 1>;
  S m[physics::mps::k_moments<D>];
  for (int k = 0; k < physics::mps::k_moments<D>; ++k)
    m[k] = S(liquid_.constants().factors.B * static_cast<double>(moment_[k][i]));
  return physics::smallest_eigenvalue_exceeds<D>(m, S(t)).m;
}

/// Velocities without pressure and gravity, and the particles that take part: u* = u + dt nu laplace u. A force that
/// varies in space is part of u*.
template <int D>
void Step<D>::predict(double dt) {
  const auto& c = liquid_.constants();
  auto& fluid = liquid_.fluid;
  const std::int64_t n = fluid.size();
  predicted_.resize(fluid.id.size());
  const double viscous = nu_ / (c.R * c.R) * (c.free_surface ? 2 * (D + 2) * c.factors.B : c.factors.A);
  const bool free_surface = c.free_surface;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto row = liquid_.rows.row(liquid_.fluid_rows.row_of(k));
    fluid.surface[k] = !free_surface || exceeds(k, k_inside) ? k_inside_fluid
                       : exceeds(k, k_attached)              ? k_at_surface
                                                             : k_isolated;
    const float volume = fluid.volume_of(k);
    row[FluidColumns<D>::k_share] = !free_surface || exceeds(k, k_lone) ? volume : 0;
    if (fluid.buffer[k] != 0) {
      fluid.surface[k] = k_inside_fluid;
      const Vec3 v = openings_.velocity_of(k);
      for (int d = 0; d < D; ++d) row[FluidColumns<D>::k_velocity + d] = static_cast<float>(predicted_[d][k] = v[d]);
      row[FluidColumns<D>::k_share] = volume;
      continue;
    }
    for (int d = 0; d < D; ++d) {
      predicted_[d][k] = fluid.v[d][k] + (nu_ > 0 ? dt * viscous * static_cast<double>(viscous_[d][k]) : 0.0);
      row[FluidColumns<D>::k_velocity + d] = static_cast<float>(predicted_[d][k]);
    }
  }
  liquid_.timers.lap(Phase::integrate);
  liquid_.gather_fluid();
}

// --- the pressure ---------------------------------------------------------------------------------------------------

/// sum_fluid A (p_j - p_i) + sum_walls A g . r_wi - d p_i = [div u* - gamma (n - 1) / dt] / dt
/// Walls carry p_w = p_i + g . r_wi, g relative to the wall. At the surface d makes up for the missing neighbours, as
/// if space held p = 0. Source: Tanaka & Masunaga 2010 (source term), Shibata et al. 2015 (space potential).
template <int D>
void Step<D>::solve_pressure(double dt) {
  const auto& c = liquid_.constants();
  const std::size_t whole = liquid_.fluid_fluid.chunks().size() * neighbors::k_chunk;
  divergence_.resize(whole), walls_.resize(whole);
  auto& equation = pressure_.equation;
  const auto in = liquid_.fluid_input();
  const physics::mps::Equation<D> out{divergence_.data(), walls_.data(), equation.matrix()};
  liquid_.for_chunks(liquid_.fluid_fluid,
                     [&](std::int64_t first, std::int64_t last) { liquid_.sweeps.equation(in, out, first, last); });
  const std::int64_t n = liquid_.fluid.size();
  p_.resize(equation.level(0).extent());
  const double square = c.R * c.R, gamma = c.options.density_correction;
  const bool compensates = c.options.weights == physics::mps::Weights::ecs;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int32_t slot = liquid_.fluid_rows.row_of(k);
    const auto row = static_cast<std::size_t>(slot);
    const bool inside = liquid_.fluid.surface[k] == k_inside_fluid;
    const auto volume = static_cast<double>(liquid_.fluid.volume_of(k));  // a factor of the whole row
    const double divergence = c.factors.S / c.R * static_cast<double>(divergence_[k]) / volume;
    double excess = volume * c.factors.itself + c.factors.N * static_cast<double>(density_[k]) - 1;
    if (!inside) excess = std::max(excess, 0.0);
    const double laplacian = c.factors.A * static_cast<double>(laplacian_[k]);
    const bool takes_part = liquid_.rows.row(slot)[FluidColumns<D>::k_share] > 0;
    // With error compensation: Khayyer & Gotoh 2011, the change of n is -n div u.
    const double correction =
        compensates ? std::abs(excess) * -divergence + std::abs(dt * divergence) * excess / dt : gamma * excess / dt;
    equation.own[row] = !takes_part ? c.factors.laplacian
                        : inside    ? 0.0
                                    : volume * std::max(0.0, c.factors.laplacian - laplacian);
    equation.right_side[row] =
        takes_part ? c.factors.A * static_cast<double>(walls_[k]) - volume * square / dt * (divergence - correction)
                   : 0.0;
    p_[row] = liquid_.fluid.p[k];
  }
  if (!liquid_.openings.empty()) openings_.complete(equation, p_);
  liquid_.timers.lap(Phase::rates);
  liquid_.timers.current = Phase::forces;
  control.solve = pressure_.solve(p_);
  control.iterations += control.solve.iterations;
  liquid_.timers.lap();
  liquid_.timers.current = Phase::pack;
}

/// -grad p: with a free surface sum B (p_i + p_j) r_ji, which conserves momentum, of pressures that are nowhere
/// negative; else M^-1 sum B (p_j - p_i) r_ji. The classic weights come with sum B (p_j - min p) r_ji.
template <int D>
void Step<D>::sum_gradient() {
  const auto& c = liquid_.constants();
  auto& fluid = liquid_.fluid;
  const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const std::int32_t row = liquid_.fluid_rows.row_of(k);
    const double p = p_[static_cast<std::size_t>(row)];
    fluid.p[k] = c.free_surface ? std::max(p, 0.0) : p;
    liquid_.rows.row(row)[FluidColumns<D>::k_pressure] = static_cast<float>(fluid.p[k]);
  }
  if (!liquid_.openings.empty()) openings_.set_pressures();
  liquid_.fluid_halo.gather(liquid_.timers,
                            neighbors::RowField<float>(liquid_.rows, D, {FluidColumns<D>::k_pressure, 1}));
  const std::size_t whole = liquid_.fluid_fluid.chunks().size() * neighbors::k_chunk;
  lowest_.resize(whole);
  physics::mps::Gradient<D> out{{}, lowest_.data()};
  for (int d = 0; d < D; ++d) gradient_[d].resize(whole), out.sum[d] = gradient_[d].data();
  const bool sums = c.free_surface && c.options.weights == physics::mps::Weights::wendland;
  const auto sweep = sums ? liquid_.sweeps.gradient_of_sums : liquid_.sweeps.gradient_of_differences;
  const auto in = liquid_.fluid_input();
  liquid_.for_chunks(liquid_.fluid_fluid, [&](std::int64_t first, std::int64_t last) { sweep(in, out, first, last); });
  if (!liquid_.openings.empty()) openings_.complete_gradient(gradient_);
  liquid_.timers.lap(Phase::rates);
}

template <int D>
Vec3 Step<D>::gradient_of(std::size_t i) const {
  const auto& c = liquid_.constants();
  const double unit = c.factors.B / c.R, own = 1 / static_cast<double>(liquid_.fluid.volume_of(i));
  Vec3 sum, concentration;
  for (int d = 0; d < D; ++d) {
    sum[d] = own * static_cast<double>(gradient_[d][i]);
    concentration[d] = static_cast<double>(concentration_[d][i]);
  }
  if (c.options.weights != physics::mps::Weights::wendland) {
    const double above = liquid_.fluid.p[i] - static_cast<double>(lowest_[i]);
    return unit * (sum + above * concentration);
  }
  if (c.free_surface) return unit * sum;
  const auto m = [&](int k) { return c.factors.B * static_cast<double>(moment_[k][i]); };
  if constexpr (D == 2) {
    const double xx = m(0), yy = m(1), xy = m(2), determinant = xx * yy - xy * xy;
    return (unit / determinant) * Vec3{yy * sum.x - xy * sum.y, xx * sum.y - xy * sum.x, 0};
  } else {
    const double xx = m(0), yy = m(1), zz = m(2), xy = m(3), xz = m(4), yz = m(5);
    const Vec3 a{yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy};
    const Vec3 b{a.y, xx * zz - xz * xz, xy * xz - xx * yz};
    const Vec3 e{a.z, b.z, xx * yy - xy * xy};
    const double determinant = xx * a.x + xy * a.y + xz * a.z;
    return (unit / determinant) * Vec3{dot(a, sum), dot(b, sum), dot(e, sum)};
  }
}

// --- after the pressure ---------------------------------------------------------------------------------------------

/// u += dt (g - grad p), x += dt (u_old + u_new) / 2, shifting, contact with walls.
template <int D>
void Step<D>::correct(double dt, bool reactions) {
  auto& fluid = liquid_.fluid;
  const std::int64_t n = fluid.size();
  const double middle_time = control.time + 0.5 * dt;
  const double keep = damping > 0 ? portable::exp(-damping * dt) : 1.0;
  liquid_.contact.move_bodies(liquid_.motion_time(control.time + dt));
  const bool rubs = liquid_.wall_friction.acts();
  rubbed.clear();
  if (rubs) liquid_.wall_friction.move(liquid_.motion_time(control.time + dt));
  std::size_t inflow = 0;
  for (const auto& opening : liquid_.openings.all())
    if (opening.world.inflow && !opening.world.stream)
      liquid_.contact.set_allowed_depth(inflow++, opening.allowed_depth);
  const bool has_openings = !liquid_.openings.empty();
  double speed2 = 0, pressure = 0;
  bool bad = false;
  std::int64_t contacts = 0;
#pragma omp parallel for schedule(static) reduction(max : speed2, pressure) reduction(|| : bad) reduction(+ : contacts)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3 force = liquid_.forcing.force(vector_of(liquid_.middle, k), middle_time);
    const Vec3 old = vector_of(fluid.v, k);
    Vec3 v = vector_of(predicted_, k), x = vector_of(fluid.x, k);
    if (fluid.buffer[k] != 0) {
      const int axis = liquid_.openings.all()[fluid.buffer[k] - 1u].sites.axis;
      x[axis] += 0.5 * dt * (old[axis] + v[axis]);
    } else {
      v = keep * (v + dt * (force - gradient_of(k)));
      x = x + 0.5 * dt * (old + v);
      shift(k, dt * norm(v), x);
      if (liquid_.contact.with_sides(x, v)) ++contacts;
      if (has_openings && liquid_.contact.with_inflows(x, v)) ++contacts;
      if (liquid_.contact.with_bodies(x, v)) ++contacts;
      if (rubs && reactions) {
        std::vector<domain::WallFriction::Taken> taken;
        v = liquid_.wall_friction.after(x, v, dt, &taken);
        for (const auto& each : taken) {
          const Rubbed rub{each.owner, x, (liquid_.mass_of(k) / dt) * each.velocity, each.wall};
#pragma omp critical
          rubbed.push_back(rub);  // in any order: their sums are exact
        }
      } else if (rubs) {
        v = liquid_.wall_friction.after(x, v, dt);
      }
    }
    for (int d = 0; d < D; ++d) fluid.x[d][k] = x[d], fluid.v[d][k] = v[d];
    const double v2 = dot(v, v), p = fluid.p[k];
    bad = bad || !std::isfinite(v2) || !std::isfinite(p) || !std::isfinite(x.x + x.y + x.z);
    speed2 = v2 > speed2 ? v2 : speed2;
    pressure = p > pressure ? p : pressure;
  }
  control.contacts += contacts;
  control.speed = std::sqrt(speed2), control.pressure = pressure;
  if (bad) control.good = false;
  liquid_.timers.lap(Phase::integrate);
}

/// Moves a particle inside the fluid towards where particles are fewer: -A h |u| dt grad C. Source: Lind et al. 2012.
template <int D>
void Step<D>::shift(std::size_t i, double way, Vec3& x) const {
  const auto& c = liquid_.constants();
  if (!c.options.shifting || liquid_.fluid.surface[i] != k_inside_fluid) return;
  Vec3 by;
  for (int d = 0; d < D; ++d) by[d] = static_cast<double>(concentration_[d][i]);
  by = (-k_shifting * c.length.smoothing_length * way * c.factors.B / c.R) * by;
  const double length = norm(by), most = k_farthest_shift * c.length.spacing;
  x = x + (length > most ? most / length : 1.0) * by;
}

template <int D>
void Step<D>::react() {
  if (!liquid_.openings.empty()) openings_.find_forces(nu_);
  const std::size_t whole = liquid_.wall_fluid.chunks().size() * neighbors::k_chunk;
  physics::mps::Reactions<D> out{};
  for (int d = 0; d < D; ++d) {
    pressure_reaction[d].resize(whole), viscous_reaction[d].resize(whole);
    out.pressure[d] = pressure_reaction[d].data(), out.viscous[d] = viscous_reaction[d].data();
  }
  const auto sweep =
      liquid_.constants().free_surface ? liquid_.sweeps.reactions_central : liquid_.sweeps.reactions_laplacian;
  const auto in = liquid_.wall_input();
  liquid_.for_chunks(liquid_.wall_fluid, [&](std::int64_t first, std::int64_t last) { sweep(in, out, first, last); });
  liquid_.timers.lap(Phase::observe);
}

/// Combines the results of the step over all ranks and chooses the next step.
template <int D>
void Step<D>::agree() {
  double most[] = {control.speed, control.pressure, control.good ? 0.0 : 1.0, control.stop ? 1.0 : 0.0};
  comm::maximum(liquid_.communicator(), most, "control point");
  control.speed = most[0], control.pressure = most[1];
  control.good = most[2] == 0, control.stop = most[3] != 0;
  control.time_step = choose_time_step();
  liquid_.timers.lap(Phase::wait);
}

template class Step<2>;
template class Step<3>;

}  // namespace eddyline::mps
