#include "solvers/mps/liquid.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "comm/collectives.hpp"
#include "neighbors/fields.hpp"

namespace eddyline::mps {

using physics::mps::FluidColumns;
using physics::mps::WallColumns;

namespace {

world::World with_whole_periods(world::World world) {
  const FixedPoint fixed(particles::lengths(world).interaction_radius);
  for (int d = 0; d < world.dimensions; ++d)
    if (world.sides[2 * static_cast<std::size_t>(d)].kind == world::SideKind::periodic)
      world.size[d] = fixed.round(world.size[d]);
  return world;
}

solver::Execution prepare(solver::Execution execution) {
  if (execution.lazy.every > 1)
    throw UserError("lazy = " + std::to_string(execution.lazy.every) +
                    ": the solver mps exchanges particles at every step; use lazy = 1.");
  if (execution.all_pairs)
    throw UserError("neighbors = \"all\": the solver mps needs cells; use neighbors = \"cells\".");
  const int most = execution.cores > 0 ? execution.cores : all_threads();
  omp_set_num_threads(execution.threads > 0 ? execution.threads : most);
  execution.instructions = choose_instructions(execution.instructions);
  return execution;
}

bool has_free_surface(const world::World& world) {
  return !world.regions.empty() ||
         std::ranges::any_of(world.sides, [](const world::Side& side) { return side.kind == world::SideKind::open; });
}

}  // namespace

Constants::Constants(const world::World& world)
    : options(options_of(world)),
      length(particles::lengths(world)),
      fixed(length.interaction_radius),
      R(length.interaction_radius),
      scale(fixed.quantum() / R),
      rho(world.fluid.density),
      free_surface(has_free_surface(world)),
      pressure_is_given(free_surface || std::ranges::any_of(world.openings, [](const world::Opening& opening) {
                          return !opening.inflow || opening.pressure_imposed;
                        })) {
  const Vec3 step = particles::lattice_spacing(world);
  factors = physics::mps::factors(options.weights, step, world.dimensions, R);
  volume = step.x * step.y * (world.dimensions == 3 ? step.z : 1.0);
  mass = rho * volume;
  if (options.density_correction < 0) options.density_correction = free_surface ? 0.1 : 0.05;
}

template <int D>
Liquid<D>::Liquid(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : fluid_halo(communicator, execution.exchange, execution.between, tags.take("fluid")),
      wall_halo(communicator, execution.exchange, execution.between, tags.take("walls")),
      forcing(world),
      contact(world),
      wall_friction(world),
      openings(world),
      world_(with_whole_periods(world)),
      execution_(prepare(execution)),
      communicator_(communicator),
      constants_(world_),
      subdomain_(world_, constants_.length, constants_.fixed, execution_, 0, communicator, tags),
      walls_move_(std::ranges::any_of(world.bodies, [](const auto& body) { return body.motion.has_value(); })) {
  forcing = domain::ExternalForcing<D>(world_);  // it keeps a pointer
  wall.can_move = walls_move_ || std::ranges::any_of(world.sides, &world::Side::slides);
  sweeps = physics::mps::choose_sweeps<D>(execution_.instructions, constants_.options.weights);
  place();
}

template <int D>
void Liquid<D>::place() {
  const particles::Placement placement = particles::place(world_, [&](Vec3 x) { return is_here(x); });
  std::int64_t anywhere = static_cast<std::int64_t>(placement.fluid.size());
  comm::sum(communicator_, {&anywhere, 1}, "placing particles");
  if (anywhere == 0)
    throw UserError(
        "the world holds no fluid: no lattice point lies in a region and outside all bodies. Check regions and "
        "spacing.");
  fluid.has_volumes = world_.start.fitted;
  fluid.for_each_array([&](auto& array) { array.assign(placement.fluid.size(), 0); });
  for (std::size_t i = 0; i < placement.fluid.size(); ++i) {
    const auto& particle = placement.fluid[i];
    fluid.id[i] = particle.id;
    fluid.p[i] = particle.pressure / constants_.rho;
    fluid.buffer[i] = particle.buffer;
    if (fluid.has_volumes) fluid.volume[i] = static_cast<float>(particle.volume / constants_.volume);
    for (int d = 0; d < D; ++d) {
      fluid.x[d][i] = particle.position[d];
    }
  }
  domain::place_walls(placement, wall);
  rest_walls();
  send_walls();
}

/// Sets the places of walls half a step ahead to their present places.
template <int D>
void Liquid<D>::rest_walls() {
  if (!walls_move_) return;
  wall_middle_.resize(wall.id.size());
  wall_turn_.assign(wall.id.size(), 0);
  for (int d = 0; d < D; ++d) std::copy_n(wall.x[d], wall.id.size(), wall_middle_[d]);
}

template <int D>
void Liquid<D>::start(double time) {
  forcing.set_wall_velocities(wall, time);
  find_poses(motion_time(time));
  find_middle(0);
  move_walls(time, 0);
  rebuild(0, 0);
}

template <int D>
void Liquid<D>::find_middle(double dt) {
  middle.resize(fluid.id.size());
  const std::int64_t n = fluid.size();
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d], *v = fluid.v[d];
    double* to = middle[d];
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) to[i] = x[i] + 0.5 * dt * v[i];
  }
  if (openings.empty()) return;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {  // buffers move along the normals of their openings
    const auto k = static_cast<std::size_t>(i);
    if (fluid.buffer[k] == 0) continue;
    const int axis = openings.all()[fluid.buffer[k] - 1u].sites.axis;
    for (int d = 0; d < D; ++d)
      if (d != axis) middle[d][k] = fluid.x[d][k];
  }
}

