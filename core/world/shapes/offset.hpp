#pragma once
// The curves parallel to a polygon.

#include <vector>

#include "base/vec.hpp"
#include "world/shapes/contour.hpp"

namespace eddyline::world {

/// A polygon that does not cross itself, its corners anticlockwise, and its exact parallel curves.
class Outline {
 public:
  /// Throws UserError where fewer than three corners remain without repetitions and corners on straight lines, or where
  /// sides cross or touch. Either sense of rotation is accepted.
  explicit Outline(const std::vector<Vec3>& corners);

  const std::vector<Vec3>& corners() const { return corners_; }

  /// Distance to the nearest side [m], negative inside.
  double signed_distance(Vec3 p) const;

  /// The curve signed_distance == offset, in pieces that are not yet in order; each keeps the interior to its left.
  /// They are the parallels of the sides and, at corners that stand out towards them, arcs, as far as nothing else is
  /// nearer.
  std::vector<Piece> parallel(double offset) const;

  /// The area where signed_distance < offset [m^2].
  double area(double offset) const;

 private:
  std::vector<Piece> candidates(double offset) const;
  bool is_valid(Vec3 p, double offset) const;

  std::vector<Vec3> corners_;
  std::vector<Vec3> normals_;  // outward unit normal of the side from corner i to corner i + 1
  double tolerance_ = 0;       // of distances: rounding [m]
};

/// Joins pieces end to start into closed contours.
std::vector<Contour> join(std::vector<Piece> pieces);

}  // namespace eddyline::world
