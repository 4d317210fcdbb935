#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/vec.hpp"
#include "domain/side_walls.hpp"
#include "particles/openings.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// Keeps particles out of walls. Dummy particles stop the fluid, but a hard impact may push single particles a fraction
/// of a spacing below the surface. Such a particle is put back on the surface and loses its inward velocity, relative
/// to that of the surface (an inelastic contact). The result depends on one particle and the time only.
class Contact {
 public:
  explicit Contact(const world::World& world);

  /// Moves bodies to their places at time t [s].
  void move_bodies(double t);

  /// Sets how far beyond an inflow, counted among inflows, fluid may be [m].
  void set_allowed_depth(std::size_t inflow, double depth) { inflows_[inflow].allowed_depth = depth; }

  /// Tells whether no particle within these corners can touch the sides of the domain or its inflows.
  bool sides_are_clear(const Vec3& lowest, const Vec3& highest) const;
  /// Tells whether no particle within these corners can touch a body.
  bool bodies_are_clear(const Vec3& lowest, const Vec3& highest) const;

  /// Corrects position and velocity at the sides of the domain. Returns whether there was contact.
  bool with_sides(Vec3& x, Vec3& v) const {
    if (!sides_.is_outside(x) || is_through_opening(x)) return false;
    sides_.put_back(x, v);
    return true;
  }
  /// Corrects position and velocity at inflows. Fluid does not leave through them, whatever pressure is imposed, but it
  /// may be as far beyond as set_allowed_depth() permits.
  bool with_inflows(Vec3& x, Vec3& v) const;
  /// Corrects position and velocity at bodies.
  bool with_bodies(Vec3& x, Vec3& v) const;

  /// Tells whether x is within a distance [m] of a wall of the domain.
  bool is_beside_side(const Vec3& x, double distance) const {
    return sides_.is_beside(x, distance) && !is_through_opening(x);
  }
  const SideWalls& sides() const { return sides_; }
  /// The corners of the present bounding boxes of the bodies.
  std::vector<std::array<Vec3, 2>> body_bounds() const;
  /// Velocity [m/s] of the first body whose surface is within a distance [m] of x, if there is one.
  std::optional<Vec3> velocity_of_body_beside(const Vec3& x, double distance) const;

 private:
  struct Solid {
    world::ShapePtr shape;
    std::optional<world::Motion> motion;
    world::Pose pose;      // current pose of a motion
    Vec3 lowest, highest;  // bounding box of the body, slightly enlarged

    /// Tells whether nothing between these corners is inside.
    bool is_clear_of(const Vec3& low, const Vec3& high, int dimensions) const {
      bool apart = false;
      for (int d = 0; d < dimensions; ++d) apart |= (high[d] < lowest[d]) | (low[d] > highest[d]);
      return apart;
    }
  };

  struct Inflow {
    particles::OpeningSites sites;
    double allowed_depth = 0;  // distance beyond it at which fluid may be [m]
  };

  /// Finds the present bounding box of a body.
  void find_bounds(Solid& body) const;

  /// Tells whether x is beyond an opening, where there is no wall.
  bool is_through_opening(Vec3 x) const;

  SideWalls sides_;
  std::vector<Solid> bodies_;
  std::vector<particles::OpeningSites> openings_;
  std::vector<Inflow> inflows_;
  double probe_;  // step of the differences that give a body's normal [m]
};

}  // namespace eddyline::domain
