#include "observe/observers.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "comm/collectives.hpp"
#include "observe/sampler.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/sph/tension.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::observe {

namespace {

constexpr std::array<std::string_view, 3> k_axis_names{"x", "y", "z"};
constexpr std::array<std::string_view, 6> k_side_names{"left", "right", "bottom", "top", "front", "back"};

template <int D>
void add_vector(Series& series, const std::string& name, const std::string& unit) {
  for (std::size_t d = 0; d < D; ++d) {
    series.columns.push_back(name + "_" + std::string(k_axis_names[d]));
    series.units.push_back(unit);
  }
}

/// What a dummy particle feels, in the unit of reaction sums; in 2D its z is 0.
template <class T, int D>
Vec3 reaction_of(const Array<T> (&reaction)[D], std::size_t i) {
  Vec3 f;
  for (int d = 0; d < D; ++d) f[d] = static_cast<double>(reaction[d][i]);
  return f;
}

/// The point of a body's surface that is nearest to its particle at X, both in the world file's place.
Vec3 surface_point(const world::Shape& shape, Vec3 X, double probe, int dimensions) {
  Vec3 outward;
  for (int d = 0; d < dimensions; ++d) {
    Vec3 step;
    step[d] = probe;
    outward[d] = shape.signed_distance(X + step) - shape.signed_distance(X - step);
  }
  const double length = norm(outward);
  return length > 0 ? X - (shape.signed_distance(X) / length) * outward : X;
}

}  // namespace

template <class T, int D>
world::Pose Observers<T, D>::pose_of(const world::Body& body) const {
  if (body.motion) return body.motion->at(flow_.time);
  const auto [lowest, highest] = body.shape->bounds();
  world::Pose pose;
  pose.pivot = 0.5 * (lowest + highest);
  return pose;
}

template <class T, int D>
Observers<T, D>::Observers(const integrate::Flow<T, D>& flow) : flow_(flow), walls_move_(flow.wall.can_move) {
  for (const auto& body : flow.world().bodies) moving_.push_back(body.motion.has_value());
  name_series();
  group_walls();
}

template <class T, int D>
void Observers<T, D>::world_changed() {
  name_series();
}

template <class T, int D>
void Observers<T, D>::name_series() {
  const auto& world = flow_.world();
  series_.clear();
  force_owners_.clear();
  const std::string per_length = D == 2 ? "/m" : "";
  Series budget{"budget", {"time", "step", "particles", "mass"}, {"s", "1", "1", "kg" + per_length}, {}};
  add_vector<D>(budget, "momentum", "kg m/s" + per_length);
  // The thermal energy of classic holds the work of compression as well.
  std::vector<const char*> energies{"kinetic_energy", "potential_energy"};
  if (flow_.fluid.classic)
    energies.insert(energies.end(), {"thermal_energy", "total_energy"});
  else
    energies.push_back("elastic_energy");
  for (const char* name : energies) {
    budget.columns.emplace_back(name);
    budget.units.push_back("J" + per_length);
  }
  budget.columns.insert(budget.columns.end(), {"max_speed", "left_mass"});  // left through open sides
  budget.units.insert(budget.units.end(), {"m/s", "kg" + per_length});
  if (has_tension()) {
    budget.columns.emplace_back("under_tension");
    budget.units.emplace_back("1");
  }
  if (walls_move_) {  // by all that moves, on the fluid
    budget.columns.emplace_back("work");
    budget.units.push_back("J" + per_length);
  }
  series_.push_back(budget);

  const auto add_force = [&](std::string_view name, std::int32_t owner) {
    Series force{"force." + std::string(name), {"time"}, {"s"}, {}};
    for (const char* part : {"total", "pressure", "viscous"}) add_vector<D>(force, part, "N" + per_length);
    if (owner >= 0 && D == 3) add_vector<D>(force, "torque", "N m");
    if (owner >= 0 && D == 2) {
      force.columns.emplace_back("torque");
      force.units.emplace_back("N m/m");
    }
    if (moves(owner)) {
      force.columns.emplace_back("power");
      force.units.push_back("W" + per_length);
    }
    series_.push_back(force);
    force_owners_.push_back(owner);
  };
  for (std::size_t b = 0; b < world.bodies.size(); ++b)
    if (world.bodies[b].shape != nullptr) add_force(world.bodies[b].name, static_cast<std::int32_t>(b));
  for (std::size_t s = 0; s < 2 * D; ++s)
    if (world.sides[s].kind == world::SideKind::wall) add_force(k_side_names[s], -1 - static_cast<std::int32_t>(s));

  for (const auto& opening : flow_.openings.all()) {
    Series series{"opening." + opening.world.name,
                  {"time", "mass_flow", "mass"},
                  {"s", D == 2 ? "kg/(m s)" : "kg/s", "kg" + per_length},
                  {}};
    add_vector<D>(series, "momentum", "kg m/s" + per_length);
    add_vector<D>(series, "force", "N" + per_length);
    series_.push_back(series);
  }

  for (const auto& probe : world.probes) {
    Series series{probe.name, {"time", "pressure"}, {"s", "Pa"}, {}};
    add_vector<D>(series, "velocity", "m/s");
    series.columns.emplace_back("fluid_fraction");
    series.units.emplace_back("1");
    series_.push_back(series);
  }
  for (const auto& gauge : world.gauges) series_.push_back({gauge.name, {"time", "height"}, {"s", "m"}, {}});
  for (const auto& f : world.fronts) series_.push_back({f.name, {"time", "position"}, {"s", "m"}, {}});
}

