#pragma once
// Shapes as signed distances, and points that follow their surfaces.

#include <memory>
#include <string>
#include <vector>

#include "base/vec.hpp"

namespace eddyline::world {

/// One particle of a layer that follows a surface.
struct SurfacePoint {
  Vec3 position;
  double volume = 0;  // its share of the layer: area in 2D [m^2], volume in 3D [m^3]
};

/// A solid shape: signed distance, exact outline, and layers of points parallel to the surface.
/// 2D: circle, rectangle (rotated by `angle`), polygon, line (a segment with thickness and round ends).
/// 3D: sphere, box, cylinder (finite, any axis), closed surfaces of triangles.
class Shape {
 public:
  virtual ~Shape() = default;

  /// Distance to the surface [m], negative inside. Exact for every shape here.
  virtual double signed_distance(Vec3 p) const = 0;

  /// Points that follow the surface in layers. Layer k lies at depth (k + 1/2) spacing below the surface for
  /// inside = true (a body's own dummy particles), above it for inside = false (fluid fitted around a body);
  /// points of a layer stand about `spacing` apart along it, and the volumes of layer k add up to the exact area
  /// (volume) between the depths k spacing and (k + 1) spacing, or to the middle of the shape, where it is thinner. No
  /// staircases: a circle gives rings, a polygon offset outlines (mitred or round where the exact offset is), a sphere
  /// shells, a box and a cylinder layers parallel to each face. The order is deterministic.
  ///
  /// A layer that ends in the middle of the shape stands half way between its outer side and the middle; where less
  /// than 0.7 spacings are left, the points of both sides share one row in the middle. A rest below 0.001 spacings
  /// belongs to the layer before. So a large `count` fills the shape, and all volumes then add up to volume().
  /// No two points are nearer than half the spacing. Outside, notches narrower than a spacing stay empty. Throws
  /// UserError if spacing <= 0 or count < 0.
  virtual std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const = 0;

  /// The closed outlines for drawing, 2D shapes only: exact corners, arcs sampled with at most `tolerance` [m] of
  /// error. The last point is not the first again. 3D shapes throw UserError.
  virtual std::vector<std::vector<Vec3>> outline(double tolerance) const = 0;

  /// Axis-aligned bounds {lowest corner, highest corner} [m].
  virtual std::pair<Vec3, Vec3> bounds() const = 0;
  /// Enclosed area (2D) or volume (3D).
  virtual double volume() const = 0;
  virtual int dimensions() const = 0;
};

using ShapePtr = std::shared_ptr<const Shape>;

/// Factories. They throw UserError where a measure is not positive or a polygon crosses itself.
ShapePtr make_circle(Vec3 center, double diameter);
ShapePtr make_rectangle(Vec3 min, Vec3 max, double angle = 0.0);  // angle [rad] about its centre, anticlockwise
ShapePtr make_polygon(const std::vector<Vec3>& points);
ShapePtr make_line(Vec3 from, Vec3 to, double thickness);
ShapePtr make_sphere(Vec3 center, double diameter);
ShapePtr make_box(Vec3 min, Vec3 max);
ShapePtr make_cylinder(Vec3 from, Vec3 to, double diameter);
/// A closed surface; corners of triangles anticlockwise as seen from outside. It has no layers.
ShapePtr make_triangulated(std::vector<Vec3> points, std::vector<Int3> triangles);

}  // namespace eddyline::world
