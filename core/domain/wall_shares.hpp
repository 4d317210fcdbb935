#pragma once
// Distributes the pressure force on a wall's dummy particle over walls and bodies.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "world/motion.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// A linear part of a force: column d is what a unit along axis d adds.
struct Share {
  std::int32_t owner;                // a body, or -1 - side
  std::array<Vec3, 3> columns = {};  // of the part
  Vec3 of(const Vec3& f) const { return f.x * columns[0] + f.y * columns[1] + f.z * columns[2]; }
};

/// A dummy particle in a corner of the domain counts for each side along the side's normal; a body's particle counts
/// for the body as a whole. If the foot of a side's dummy particle on the side lies inside a body, the body hides the
/// particle from the fluid. Its force f is split by the angle theta between body and side, with the normals n_b and n_s
/// into them:
///   f = w f + (1 - w) (b n_b + s n_s + rest along the side),   w = cot theta from 0 to 1
/// where s n_s belongs to the side. At 90 degrees that is exact; below 45 degrees all of the force belongs to the body.
/// The weight was fitted to still water at slopes of 20 to 90 degrees. Shares add up to f.
class WallShares {
 public:
  /// Uses the poses of bodies at `time` [s].
  WallShares(const world::World& world, double time);

  /// The shares of a dummy particle of a side or body at x. They add up to its force.
  std::vector<Share> of(std::int32_t owner, const Vec3& x) const;

 private:
  struct Solid {
    std::int32_t index;
    world::ShapePtr shape;
    bool moves;
    world::Pose pose;
    double distance(const Vec3& x) const { return shape->signed_distance(moves ? pose.reference(x) : x); }
  };

  const Solid* body_at(const Vec3& x) const;
  /// Normal of a body, pointing into it, where its surface meets a side near `foot`; zero if it does not meet the side
  /// nearby.
  Vec3 normal_at_contact(const Solid& body, const Vec3& foot, int axis, double inward) const;

  const world::World& world_;
  std::vector<Solid> bodies_;
  double reach_;  // R [m]
};

}  // namespace eddyline::domain