/// Largest distance of a particle's middle from the place by which it was sorted, of all ranks.
template <int D>
double Liquid<D>::farthest_moved() const {
  const auto farthest = [](const VectorArray<double, D>& now, const VectorArray<double, D>& then) {
    const auto n = static_cast<std::int64_t>(now.size());
    double most2 = 0;
#pragma omp parallel for schedule(static) reduction(max : most2)
    for (std::int64_t i = 0; i < n; ++i) {
      double moved2 = 0;
      for (int d = 0; d < D; ++d) moved2 += (now[d][i] - then[d][i]) * (now[d][i] - then[d][i]);
      most2 = moved2 > most2 ? moved2 : most2;
    }
    return std::sqrt(most2);
  };
  double most[] = {farthest(middle, fluid.place), walls_move_ ? farthest(wall_middle_, wall_places_) : 0.0};
  comm::maximum(communicator_, most, "drift");
  return std::max(most[0], most[1]);
}

template <int D>
void Liquid<D>::move_to_midpoint(double time, double dt, double speed) {
  find_middle(dt);
  forcing.set_wall_velocities(wall, time);
  move_walls(time, dt);
  if (bodies_change() || !(2 * farthest_moved() <= k_safe_margin * margin_)) rebuild(dt, speed);
  write_wall_rows(time + 0.5 * dt, dt);
  timers.lap(Phase::integrate);
}

// --- walls ----------------------------------------------------------------------------------------------------------

template <int D>
void Liquid<D>::find_poses(double time) {
  if (!walls_move_) return;
  poses_.resize(world_.bodies.size());
  for (std::size_t b = 0; b < poses_.size(); ++b) {
    const auto& motion = world_.bodies[b].motion;
    poses_[b] = motion ? std::optional(motion->at(time)) : std::nullopt;
  }
}

/// Moves the particles of bodies from the begin of a step to its end, and finds their places in between. Their
/// velocity stays that at the begin: the pressure equation takes its change from the acceleration.
template <int D>
void Liquid<D>::move_walls(double time, double dt) {
  wall_speed_ = 0;
  if (!walls_move_) return;
  find_poses(motion_time(time));
  const std::size_t n = wall.id.size();
  wall_middle_.resize(n), wall_turn_.resize(n);
  const auto begin = poses_;
  find_poses(motion_time(time + dt));
  for (std::size_t k = 0; k < n; ++k) {
    const auto* pose = pose_of(wall.owner[k]);
    const Vec3 X = vector_of(wall.x_file, k);
    Vec3 x = vector_of(wall.x, k), end = x, change;
    if (pose != nullptr) {
      const world::Pose before = begin[static_cast<std::size_t>(wall.owner[k])].value_or(*pose);
      x = before.place(X), end = pose->place(X);
      const Vec3 v = before.velocity_at(x), v_end = pose->velocity_at(end);
      change = v_end - v;
      wall_speed_ = std::max({wall_speed_, norm(v), norm(v_end)});
      for (int d = 0; d < D; ++d) wall.x[d][k] = end[d], wall.v[d][k] = v[d];
    }
    for (int d = 0; d < D; ++d) {
      wall_middle_[d][k] = 0.5 * (x[d] + end[d]);
      wall_turn_[d][k] = dt > 0 ? constants_.R * change[d] / dt : 0.0;
    }
  }
  double most[] = {wall_speed_};
  comm::maximum(communicator_, most, "walls");
  wall_speed_ = most[0];
}

