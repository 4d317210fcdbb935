#include "solvers/mps/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "solver/checksum.hpp"

namespace eddyline::mps {

namespace {

template <int D>
solver::Doubles view(const VectorArray<double, D>& field) {
  return {field[0], field.size(), field.stride(), D, true};
}

template <class Value>
std::vector<double> computed(std::size_t count, Value&& value) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
  return values;
}

/// Code of a value from low to high in 16 bits.
std::uint16_t code(double value, double low, double high) {
  const double per_unit = high > low ? 65535 / (high - low) : 0.0;
  return static_cast<std::uint16_t>(std::lround(std::clamp((value - low) * per_unit, 0.0, 65535.0)));
}

}  // namespace

template <int D>
std::span<const solver::FieldSets::Set> Fields<D>::sets() const {
  static constexpr std::array<Set, 2> k_sets{Set{"fluid", "fluid_particles"}, Set{"walls", "wall_particles"}};
  return k_sets;
}

template <int D>
solver::Field Fields<D>::field(std::string_view set, std::string_view name) const {
  const auto& fluid = liquid_.fluid;
  const auto& wall = liquid_.wall;
  const auto& c = liquid_.constants();
  const std::size_t n = fluid.id.size(), walls = wall.id.size();
  if (set == "fluid") {
    if (name == "id") return std::span<const std::int64_t>(fluid.id.data(), n);
    if (name == "position") return view<D>(fluid.x);
    if (name == "velocity") return view<D>(fluid.v);
    if (name == "mass") return computed(n, [&](std::size_t i) { return liquid_.mass_of(i); });
    if (name == "density") return computed(n, [&](std::size_t) { return c.rho; });
    if (name == "pressure") return computed(n, [&](std::size_t i) { return pressure(i); });
    if (name == "surface")
      return computed(n, [&](std::size_t i) { return fluid.surface[i] != k_inside_fluid ? 1.0 : 0.0; });
    if (name == "buffer") return computed(n, [&](std::size_t i) { return static_cast<double>(fluid.buffer[i]); });
    throw UserError("field: fluid particles have no \"" + std::string(name) +
                    "\"; they have id, mass, buffer, position, velocity, density, pressure and surface.");
  }
  if (set == "walls") {
    if (name == "id") return std::span<const std::int64_t>(wall.id.data(), walls);
    if (name == "position") return view<D>(wall.x);
    if (name == "body") return std::span<const std::int32_t>(wall.owner.data(), walls);
    if (name == "pressure") return computed(walls, [&](std::size_t i) { return wall_pressure(i); });
    throw UserError("field: wall particles have no \"" + std::string(name) +
                    "\"; they have id, position, body and pressure.");
  }
  throw UserError("field: there is no set \"" + std::string(set) + "\"; sets are fluid and walls.");
}

template <int D>
std::span<const std::int64_t> Fields<D>::ids(solver::PointKind kind) const {
  const auto& id = kind == solver::PointKind::fluid ? liquid_.fluid.id : liquid_.wall.id;
  return {id.data(), id.size()};
}

template <int D>
solver::PointRecord Fields<D>::record(solver::PointKind kind, std::size_t i) const {
  solver::PointRecord record{};
  if (kind == solver::PointKind::fluid) {
    record.id = liquid_.fluid.id[i];
    for (int d = 0; d < D; ++d) record.position[d] = liquid_.fluid.x[d][i], record.velocity[d] = liquid_.fluid.v[d][i];
    record.density = liquid_.constants().rho;
    record.pressure = pressure(i);
    record.buffer = liquid_.fluid.buffer[i];
    record.surface = liquid_.fluid.surface[i] != k_inside_fluid ? 1 : 0;
  } else {
    record.id = liquid_.wall.id[i];
    for (int d = 0; d < D; ++d) record.position[d] = liquid_.wall.x[d][i];
    record.pressure = wall_pressure(i);
    record.body = liquid_.wall.owner[i];
  }
  return record;
}

template <int D>
solver::QuantizedParticles Fields<D>::quantized(std::int64_t every, bool with_ids) const {
  const auto& fluid = liquid_.fluid;
  const auto& world = liquid_.world();
  std::vector<std::size_t> chosen;
  double extremes[3] = {0, -INFINITY, -INFINITY};  // speed^2, -lowest and highest p
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const std::uint64_t hash = solver::mix(static_cast<std::uint64_t>(fluid.id[i]));
    if (fluid.buffer[i] != 0 || is_beyond_open_side(i) || (every > 1 && hash % static_cast<std::uint64_t>(every) != 0))
      continue;
    chosen.push_back(i);
    const Vec3 v = vector_of(fluid.v, i);
    const double values[3] = {dot(v, v), -pressure(i), pressure(i)};
    for (int k = 0; k < 3; ++k) extremes[k] = std::max(extremes[k], values[k]);
  }
  comm::maximum(liquid_.communicator(), extremes, "viewers");
  solver::QuantizedParticles found;
  found.speed = std::sqrt(extremes[0]);
  found.pressure[0] = -extremes[1], found.pressure[1] = extremes[2];
  found.density[0] = found.density[1] = liquid_.constants().rho;
  std::vector<solver::QuantizedParticle> own;
  std::vector<std::int64_t> ids;
  for (const std::size_t i : chosen) {
    solver::QuantizedParticle particle{};
    for (int d = 0; d < D; ++d) {
      particle.position[d] = code(fluid.x[d][i], world.origin[d], world.origin[d] + world.size[d]);
      particle.velocity[d] = code(fluid.v[d][i], -found.speed, found.speed);
    }
    particle.pressure = code(pressure(i), found.pressure[0], found.pressure[1]);
    own.push_back(particle);
    if (with_ids) ids.push_back(fluid.id[i]);
  }
  found.particles = comm::gather_values(liquid_.communicator(), std::span(std::as_const(own)), "viewers").second;
  if (with_ids)
    found.ids = comm::gather_values(liquid_.communicator(), std::span(std::as_const(ids)), "viewers").second;
  return found;
}

template <int D>
bool Fields<D>::is_beyond_open_side(std::size_t i) const {
  const auto& world = liquid_.world();
  for (std::size_t d = 0; d < D; ++d) {
    const auto axis = static_cast<int>(d);
    const double x = liquid_.fluid.x[axis][i] - world.origin[axis];
    const auto is_open = [&](std::size_t side) { return world.sides[side].kind == world::SideKind::open; };
    if ((x < 0 && is_open(2 * d)) || (x > world.size[axis] && is_open(2 * d + 1))) return true;
  }
  return false;
}

template class Fields<2>;
template class Fields<3>;

}  // namespace eddyline::mps
