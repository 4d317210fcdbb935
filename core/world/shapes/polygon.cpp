#include <algorithm>
#include <utility>

#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"
#include "world/shapes/offset.hpp"
#include "world/shapes/polygon_layers.hpp"

namespace eddyline::world {

namespace {

class Polygon final : public Shape {
 public:
  explicit Polygon(const std::vector<Vec3>& corners) : outline_(corners) {}

  double signed_distance(Vec3 p) const override { return outline_.signed_distance(p); }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    return polygon_layers(outline_, spacing, count, inside);
  }

  std::vector<std::vector<Vec3>> outline(double tolerance) const override {
    require_positive("tolerance", tolerance);
    return {outline_.corners()};
  }

  std::pair<Vec3, Vec3> bounds() const override {
    Vec3 low = outline_.corners()[0], high = low;
    for (const Vec3& p : outline_.corners()) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), 0};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), 0};
    }
    return {low, high};
  }
  double volume() const override { return outline_.area(0); }
  int dimensions() const override { return 2; }

 private:
  Outline outline_;
};

}  // namespace

ShapePtr make_polygon(const std::vector<Vec3>& points) { return std::make_shared<Polygon>(points); }

}  // namespace eddyline::world
