#include "solvers/sph/observe/particles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "physics/sph/free_surface.hpp"
#include "solver/checksum.hpp"

namespace eddyline::sph {

namespace {

template <int D>
solver::Doubles view(const VectorArray<double, D>& field) {
  return {field[0], field.size(), field.stride(), D, true};
}

template <class Value>
std::span<const Value> view(const Array<Value>& field) {
  return {field.data(), field.size()};
}

solver::Doubles doubles(const Array<double>& field) { return {field.data(), field.size(), field.size(), 1, false}; }

/// Codes of the values from low to high.
struct Coder {
  Coder(double low, double high) : lowest(low), per_unit(high > low ? 65535 / (high - low) : 0.0) {}
  std::uint16_t operator()(double value) const {
    return static_cast<std::uint16_t>(std::lround(std::clamp((value - lowest) * per_unit, 0.0, 65535.0)));
  }
  double lowest, per_unit;
};

}  // namespace

template <class T, int D>
std::span<const solver::FieldSets::Set> Particles<T, D>::sets() const {
  static constexpr std::array<Set, 2> k_sets{Set{"fluid", "fluid_particles"}, Set{"walls", "wall_particles"}};
  return k_sets;
}

template <class T, int D>
solver::Field Particles<T, D>::field(std::string_view set, std::string_view name) const {
  if (set == "fluid") return fluid_field(name);
  if (set == "walls") return wall_field(name);
  throw UserError("field: there is no set \"" + std::string(set) + "\"; sets are fluid and walls.");
}

template <class T, int D>
solver::Field Particles<T, D>::fluid_field(std::string_view name) const {
  const auto& fluid = state_.fluid;
  const std::size_t count = fluid.id.size();
  if (name == "id") return view(fluid.id);
  if (name == "mass") return doubles(fluid.mass);
  if (name == "buffer") return view(fluid.buffer);
  if (name == "position") return view<D>(fluid.x);
  if (name == "velocity") return view<D>(fluid.v);
  if (name == "thermal_energy") return doubles(fluid.classic->u);
  if (name == "density") return computed(count, [this](std::size_t i) { return density(i); });
  if (name == "pressure") return computed(count, [this](std::size_t i) { return state_.pressure(i); });
  if (name == "surface") return computed(count, [this](std::size_t i) { return is_at_surface(i) ? 1.0 : 0.0; });
  throw UserError("field: fluid particles have no \"" + std::string(name) +
                  "\"; they have id, mass, buffer, position, velocity, density, pressure, thermal_energy and surface.");
}

template <class T, int D>
solver::Field Particles<T, D>::wall_field(std::string_view name) const {
  const auto& wall = state_.wall;
  if (name == "id") return view(wall.id);
  if (name == "position") return view<D>(wall.x);
  if (name == "body") return view(wall.owner);
  if (name == "pressure") return computed(wall.id.size(), [this](std::size_t i) { return wall_pressure(i); });
  throw UserError("field: wall particles have no \"" + std::string(name) +
                  "\"; they have id, position, body and pressure.");
}

template <class T, int D>
template <class Value>
std::vector<double> Particles<T, D>::computed(std::size_t count, Value&& value) const {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  return values;
}

template <class T, int D>
std::span<const std::int64_t> Particles<T, D>::ids(solver::PointKind kind) const {
  return view(kind == solver::PointKind::fluid ? state_.fluid.id : state_.wall.id);
}

template <class T, int D>
solver::PointRecord Particles<T, D>::record(solver::PointKind kind, std::size_t i) const {
  solver::PointRecord record{};
  if (kind == solver::PointKind::fluid) {
    record.id = state_.fluid.id[i];
    for (int d = 0; d < D; ++d) record.position[d] = state_.fluid.x[d][i], record.velocity[d] = state_.fluid.v[d][i];
    record.density = density(i);
    record.pressure = state_.pressure(i);
    record.surface = is_at_surface(i);
    record.buffer = state_.fluid.buffer[i];
  } else {
    record.id = state_.wall.id[i];
    for (int d = 0; d < D; ++d) record.position[d] = state_.wall.x[d][i];
    record.pressure = wall_pressure(i);
    record.body = state_.wall.owner[i];
  }
  return record;
}

template <class T, int D>
solver::QuantizedParticles Particles<T, D>::quantized(std::int64_t every, bool with_ids) const {
  const auto& fluid = state_.fluid;
  std::vector<std::size_t> chosen;
  chosen.reserve(every > 1 ? 0 : fluid.id.size());
  double extremes[5] = {0, -INFINITY, -INFINITY, -INFINITY, -INFINITY};  // speed^2, -lowest and highest p and rho
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    if (fluid.buffer[i] != 0 || is_beyond_open_side(i)) continue;
    const std::uint64_t hash = solver::mix(static_cast<std::uint64_t>(fluid.id[i]));
    if (every > 1 && hash % static_cast<std::uint64_t>(every) != 0) continue;
    chosen.push_back(i);
    const double p = state_.pressure(i), rho = density(i);
    double v2 = 0;
    for (int d = 0; d < D; ++d) v2 += fluid.v[d][i] * fluid.v[d][i];
    const double values[5] = {v2, -p, p, -rho, rho};
    for (int k = 0; k < 5; ++k) extremes[k] = std::max(extremes[k], values[k]);
  }
  comm::maximum(domain_.communicator(), extremes, "viewers");
  solver::QuantizedParticles found;
  found.speed = std::sqrt(extremes[0]);
  found.pressure[0] = -extremes[1], found.pressure[1] = extremes[2];
  found.density[0] = -extremes[3], found.density[1] = extremes[4];