template <class T, int D>
void Observers<T, D>::group_walls() {
  beyond_.assign(flow_.wall.id.size(), -1);
  const double depth = flow_.constants().length.interaction_radius;
  for (std::size_t i = 0; i < beyond_.size(); ++i)
    for (std::size_t o = 0; o < flow_.openings.all().size(); ++o)
      if (flow_.openings.all()[o].sites.is_beyond(vector_of(flow_.wall.x, i), depth))
        beyond_[i] = static_cast<std::int32_t>(o);
  force_walls_.assign(force_owners_.size(), {});
  const WallShares shares(flow_.world(), flow_.time);
  std::map<std::int32_t, std::size_t> forces;
  for (std::size_t k = 0; k < force_owners_.size(); ++k) forces[force_owners_[k]] = k;
  for (std::size_t i = 0; i < beyond_.size(); ++i) {
    if (beyond_[i] >= 0) continue;
    const auto give = [&](std::int32_t owner, const Pushed& part) {
      if (const auto force = forces.find(owner); force != forces.end()) force_walls_[force->second].push_back(part);
    };
    const std::int32_t owner = flow_.wall.owner[i], wall = static_cast<std::int32_t>(i);
    bool rubs = true;
    for (const Share& share : shares.of(owner, vector_of(flow_.wall.x, i)))
      give(share.owner, {wall, share, share.owner == owner && std::exchange(rubs, false)});
    if (rubs) give(owner, {wall, {owner}, true});
  }
}

/// Unit of the reaction sums [N, or N/m in 2D].
template <class T, int D>
double Observers<T, D>::force_unit() const {
  const auto& c = flow_.constants();
  return c.rho0 * c.volume * c.rate * c.c0 * c.kernel;
}

// --- what this rank has ---------------------------------------------------------------------------------------------

template <class T, int D>
void Observers<T, D>::add_budget() {
  const auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const Vec3 gravity = flow_.world().gravity;
  const bool has_heat = fluid.classic;
  std::atomic<std::int64_t> particles{0};
  // Mass, momentum, kinetic, potential and inner energy.
  tally_.add_blocks<D + 4>(fluid.size(), [&](std::size_t first, std::size_t count, auto& of) {
    auto &mass = of[0], &kinetic = of[D + 1], &potential = of[D + 2], &inner = of[D + 3];
    BlockSum::Numbers v2{}, height{};
    std::int64_t flowing = 0;
    for (std::size_t l = 0; l < count; ++l) {
      const bool flows = fluid.buffer[first + l] == 0;
      mass[l] = flows ? fluid.mass[first + l] : 0.0;
      flowing += flows ? 1 : 0;
    }
    for (int d = 0; d < D; ++d) {
      const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
      for (std::size_t l = 0; l < count; ++l) {
        of[static_cast<std::size_t>(1 + d)][l] = mass[l] * v[l];
        v2[l] += v[l] * v[l];
        height[l] -= gravity[d] * x[l];
      }
    }
    for (std::size_t l = 0; l < count; ++l) {
      kinetic[l] = 0.5 * mass[l] * v2[l];
      potential[l] = mass[l] * height[l];
      inner[l] = has_heat ? mass[l] * fluid.u[first + l]
                          : mass[l] * c.c0 * c.c0 * physics::StateEquationLinear::elastic_energy(fluid.s[first + l]);
    }
    particles.fetch_add(flowing, std::memory_order_relaxed);
  });
  if (has_heat) tally_.add_total_of_last(3);  // of the energies
  ReproducibleSum counted;
  counted.add(static_cast<double>(particles));
  tally_.add(counted);
  tally_.add(flow_.left_mass);
}

