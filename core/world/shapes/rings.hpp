#pragma once
// Points on circles: rings that share out a disc, or the space around it.

#include <vector>

#include "base/vec.hpp"
#include "world/shapes.hpp"

namespace eddyline::world {

/// `count` points evenly on a circle of `radius` [m] (0: the centre) that share an area [m^2] or a volume [m^3].
struct Ring {
  double radius = 0;
  int count = 1;
  double share = 0;
};

/// The first `count` rings of a disc, from its rim inwards: ring k covers the depths from k to k + 1 spacings, and its
/// points stand in the middle of them. The innermost, which may be thinner, covers the rest down to the centre.
std::vector<Ring> rings_inside(double radius, double spacing, int count);

/// `count` rings around a disc: ring k covers the distances from k to k + 1 spacings.
std::vector<Ring> rings_outside(double radius, double spacing, int count);

/// Rings that fill a disc to its centre.
std::vector<Ring> disc_rings(double radius, double spacing);

/// The plane of a ring: two unit vectors at right angles.
struct Plane {
  Vec3 u{1, 0, 0}, v{0, 1, 0};
};

/// Appends a ring's points; each has the volume ring.share / ring.count * thickness. The first stands half a step from
/// u, so that rings are symmetric about u.
void append_ring(std::vector<SurfacePoint>& points, Vec3 center, Plane plane, const Ring& ring, double thickness = 1);

}  // namespace eddyline::world
