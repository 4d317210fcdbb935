#include <cmath>
#include <numbers>
#include <utility>

#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"
#include "world/shapes/rings.hpp"

namespace eddyline::world {

namespace {

class Circle final : public Shape {
 public:
  Circle(Vec3 center, double radius) : center_{center.x, center.y, 0}, radius_(radius) {}

  double signed_distance(Vec3 p) const override { return norm({p.x - center_.x, p.y - center_.y, 0}) - radius_; }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (const Ring& ring : inside ? rings_inside(radius_, spacing, count) : rings_outside(radius_, spacing, count))
      append_ring(points, center_, {}, ring);
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double tolerance) const override {
    require_positive("tolerance", tolerance);
    const int n = static_cast<int>(std::ceil(std::numbers::pi / half_angle_of_chords(radius_, tolerance)));
    std::vector<Vec3> loop;
    for (int j = 0; j < n; ++j) {
      const double angle = k_two_pi * j / n;
      loop.push_back(center_ + radius_ * Vec3{portable::cos(angle), portable::sin(angle), 0});
    }
    return {loop};
  }

  std::pair<Vec3, Vec3> bounds() const override {
    const Vec3 reach{radius_, radius_, 0};
    return {center_ - reach, center_ + reach};
  }
  double volume() const override { return std::numbers::pi * radius_ * radius_; }
  int dimensions() const override { return 2; }

 private:
  Vec3 center_;
  double radius_;
};

}  // namespace

ShapePtr make_circle(Vec3 center, double diameter) {
  require_finite("center", center);
  require_positive("diameter", diameter);
  return std::make_shared<Circle>(center, 0.5 * diameter);
}

}  // namespace eddyline::world