template <class T, int D>
void Observers<T, D>::add_tension() {
  const auto& fluid = flow_.fluid;
  const auto& state = flow_.constants().state;
  tally_.add_over<1>(fluid.size(), [&](std::size_t i) {
    const bool counts = fluid.buffer[i] == 0 && state.pressure(fluid.s[i], 0) < physics::k_tension;
    return std::array{counts ? fluid.mass[i] : 0.0};
  });
}

template <class T, int D>
void Observers<T, D>::add_force(std::span<const Pushed> walls) {
  const double unit = force_unit();
  tally_.add_over<2 * D>(std::ssize(walls), [&](std::size_t k) {
    const auto i = static_cast<std::size_t>(walls[k].wall);
    std::array<double, 2 * D> v{};
    const Vec3 pressure = walls[k].pressure.of(reaction_of(flow_.pressure_reaction, i));
    for (std::size_t d = 0; d < D; ++d) {
      v[d] = unit * pressure[static_cast<int>(d)];
      if (walls[k].rubs) v[D + d] = unit * static_cast<double>(flow_.viscous_reaction[d][i]);
    }
    return v;
  });
}

/// Torque about the pivot; with Morris' form of viscosity also volumes of the outermost layer of particles, and of
/// those of it that are wet. Of a force that points along a pair any point of its line is right as the place where it
/// acts; friction of Morris' form acts on the surface, and so half way between fluid and dummy particles.
template <class T, int D>
void Observers<T, D>::add_torque(std::int32_t owner, std::span<const Pushed> walls) {
  const auto& c = flow_.constants();
  const double unit = force_unit();
  const auto& body = flow_.world().bodies[static_cast<std::size_t>(owner)];
  const world::Pose pose = pose_of(body);
  const Vec3 pivot = pose.pivot + pose.displacement;
  const bool all_along_pairs = c.viscosity == physics::delta::FluidViscosity::central;
  tally_.add_over<5>(std::ssize(walls), [&](std::size_t k) {
    const auto i = static_cast<std::size_t>(walls[k].wall);
    const Vec3 pressure = unit * walls[k].pressure.of(reaction_of(flow_.pressure_reaction, i));
    Vec3 x, X, viscous;
    for (int d = 0; d < D; ++d) {
      x[d] = flow_.wall.x[d][i];
      X[d] = flow_.wall.can_move ? flow_.wall.x_file[d][i] : x[d];
      if (walls[k].rubs) viscous[d] = unit * static_cast<double>(flow_.viscous_reaction[d][i]);
    }
    if (all_along_pairs) {
      const Vec3 torque = cross_product(x - pivot, pressure + viscous);
      return std::array{torque.x, torque.y, torque.z, 0.0, 0.0};
    }
    Vec3 torque = cross_product(x - pivot, pressure);
    double surface_layer = 0, wet = 0;
    if (body.shape->signed_distance(X) > -c.length.spacing) {
      surface_layer = flow_.wall.volume[i];
      wet = flow_.wall_is_wet[i] != 0 ? surface_layer : 0;
    }
    if (viscous != Vec3{}) {
      const Vec3 surface = pose.place(surface_point(*body.shape, X, 1e-4 * c.length.spacing, D));
      torque = torque + cross_product(surface - pivot, viscous);
    }
    return std::array{torque.x, torque.y, torque.z, surface_layer, wet};
  });
}

