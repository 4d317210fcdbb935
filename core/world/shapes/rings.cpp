#include "world/shapes/rings.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/portable_math.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

std::vector<Ring> rings_inside(double radius, double spacing, int count) {
  std::vector<Ring> rings;
  for (int k = 0; k < count; ++k) {
    const double thickness = layer_thickness(radius, spacing, k);
    if (thickness == 0) break;
    const double outer = radius - k * spacing;
    const bool innermost = thickness == outer;
    const double area = std::numbers::pi * thickness * (2 * outer - thickness);
    const double middle = outer - 0.5 * thickness;
    const int n = innermost ? parts(area, spacing * spacing) : parts(k_two_pi * middle, spacing);
    rings.push_back({n == 1 ? 0 : middle, n, area});
  }
  return rings;
}

std::vector<Ring> rings_outside(double radius, double spacing, int count) {
  std::vector<Ring> rings;
  for (int k = 0; k < count; ++k) {
    const double middle = radius + (k + 0.5) * spacing;
    rings.push_back({middle, parts(k_two_pi * middle, spacing), k_two_pi * middle * spacing});
  }
  return rings;
}

std::vector<Ring> disc_rings(double radius, double spacing) {
  return rings_inside(radius, spacing, std::numeric_limits<int>::max());
}

void append_ring(std::vector<SurfacePoint>& points, Vec3 center, Plane plane, const Ring& ring, double thickness) {
  const double volume = ring.share / ring.count * thickness;
  for (int j = 0; j < ring.count; ++j) {
    const double angle = k_two_pi * (j + 0.5) / ring.count;
    const double x = ring.radius * portable::cos(angle), y = ring.radius * portable::sin(angle);
    points.push_back({center + x * plane.u + y * plane.v, volume});
  }
}

}  // namespace eddyline::world
