#include <cmath>
#include <numbers>
#include <utility>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

class Sphere final : public Shape {
 public:
  Sphere(Vec3 center, double radius) : center_(center), radius_(radius) {}

  double signed_distance(Vec3 p) const override { return norm(p - center_) - radius_; }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      const double thickness = inside ? layer_thickness(radius_, spacing, k) : spacing;
      if (thickness == 0) break;
      const double outer = inside ? radius_ - k * spacing : radius_ + (k + 1) * spacing;
      append_shell(points, outer, thickness, spacing);
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double) const override {
    throw UserError("a sphere has no outline; outlines exist for two-dimensional shapes only");
  }

  std::pair<Vec3, Vec3> bounds() const override {
    const Vec3 reach{radius_, radius_, radius_};
    return {center_ - reach, center_ + reach};
  }
  double volume() const override { return 4.0 / 3.0 * std::numbers::pi * radius_ * radius_ * radius_; }
  int dimensions() const override { return 3; }

 private:
  /// Points on a spiral from pole to pole, at equal steps of height and of the golden angle, so that each has the same
  /// share of the shell and neighbours are about as far apart everywhere (Vogel 1979, on the sphere).
  void append_shell(std::vector<SurfacePoint>& points, double outer, double thickness, double spacing) const {
    constexpr double k_golden_angle = std::numbers::pi * (3 - 2.2360679774997896964);  // pi (3 - sqrt 5)
    const double middle = outer - 0.5 * thickness;
    const double volume = 4 * std::numbers::pi * thickness * (middle * middle + thickness * thickness / 12);
    const int n = parts(volume, spacing * spacing * spacing);
    const double radius = n == 1 ? 0 : middle;
    for (int j = 0; j < n; ++j) {
      const double height = 1 - (2 * j + 1.0) / n;
      const double across = std::sqrt(1 - height * height);
      const double angle = j * k_golden_angle;
      const Vec3 direction{across * portable::cos(angle), across * portable::sin(angle), height};
      points.push_back({center_ + radius * direction, volume / n});
    }
  }

  Vec3 center_;
  double radius_;
};

}  // namespace

ShapePtr make_sphere(Vec3 center, double diameter) {
  require_finite("center", center);
  require_positive("diameter", diameter);
  return std::make_shared<Sphere>(center, 0.5 * diameter);
}

}  // namespace eddyline::world
