#pragma once
// Which part of the pressure on a wall's dummy particle counts for the force on which wall or body.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"
#include "world/motion.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// A linear part of a force: column d is what a unit along axis d adds.
struct Share {
  std::int32_t owner;                // a body, or -1 - side
  std::array<Vec3, 3> columns = {};  // of the part
  Vec3 of(const Vec3& f) const { return f.x * columns[0] + f.y * columns[1] + f.z * columns[2]; }
};

/// A dummy particle in a corner of the domain counts for each side along the side's normal, one of a body for the body
/// as a whole. A side's dummy particle whose foot on the side lies inside a body is hidden from the fluid by the body.
/// What it feels, f, is split by the angle theta that body and side make there, with the normals n_b and n_s into them:
///   f = w f + (1 - w) (b n_b + s n_s + rest along the side),   w = cot theta from 0 to 1
/// of which s n_s is the side's. At 90 degrees that is exact, below 45 degrees all is the body's. The weight was fitted
/// to still water at slopes of 20 to 90 degrees. Shares add up to f.
class WallShares {
 public:
  /// Bodies as they are at `time` [s].
  WallShares(const world::World& world, double time);

  /// The shares of a dummy particle of a side or body at x. They add up to what it feels.
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
  /// Normal of a body, into it, where its surface meets a side beside `foot`; zero if it meets it nowhere near.
  Vec3 normal_at_contact(const Solid& body, const Vec3& foot, int axis, double inward) const;

  const world::World& world_;
  std::vector<Solid> bodies_;
  double reach_;  // R [m]
};

}  // namespace eddyline::sph