  const auto& world = state_.world;
  std::vector<Coder> place;
  for (int d = 0; d < D; ++d) place.emplace_back(world.origin[d], world.origin[d] + world.size[d]);
  const Coder of_velocity(-found.speed, found.speed);
  const Coder of_pressure(found.pressure[0], found.pressure[1]), of_density(found.density[0], found.density[1]);
  std::vector<solver::QuantizedParticle> own;
  std::vector<std::int64_t> ids;
  own.reserve(chosen.size());
  for (const std::size_t i : chosen) {
    solver::QuantizedParticle particle{};
    for (int d = 0; d < D; ++d) {
      particle.position[d] = place[static_cast<std::size_t>(d)](fluid.x[d][i]);
      particle.velocity[d] = of_velocity(fluid.v[d][i]);
    }
    particle.pressure = of_pressure(state_.pressure(i));
    particle.density = of_density(density(i));
    own.push_back(particle);
    if (with_ids) ids.push_back(fluid.id[i]);
  }
  found.particles = comm::gather_values(domain_.communicator(), std::span(std::as_const(own)), "viewers").second;
  if (with_ids)
    found.ids = comm::gather_values(domain_.communicator(), std::span(std::as_const(ids)), "viewers").second;
  return found;
}

template <class T, int D>
double Particles<T, D>::wall_pressure(std::size_t i) const {
  const auto& c = state_.constants;
  return c.rho0 * c.c0 * c.c0 * static_cast<double>(scratch_.walls.row(domain_.wall_rows.row_of(i))[D]);
}

template <class T, int D>
bool Particles<T, D>::is_at_surface(std::size_t i) const {
  return state_.fluid.surface[i] == physics::k_at_surface || state_.fluid.surface[i] == physics::k_isolated;
}

template <class T, int D>
bool Particles<T, D>::is_beyond_open_side(std::size_t i) const {
  const auto& world = state_.world;
  for (std::size_t d = 0; d < D; ++d) {
    const double x = state_.fluid.x[d][i] - world.origin[static_cast<int>(d)];
    const auto is_open = [&](std::size_t side) { return world.sides[side].kind == world::SideKind::open; };
    if ((x < 0 && is_open(2 * d)) || (x > world.size[static_cast<int>(d)] && is_open(2 * d + 1))) return true;
  }
  return false;
}

template class Particles<float, 2>;
template class Particles<float, 3>;
template class Particles<double, 2>;
template class Particles<double, 3>;

}  // namespace eddyline::sph
