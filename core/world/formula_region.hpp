#pragma once

#include "world/formula.hpp"
#include "world/shapes.hpp"

namespace eddyline::world {

/// A part of a box where a condition on x, y and z holds. It says which points lie inside and nothing about their
/// distance from the surface, so it serves regions of fluid and no bodies.
class FormulaRegion final : public Shape {
 public:
  /// `inside` takes the variables of k_field_variables; the domain lies between `lowest` and `highest`.
  FormulaRegion(Formula inside, Vec3 lowest, Vec3 highest, int dimensions);

  bool holds(Vec3 p) const;
  /// Height of the region without a gap above p along the unit vector `up`, within the box [m]. Samples every `step`
  /// and finds the surface within a millionth of it. 0 if p is outside.
  double depth(Vec3 p, Vec3 up, double step) const;

  /// -1 inside and 1 outside.
  double signed_distance(Vec3 p) const override { return holds(p) ? -1 : 1; }
  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override;
  std::vector<std::vector<Vec3>> outline(double tolerance) const override;
  /// The box.
  std::pair<Vec3, Vec3> bounds() const override { return {lowest_, highest_}; }
  double volume() const override;
  int dimensions() const override { return dimensions_; }

 private:
  bool is_in_box(Vec3 p) const;

  Formula inside_;
  Vec3 lowest_, highest_;
  int dimensions_;
};

ShapePtr make_formula_region(const Formula& inside, Vec3 lowest, Vec3 highest, int dimensions);

}  // namespace eddyline::world
