#pragma once
// Closed outlines made of segments and arcs, and points spread along them.

#include <vector>

#include "base/vec.hpp"

namespace eddyline::world {

/// A straight segment, or an arc of a circle in the plane z = 0.
struct Piece {
  Vec3 from, to;
  Vec3 center;
  double radius = 0;  // 0: a segment
  double start = 0;   // the angle of `from` as seen from the centre [rad]
  double sweep = 0;   // signed angle from `from` to `to`, anticlockwise positive [rad]

  double length() const;
  Vec3 at(double fraction) const;
  /// Unit vector in the direction of travel.
  Vec3 direction(double fraction) const;
  /// The part between two fractions.
  Piece between(double first, double last) const;
  /// Its term of the area enclosed by a closed outline, 1/2 of the integral of x dy - y dx (Green).
  double area_term() const;
};

Piece make_segment(Vec3 from, Vec3 to);
Piece make_arc(Vec3 center, double radius, double start, double sweep);

/// Pieces in the order of travel, each beginning where the one before ends; the last ends where the first begins.
using Contour = std::vector<Piece>;

double length(const Contour& contour);

struct ContourPoint {
  Vec3 position;
  Vec3 direction;       // of travel [-]; at a corner, of the piece that begins there
  double interval = 0;  // its share of the length: half the way to either neighbour [m]
  bool corner = false;  // the contour bends here, so that its direction jumps
};

/// Points about `spacing` apart. Bends of more than 35 degrees, and the ends of arcs longer than that, carry a point
/// each, and the stretches between them are divided evenly; a contour without any is divided evenly all around. Where
/// two such places are nearer than half the spacing along the contour, neither carries a point for itself. The
/// intervals add up to the contour's length.
std::vector<ContourPoint> spread(const Contour& contour, double spacing);

/// The contour as a polyline, with arcs sampled with at most `tolerance` [m] of error; for drawing.
std::vector<Vec3> sample(const Contour& contour, double tolerance);

}  // namespace eddyline::world
