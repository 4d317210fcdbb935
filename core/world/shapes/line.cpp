#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/contour.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

/// All points within half the thickness of a segment: straight sides and round ends.
class Line final : public Shape {
 public:
  Line(Vec3 from, Vec3 to, double thickness)
      : from_{from.x, from.y, 0}, to_{to.x, to.y, 0}, length_(norm(to_ - from_)), radius_(0.5 * thickness) {
    along_ = length_ > 0 ? (to_ - from_) / length_ : Vec3{1, 0, 0};
  }

  double signed_distance(Vec3 p) const override {
    const Vec3 r{p.x - from_.x, p.y - from_.y, 0};
    return norm(r - std::clamp(dot(r, along_), 0.0, length_) * along_) - radius_;
  }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      if (!inside) {
        append(points, radius_ + (k + 0.5) * spacing, spacing, spacing);
        continue;
      }
      const double thickness = layer_thickness(radius_, spacing, k);
      if (thickness == 0) break;
      const double radius = radius_ - k * spacing;
      if (thickness < k_share_below * spacing) {
        append_middle_row(points, radius, spacing);
      } else {
        append(points, radius - 0.5 * thickness, spacing, thickness);
      }
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double tolerance) const override {
    require_positive("tolerance", tolerance);
    return {sample(stadium(radius_), tolerance)};
  }

  std::pair<Vec3, Vec3> bounds() const override {
    const Vec3 low{std::min(from_.x, to_.x), std::min(from_.y, to_.y), 0};
    const Vec3 high{std::max(from_.x, to_.x), std::max(from_.y, to_.y), 0};
    const Vec3 reach{radius_, radius_, 0};
    return {low - reach, high + reach};
  }
  double volume() const override { return radius_ * (2 * length_ + std::numbers::pi * radius_); }
  int dimensions() const override { return 2; }

 private:
  Contour stadium(double radius) const {
    const Vec3 right = radius * Vec3{along_.y, -along_.x, 0};
    const double start = portable::atan2(right.y, right.x);
    const Piece cap = make_arc(to_, radius, start, std::numbers::pi);
    const Piece other_cap = make_arc(from_, radius, start + std::numbers::pi, std::numbers::pi);
    if (length_ == 0) return {cap, other_cap};
    return {make_segment(from_ + right, to_ + right), cap, make_segment(to_ - right, from_ - right), other_cap};
  }

  void append(std::vector<SurfacePoint>& points, double radius, double spacing, double thickness) const {
    for (const ContourPoint& point : spread(stadium(radius), spacing))
      points.push_back({point.position, point.interval * thickness});
  }

  /// One row from end to end of what is left; its points share the area of a stadium of `radius`.
  void append_middle_row(std::vector<SurfacePoint>& points, double radius, double spacing) const {
    const double whole = length_ + 2 * radius;
    const double area = radius * (2 * length_ + std::numbers::pi * radius);
    const int n = parts(whole, spacing);
    for (int j = 0; j < n; ++j) points.push_back({from_ + ((j + 0.5) * whole / n - radius) * along_, area / n});
  }

  Vec3 from_, to_, along_;
  double length_, radius_;
};

}  // namespace

ShapePtr make_line(Vec3 from, Vec3 to, double thickness) {
  require_finite("from", from);
  require_finite("to", to);
  require_positive("thickness", thickness);
  return std::make_shared<Line>(from, to, thickness);
}

}  // namespace eddyline::world
