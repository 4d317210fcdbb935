#pragma once

#include <algorithm>
#include <cstddef>

#include "base/vec.hpp"
#include "domain/walls.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// Forces that drive the flow from outside: gravity, the body force, and walls that move in their own plane.
template <int D>
class ExternalForcing {
 public:
  explicit ExternalForcing(const world::World& world);

  /// Acceleration by gravity and body force at a place [m] and a time [s], m/s^2.
  Vec3 force(const Vec3& x, double t) const { return force_is_uniform_ ? uniform_force_ : force_by_formula(x, t); }
  /// Accelerations at `count` places, place(l), at time t; Values: an array `value` and operator[].
  template <class Place, class Values>
  void forces(std::size_t count, double t, Place&& place, Values (&g)[D]) const {
    for (int d = 0; d < D; ++d) std::fill_n(g[d].value, count, uniform_force_[d]);
    if (force_is_uniform_) return;
    for (std::size_t l = 0; l < count; ++l) {
      const Vec3 here = force_by_formula(place(l), t);
      for (int d = 0; d < D; ++d) g[d][l] = here[d];
    }
  }
  /// The acceleration if it is the same everywhere and at all times; otherwise null.
  const Vec3* uniform_force() const { return force_is_uniform_ ? &uniform_force_ : nullptr; }
  /// Tells whether the velocity of any wall is a formula of t.
  bool walls_change_speed() const { return walls_change_speed_; }
  /// Sets velocities of the domain's walls at time t.
  void set_wall_velocities(WallState<D>& wall, double t) const;

 private:
  Vec3 force_by_formula(const Vec3& x, double t) const;

  const world::World* world_;
  bool walls_change_speed_ = false;
  bool force_is_uniform_ = true;  // in space and time
  Vec3 uniform_force_;            // gravity and body force together [m/s^2]
};

}  // namespace eddyline::domain
