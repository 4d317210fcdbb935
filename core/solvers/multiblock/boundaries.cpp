#include "solvers/multiblock/boundaries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/errors.hpp"
#include "world/sides.hpp"

namespace eddyline::multiblock {

namespace {

Vec3 evaluate(const std::array<world::Formula, 3>& formulas, Vec3 x, double t) {
  const std::array values{x.x, x.y, x.z, t};
  return {formulas[0].evaluate(values), formulas[1].evaluate(values), formulas[2].evaluate(values)};
}

/// Tells whether an opening covers a point of its side.
bool covers(const world::Opening& opening, Vec3 x, const world::World& world) {
  const double slack = 1e-6 * std::max({world.size.x, world.size.y, world.size.z});
  for (int d = 0; d < world.dimensions; ++d)
    if (x[d] < opening.lower[d] - slack || x[d] > opening.upper[d] + slack) return false;
  return true;
}

bool uses_time(const world::Formula& formula) {
  const auto used = formula.used_variables();
  return std::ranges::find(used, "t") != used.end();
}

}  // namespace

Boundaries::Boundaries(const world::World& world) : world_(world) {
  for (const auto& opening : world.openings) sources_.push_back({.opening = &opening});
  for (const auto& side : world.sides) sources_.push_back({.side = &side});
  for (const auto& body : world.bodies) sources_.push_back({.body = &body});
  find_variation();
}

void Boundaries::find_variation() {
  vary_ = false;
  for (const auto& opening : world_.openings)
    vary_ = vary_ || std::ranges::any_of(opening.velocity, uses_time) || uses_time(opening.pressure);
  for (const auto& side : world_.sides) vary_ = vary_ || std::ranges::any_of(side.velocity, uses_time);
  for (const auto& body : world_.bodies) vary_ = vary_ || body.motion.has_value();
}

void Boundaries::classify(const std::string& boundary, BoundaryFace& face) const {
  const auto openings = static_cast<std::int32_t>(world_.openings.size());
  if (boundary == "far") {
    face.condition = Condition::stream;
    const auto stream = std::ranges::find_if(world_.openings, &world::Opening::stream);
    if (stream == world_.openings.end())
      throw UserError("mesh: its far field needs a stream. Give the sides of the domain type = \"stream\".");
    face.source = static_cast<std::int32_t>(stream - world_.openings.begin());
    return;
  }
  const auto* side = std::ranges::find(world::k_side_names, boundary);
  if (side == world::k_side_names.end()) {
    const auto body = std::ranges::find(world_.bodies, boundary, &world::Body::name);
    if (body == world_.bodies.end())
      throw UserError("mesh: boundary \"" + boundary + "\" is no side of the domain and no body. Rename it.");
    face.condition = body->slip ? Condition::slip : Condition::wall;
    face.owner = static_cast<std::int32_t>(body - world_.bodies.begin());
    face.source = openings + static_cast<std::int32_t>(world::k_side_names.size()) + face.owner;
    return;
  }
  const auto number = static_cast<std::int32_t>(side - world::k_side_names.begin());
  for (std::int32_t o = 0; o < openings; ++o) {
    const auto& opening = world_.openings[static_cast<std::size_t>(o)];
    if (opening.axis != number / 2 || (opening.inward > 0) != (number % 2 == 0) ||
        !covers(opening, face.center, world_))
      continue;
    face.condition = opening.stream ? Condition::stream : opening.inflow ? Condition::inflow : Condition::outflow;
    face.source = o;
    return;
  }
  const auto& found = world_.sides[static_cast<std::size_t>(number)];
  if (found.kind == world::SideKind::periodic)
    throw UserError("mesh: the side \"" + boundary + "\" is periodic, but has faces that no link holds. Link them.");
  if (found.kind != world::SideKind::wall)
    throw UserError("mesh: the side \"" + boundary +
                    "\" has a face that no opening covers. Make it a wall, an inflow, an "
                    "outflow or a stream.");
  face.condition = found.slip ? Condition::slip : Condition::wall;
  face.owner = -1 - number;
  face.source = openings + number;
}

void Boundaries::impose(double t, BoundaryFace& face) const {
  const Source& source = sources_[static_cast<std::size_t>(face.source)];
  if (source.opening != nullptr) {
    const std::array values{face.center.x, face.center.y, face.center.z, t};
    if (face.condition != Condition::outflow) face.velocity = evaluate(source.opening->velocity, face.center, t);
    if (world_.fluid.matter == world::Matter::ideal_gas) {
      // What an opening does not say stays as at the start.
      const std::array start{face.center.x, face.center.y, face.center.z, 0.0};
      const bool given = face.condition == Condition::outflow || source.opening->pressure_imposed;
      face.density = world_.start.density.evaluate(start);
      face.pressure = given ? source.opening->pressure.evaluate(values) : world_.start.pressure.evaluate(start);
    } else if (face.condition == Condition::outflow) {
      face.pressure = source.opening->pressure.evaluate(values) / world_.fluid.density;
    }
  } else if (face.condition == Condition::wall) {
    if (source.side != nullptr) face.velocity = evaluate(source.side->velocity, face.center, t);
    if (source.body != nullptr && source.body->motion)
      face.velocity = source.body->motion->at(t).velocity_at(face.center);
    face.velocity = face.velocity - dot(face.velocity, face.normal) * face.normal;
  }
}

}  // namespace eddyline::multiblock