/// Power of the domain's walls, which move in their own plane.
template <class T, int D>
void Observers<T, D>::add_power_of_sides() {
  const double unit = force_unit();
  tally_.add_over<1>(flow_.wall.size(), [&](std::size_t i) {
    double power = 0;
    if (flow_.wall.owner[i] < 0 && beyond_[i] < 0)
      for (int d = 0; d < D; ++d)
        power -=
            unit * flow_.wall.velocity(i, d) *
            (static_cast<double>(flow_.pressure_reaction[d][i]) + static_cast<double>(flow_.viscous_reaction[d][i]));
    return std::array{power};
  });
}

/// Walls beside the buffer belong to what the fluid meets at the opening.
template <class T, int D>
void Observers<T, D>::add_opening(std::size_t number) {
  const double unit = force_unit();
  const auto& opening = flow_.openings.all()[number];
  tally_.add(opening.mass_flow);
  tally_.add(opening.mass);
  for (const auto& momentum : opening.momentum) tally_.add(momentum);
  for (const auto& force : opening.force) tally_.add(force);
  tally_.add_over<D>(flow_.wall.size(), [&](std::size_t i) {
    std::array<double, D> v{};
    if (beyond_[i] == static_cast<std::int32_t>(number))
      for (std::size_t d = 0; d < D; ++d)
        v[d] = unit *
               (static_cast<double>(flow_.pressure_reaction[d][i]) + static_cast<double>(flow_.viscous_reaction[d][i]));
    return v;
  });
}

// --- rows, from the sums of all ranks -------------------------------------------------------------------------------

template <class T, int D>
void Observers<T, D>::report_budget(Series& series) {
  std::vector<double> sums(D + 4 + (flow_.fluid.classic ? 1 : 0));
  for (double& sum : sums) sum = tally_.next();
  series.values.insert(series.values.end(), {flow_.time, static_cast<double>(flow_.steps), tally_.next()});
  series.values.insert(series.values.end(), sums.begin(), sums.end());
  series.values.insert(series.values.end(), {flow_.control.latest.speed, tally_.next()});
  if (has_tension()) {
    const double mass = sums[0], tense = tally_.next();
    series.values.push_back(mass > 0 ? tense / mass : 0.0);
  }
  if (walls_move_) series.values.push_back(work_);
}

template <class T, int D>
void Observers<T, D>::report_force(std::int32_t owner, std::vector<double>& values) {
  const auto sums = tally_.template next<2 * D>();
  values.push_back(flow_.time);
  Vec3 force;
  for (std::size_t d = 0; d < D; ++d) {
    force[static_cast<int>(d)] = sums[d] + sums[D + d];
    values.push_back(force[static_cast<int>(d)]);
  }
  values.insert(values.end(), sums.begin(), sums.end());
  if (owner >= 0) report_torque(owner, force, values);
}

/// Torque on a body about its pivot, and of one that moves its power on the fluid, -(F . v + T . w).
///
/// Where fluid particles have Morris' form of viscosity, the stress is mu grad(v), and its traction at a wall mu dv/dn.
/// What a body feels is mu (dv/dn + grad(v) . n), which is the same on one that does not turn; on one that does, the
/// rest is -mu w x n, no force but a torque of -2 mu V w over a closed surface around a volume V. It is added for the
/// wet share of the surface. Central forms pass all of the torque through the pairs.
template <class T, int D>
void Observers<T, D>::report_torque(std::int32_t owner, const Vec3& force, std::vector<double>& values) {
  const auto& c = flow_.constants();
  const auto& body = flow_.world().bodies[static_cast<std::size_t>(owner)];
  const world::Pose pose = pose_of(body);
  const auto sums = tally_.template next<5>();
  const double wet_volume = sums[3] > 0 ? body.shape->volume() * sums[4] / sums[3] : 0;
  const bool is_lacking = c.viscosity == physics::delta::FluidViscosity::morris && !body.slip;
  const double of_turning = is_lacking ? 2 * c.rho0 * c.nu * wet_volume * pose.angular_velocity : 0;
  const Vec3 torque = Vec3{sums[0], sums[1], sums[2]} - of_turning * pose.axis;
  const double power = -(dot(force, pose.velocity) + pose.angular_velocity * dot(torque, pose.axis));
  if (D == 3) values.insert(values.end(), {torque.x, torque.y});
  values.push_back(torque.z);
  if (!moves(owner)) return;
  values.push_back(power);
  power_ += power;
}

