#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/contour.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

/// Works in its own frame: centre at the origin, sides along x and y, half sizes a and b.
class Rectangle final : public Shape {
 public:
  Rectangle(Vec3 min, Vec3 max, double angle)
      : center_{0.5 * (min.x + max.x), 0.5 * (min.y + max.y), 0},
        a_(0.5 * (max.x - min.x)),
        b_(0.5 * (max.y - min.y)),
        cos_(portable::cos(angle)),
        sin_(portable::sin(angle)) {}

  double signed_distance(Vec3 p) const override {
    const Vec3 r = p - center_;
    const double dx = std::abs(cos_ * r.x + sin_ * r.y) - a_, dy = std::abs(cos_ * r.y - sin_ * r.x) - b_;
    if (dx <= 0 || dy <= 0) return std::max(dx, dy);
    return norm({dx, dy, 0});
  }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      if (!inside) {
        append(points, rounded(a_, b_, (k + 0.5) * spacing), spacing, spacing);
        continue;
      }
      const double thickness = layer_thickness(std::min(a_, b_), spacing, k);
      if (thickness == 0) break;
      const double a = a_ - k * spacing, b = b_ - k * spacing;
      if (thickness < k_share_below * spacing) {
        append_middle_row(points, a, b, spacing);
      } else {
        append(points, sharp(a - 0.5 * thickness, b - 0.5 * thickness), spacing, thickness);
      }
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double tolerance) const override {
    require_positive("tolerance", tolerance);
    std::vector<Vec3> loop;
    for (const Vec3& corner : corners(a_, b_)) loop.push_back(to_world(corner));
    return {loop};
  }

  std::pair<Vec3, Vec3> bounds() const override {
    const Vec3 reach{std::abs(cos_) * a_ + std::abs(sin_) * b_, std::abs(sin_) * a_ + std::abs(cos_) * b_, 0};
    return {center_ - reach, center_ + reach};
  }
  double volume() const override { return 4 * a_ * b_; }
  int dimensions() const override { return 2; }

 private:
  static std::array<Vec3, 4> corners(double a, double b) {
    return {Vec3{-a, -b, 0}, Vec3{a, -b, 0}, Vec3{a, b, 0}, Vec3{-a, b, 0}};
  }

  Vec3 to_world(Vec3 p) const { return center_ + Vec3{cos_ * p.x - sin_ * p.y, sin_ * p.x + cos_ * p.y, 0}; }

  static Contour sharp(double a, double b) {
    const auto c = corners(a, b);
    return {make_segment(c[0], c[1]), make_segment(c[1], c[2]), make_segment(c[2], c[3]), make_segment(c[3], c[0])};
  }

  /// The outline at `distance` outside: sides, and quarter circles about the corners.
  static Contour rounded(double a, double b, double distance) {
    constexpr double k_quarter = 0.5 * std::numbers::pi;
    const auto c = corners(a, b);
    const std::array<Vec3, 4> outward{Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{-1, 0, 0}};
    Contour contour;
    for (std::size_t i = 0; i < 4; ++i) {
      const Vec3 shift = distance * outward[i], corner = c[(i + 1) % 4];
      contour.push_back(make_segment(c[i] + shift, corner + shift));
      contour.push_back(make_arc(corner, distance, (static_cast<double>(i) - 1) * k_quarter, k_quarter));
    }
    return contour;
  }

  /// The area of a layer is its thickness times the length of the outline in its middle, since that length changes
  /// evenly with depth, inside and outside.
  void append(std::vector<SurfacePoint>& points, const Contour& contour, double spacing, double thickness) const {
    for (const ContourPoint& point : spread(contour, spacing))
      points.push_back({to_world(point.position), point.interval * thickness});
  }

  void append_middle_row(std::vector<SurfacePoint>& points, double a, double b, double spacing) const {
    const bool along_x = a >= b;
    const double half = std::max(a, b);
    const int n = parts(2 * half, spacing);
    for (int j = 0; j < n; ++j) {
      const double s = half * ((2 * j + 1.0) / n - 1);
      points.push_back({to_world(along_x ? Vec3{s, 0, 0} : Vec3{0, s, 0}), 4 * a * b / n});
    }
  }

  Vec3 center_;
  double a_, b_;
  double cos_, sin_;
};

}  // namespace

ShapePtr make_rectangle(Vec3 min, Vec3 max, double angle) {
  require_ordered(min, max, 2);
  if (!std::isfinite(angle)) throw UserError("angle = " + std::to_string(angle) + "; must be finite");
  return std::make_shared<Rectangle>(min, max, angle);
}

}  // namespace eddyline::world
