#include "integrate/contact.hpp"

namespace eddyline::integrate {

Contact::Contact(const world::World& world) : dimensions_(world.dimensions), probe_(1e-4 * world.spacing) {
  for (int side = 0; side < 2 * dimensions_; ++side) {
    if (world.sides[static_cast<std::size_t>(side)].kind != world::SideKind::wall) continue;
    const int axis = side / 2;
    const bool lower = side % 2 == 0;
    planes_.push_back({axis, lower ? 1.0 : -1.0, world.origin[axis] + (lower ? 0.0 : world.size[axis])});
  }
  for (const auto& body : world.bodies) bodies_.push_back(body.shape);
}

bool Contact::with_sides(Vec3& x, Vec3& v) const {
  bool touched = false;
  for (const Plane& plane : planes_) {
    if (!(plane.sign * (x[plane.axis] - plane.position) < 0)) continue;
    x[plane.axis] = plane.position;
    if (plane.sign * v[plane.axis] < 0) v[plane.axis] = 0;
    touched = true;
  }
  return touched;
}

bool Contact::with_bodies(Vec3& x, Vec3& v) const {
  bool touched = false;
  for (const auto& shape : bodies_) {
    const double depth = -shape->signed_distance(x);
    if (!(depth > 0)) continue;
    Vec3 normal;
    for (int d = 0; d < dimensions_; ++d) {
      Vec3 step;
      step[d] = probe_;
      normal[d] = shape->signed_distance(x + step) - shape->signed_distance(x - step);
    }
    const double length = norm(normal);
    if (!(length > 0)) continue;
    normal = normal / length;
    x = x + depth * normal;
    const double inward = dot(v, normal);
    if (inward < 0) v = v - inward * normal;
    touched = true;
  }
  return touched;
}

}  // namespace eddyline::integrate