template <class T, int D>
void Observers<T, D>::add_work() {
  power_ += tally_.next();
  work_ += 0.5 * ((work_time_ > 0 ? last_power_ : power_) + power_) * (flow_.time - work_time_);
  work_time_ = flow_.time;
  last_power_ = power_;
}

template <class T, int D>
void Observers<T, D>::report_opening(std::vector<double>& values) {
  values.push_back(flow_.time);
  for (int k = 0; k < 2 + D; ++k) values.push_back(tally_.next());  // mass flow, mass, momentum
  const auto force = tally_.template next<D>(), beside = tally_.template next<D>();
  for (std::size_t d = 0; d < D; ++d) values.push_back(force[d] - beside[d]);
}

template <class T, int D>
double Observers<T, D>::front(int axis) const {
  const double* x = flow_.fluid.x[axis];
  const std::int64_t n = flow_.fluid.size();
  double foremost = -INFINITY;
#pragma omp parallel for reduction(max : foremost)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (flow_.fluid.surface[k] != physics::k_isolated && flow_.fluid.buffer[k] == 0)
      foremost = std::max(foremost, x[k]);  // spray does not count
  }
  comm::maximum(flow_.communicator(), {&foremost, 1}, "observers");
  const auto& world = flow_.world();
  const double position = foremost + 0.5 * world.spacing, end = world.origin[axis] + world.size[axis];
  const bool ends_at_wall = world.sides[static_cast<std::size_t>(2 * axis + 1)].kind == world::SideKind::wall;
  return ends_at_wall ? std::min(position, end) : position;  // who is pressed against it stands nearer than that
}

template <class T, int D>
void Observers<T, D>::observe() {
  const auto& world = flow_.world();
  Sampler<D> sampler(flow_);
  if (flow_.walls_move() || shared_ != flow_.balance.times() || body_changes_ != flow_.body_changes()) group_walls();
  shared_ = flow_.balance.times();
  body_changes_ = flow_.body_changes();
  const std::size_t openings = flow_.openings.all().size();
  tally_.clear();
  for (std::size_t k = 0; k < force_owners_.size(); ++k) {
    add_force(force_walls_[k]);
    if (force_owners_[k] >= 0) add_torque(force_owners_[k], force_walls_[k]);
  }
  if (walls_move_) add_power_of_sides();
  add_budget();
  if (has_tension()) add_tension();
  for (std::size_t o = 0; o < openings; ++o) add_opening(o);
  tally_.add_up(flow_.communicator());

  power_ = 0;
  std::size_t next = 1;
  for (const std::int32_t owner : force_owners_) report_force(owner, series_[next++].values);
  if (walls_move_) add_work();
  report_budget(series_[0]);
  for (std::size_t o = 0; o < openings; ++o) report_opening(series_[next++].values);
  std::vector<Vec3> points;
  for (const auto& probe : world.probes) points.push_back(probe.position);
  for (const Sample& sample : sampler.at(points)) {
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, sample.pressure});
    for (int d = 0; d < D; ++d) values.push_back(sample.velocity[d]);
    values.push_back(sample.fraction);
  }
  for (const auto& gauge : world.gauges) {
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, sampler.height(gauge.position, gauge.axis)});
  }
  for (const auto& f : world.fronts) {
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, front(f.axis)});
  }
}

template <class T, int D>
void Observers<T, D>::save(ArchiveWriter& archive) const {
  archive.put_value("work", std::array{work_, work_time_, last_power_});
}

template <class T, int D>
void Observers<T, D>::restore(const ArchiveReader* part) {
  std::array<double, 3> work{};
  comm::agree(flow_.communicator(), "checkpoint", [&] {
    if (part != nullptr) part->get_value("work", work);
  });
  work = comm::broadcast(flow_.communicator(), work, 0, "checkpoint");
  work_ = work[0], work_time_ = work[1], last_power_ = work[2];
  group_walls();
}

template <class T, int D>
std::vector<Series> Observers<T, D>::take() {
  std::vector<Series> taken = series_;
  for (auto& series : series_) series.values.clear();
  return taken;
}

template class Observers<float, 2>;
template class Observers<float, 3>;
template class Observers<double, 2>;
template class Observers<double, 3>;

}  // namespace eddyline::observe
