#include "domain/contact.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace eddyline::domain {

Contact::Contact(const world::World& world) : probe_(1e-4 * world.spacing) {
  sides_.dimensions = world.dimensions;
  for (int d = 0; d < 3; ++d) {
    const auto side = world.sides.begin() + 2 * d;
    sides_.lower[d] = side[0].kind == world::SideKind::wall ? world.origin[d] : -INFINITY;
    sides_.upper[d] = side[1].kind == world::SideKind::wall ? world.origin[d] + world.size[d] : INFINITY;
  }
  for (const auto& body : world.bodies)
    if (body.shape != nullptr) find_bounds(bodies_.emplace_back(Solid{body.shape, body.motion, {}, {}, {}}));
  for (const auto& opening : world.openings) {
    openings_.push_back(particles::opening_sites(world, opening));
    if (opening.inflow && !opening.stream) inflows_.push_back({openings_.back()});
  }
}

void Contact::move_bodies(double t) {
  for (auto& body : bodies_) {
    if (!body.motion) continue;
    body.pose = body.motion->at(t);
    find_bounds(body);
  }
}

void Contact::find_bounds(Solid& body) const {
  std::tie(body.lowest, body.highest) = body.shape->bounds();
  if (body.motion) std::tie(body.lowest, body.highest) = body.pose.bounds(body.lowest, body.highest);
  const Vec3 rounding{probe_, probe_, probe_};
  body.lowest = body.lowest - rounding, body.highest = body.highest + rounding;
}

bool Contact::sides_are_clear(const Vec3& lowest, const Vec3& highest) const {
  for (int d = 0; d < sides_.dimensions; ++d)
    if (!(lowest[d] >= sides_.lower[d] && highest[d] <= sides_.upper[d])) return false;
  return std::none_of(inflows_.begin(), inflows_.end(), [&](const Inflow& inflow) {
    return std::max(inflow.sites.depth(lowest), inflow.sites.depth(highest)) > inflow.allowed_depth;
  });
}

bool Contact::bodies_are_clear(const Vec3& lowest, const Vec3& highest) const {
  return std::all_of(bodies_.begin(), bodies_.end(),
                     [&](const Solid& body) { return body.is_clear_of(lowest, highest, sides_.dimensions); });
}

bool Contact::is_through_opening(Vec3 x) const {
  return std::any_of(openings_.begin(), openings_.end(), [x](const auto& sites) { return sites.is_through(x); });
}

bool Contact::with_inflows(Vec3& x, Vec3& v) const {
  bool touched = false;
  for (const auto& [sites, allowed_depth] : inflows_) {
    if (!sites.is_through(x) || sites.depth(x) <= allowed_depth) continue;
    x[sites.axis] = sites.plane - sites.inward * allowed_depth;
    if (sites.inward * v[sites.axis] < 0) v[sites.axis] = 0;
    touched = true;
  }
  return touched;
}

bool Contact::with_bodies(Vec3& x, Vec3& v) const {
  bool touched = false;
  for (const Solid& body : bodies_) {
    if (body.is_clear_of(x, x, sides_.dimensions)) continue;
    const Vec3 X = body.motion ? body.pose.reference(x) : x;
    const double depth = -body.shape->signed_distance(X);
    if (!(depth > 0) || is_through_opening(x)) continue;
    Vec3 normal;
    for (int d = 0; d < sides_.dimensions; ++d) {
      Vec3 step;
      step[d] = probe_;
      normal[d] = body.shape->signed_distance(X + step) - body.shape->signed_distance(X - step);
    }
    const double length = norm(normal);
    if (!(length > 0)) continue;
    normal = normal / length;
    Vec3 surface_velocity;
    if (body.motion) {
      normal = body.pose.direction(normal);
      surface_velocity = body.pose.velocity_at(x + depth * normal);
    }
    x = x + depth * normal;
    const double inward = dot(v - surface_velocity, normal);
    if (inward < 0) v = v - inward * normal;
    touched = true;
  }
  return touched;
}

std::vector<std::array<Vec3, 2>> Contact::body_bounds() const {
  std::vector<std::array<Vec3, 2>> bounds;
  for (const Solid& body : bodies_) bounds.push_back({body.lowest, body.highest});
  return bounds;
}

std::optional<Vec3> Contact::velocity_of_body_beside(const Vec3& x, double distance) const {
  const Vec3 reach{distance, distance, distance};
  for (const Solid& body : bodies_) {
    if (body.is_clear_of(x - reach, x + reach, sides_.dimensions)) continue;
    if (body.shape->signed_distance(body.motion ? body.pose.reference(x) : x) >= distance) continue;
    if (is_through_opening(x)) continue;
    return body.motion ? body.pose.velocity_at(x) : Vec3{};
  }
  return std::nullopt;
}

}  // namespace eddyline::domain