template <int D>
void Liquid<D>::write_wall_rows(double time, double dt) {
  (void)dt;
  using Columns = WallColumns<D>;
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto row = wall_rows_data.row(wall_rows.row_of(k));
    for (int column = 0; column < wall_rows_data.room(); ++column) row[column] = 0;
    const Vec3 x = vector_of(walls_move_ ? wall_middle_ : wall.x, k);
    const Vec3 force = forcing.force(x, time);
    const double share = wall.owner[k] >= 0 ? particles::fraction_inside_walls(world_, x) : 1.0;
    row[Columns::k_volume] = static_cast<float>(share * wall.volume[k] / constants_.volume);
    for (int d = 0; d < D; ++d) {
      wall_rows_data.put_fixed(row.first + d, constants_.fixed.wrapped(x[d]));
      row[Columns::k_velocity + d] = row[Columns::k_mirrored + d] = static_cast<float>(wall.velocity(k, d));
      row[Columns::k_drive + d] = static_cast<float>(constants_.R * force[d] - (walls_move_ ? wall_turn_[d][k] : 0.0));
    }
    row[Columns::k_no_slip] = wall.no_slip[k] != 0 ? static_cast<float>(friction_ratio) : 0.0F;
  }
  gather_walls();
}

template <int D>
void Liquid<D>::gather_fluid() {
  fluid_halo.gather(timers, neighbors::RowField<float>(rows, D));
}

template <int D>
void Liquid<D>::gather_walls() {
  wall_halo.gather(neighbors::RowField<float>(wall_rows_data, D));
}

template <int D>
physics::mps::Input Liquid<D>::fluid_input() const {
  physics::mps::Input in;
  in.fluid = rows.data(), in.walls = wall_rows_data.data();
  in.targets = fluid_fluid.targets();
  in.fluid_neighbors = fluid_fluid.chunks().data();
  in.wall_neighbors = fluid_wall.chunks().data();
  in.scale = static_cast<float>(constants_.scale);
  in.cut = static_cast<float>(constants_.factors.cut);
  in.least_wall_pressure = constants_.free_surface ? 0.0F : std::numeric_limits<float>::lowest();
  return in;
}

template <int D>
physics::mps::Input Liquid<D>::wall_input() const {
  physics::mps::Input in = fluid_input();
  in.targets = wall_fluid.targets();
  in.fluid_neighbors = wall_fluid.chunks().data();
  in.wall_neighbors = nullptr;
  return in;
}

template <int D>
std::int64_t Liquid<D>::memory() const {
  const auto sum = [](const auto&... each) { return (std::size_t{0} + ... + each.bytes()); };
  std::size_t bytes = sum(rows, wall_rows_data, fluid_rows, wall_rows, subdomain_, reorder_, fluid_fluid, fluid_wall,
                          wall_fluid, layout(), middle, wall_places_, wall_middle_, wall_turn_, fluid_of_row_);
  for (int d = 0; d < D; ++d) bytes += sum(fluid_positions_.x[d], wall_positions_.x[d]);
  const auto add = [&](const auto& array) { bytes += array.bytes(); };
  const_cast<FluidState<D>&>(fluid).for_each_array(add);
  const_cast<domain::WallState<D>&>(wall).for_each_array(add);
  return static_cast<std::int64_t>(bytes);
}

template class Liquid<2>;
template class Liquid<3>;

}  // namespace eddyline::mps
