#pragma once
// Rigid motion of bodies by formula of time.

#include <array>
#include <utility>

#include "base/vec.hpp"
#include "world/formula.hpp"
#include "world/shapes.hpp"

namespace eddyline::world {

/// Position and motion of a body at one time. A point X of the body as placed in the world file is at
///   x = pivot + displacement + R (X - pivot),   R: turned by `angle` about `axis`.
/// SI units, radians.
struct Pose {
  Vec3 pivot;          // of the rotation, in the world file's place
  Vec3 axis{0, 0, 1};  // unit vector
  double cos = 1, sin = 0;
  Vec3 displacement, velocity, acceleration;
  double angular_velocity = 0, angular_acceleration = 0;

  /// Current position of the point X of the world file.
  Vec3 place(Vec3 X) const { return pivot + displacement + turned(X - pivot, sin); }
  /// Point of the world file that is at x now.
  Vec3 reference(Vec3 x) const { return pivot + turned(x - (pivot + displacement), -sin); }
  /// Corners of an axis-aligned box that contains the moved box between the corners `low` and `high` of the world file.
  std::pair<Vec3, Vec3> bounds(Vec3 low, Vec3 high) const;
  /// A direction, turned with the body.
  Vec3 direction(Vec3 n) const { return turned(n, sin); }
  /// Velocity of the body's point that is at x now: v = v_pivot + w axis x r [m/s].
  Vec3 velocity_at(Vec3 x) const;
  /// Acceleration of that point: a = a_pivot + dw/dt axis x r + w^2 axis x (axis x r) [m/s^2].
  Vec3 acceleration_at(Vec3 x) const;

 private:
  /// Rodrigues' formula: r cos + (axis x r) sin + axis (axis . r) (1 - cos).
  Vec3 turned(Vec3 r, double sine) const;
};

/// Displacement and rotation as formulas of x, y, z, t, of which only t occurs; both 0 at t = 0, so that the shape of
/// the body gives its start position.
struct Motion {
  std::array<Formula, 3> displacement;  // [m]
  Formula rotation;                     // [rad], anticlockwise seen against `axis`
  Vec3 pivot;                           // [m]
  Vec3 axis{0, 0, 1};                   // of any length > 0

  /// The pose at time t [s], its velocities and accelerations the exact derivatives of the formulas. Before t = 0,
  /// while the start settles, the body is at rest.
  Pose at(double t) const;
};

/// A shape in another place. Its bounds are those of the moved box around it: exact for a displacement, and never too
/// small.
ShapePtr make_moved(ShapePtr shape, const Pose& pose);

}  // namespace eddyline::world
