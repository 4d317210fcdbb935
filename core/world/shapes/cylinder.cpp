#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"
#include "world/shapes/rings.hpp"

namespace eddyline::world {

namespace {

constexpr double k_pi = std::numbers::pi;

/// The component of `axis` that is least in size decides which way is across.
Plane plane_across(Vec3 axis) {
  const Vec3 size{std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)};
  const Vec3 other = size.x <= size.y && size.x <= size.z ? Vec3{1, 0, 0}
                     : size.y <= size.z                   ? Vec3{0, 1, 0}
                                                          : Vec3{0, 0, 1};
  const Vec3 across = other - dot(other, axis) * axis;
  const Vec3 u = across / norm(across);
  return {u, {axis.y * u.z - axis.z * u.y, axis.z * u.x - axis.x * u.z, axis.x * u.y - axis.y * u.x}};
}

/// A finite circular cylinder about any axis.
class Cylinder final : public Shape {
 public:
  Cylinder(Vec3 from, Vec3 to, double radius)
      : center_(0.5 * (from + to)),
        axis_((to - from) / norm(to - from)),
        plane_(plane_across(axis_)),
        half_(0.5 * norm(to - from)),
        radius_(radius) {}

  double signed_distance(Vec3 p) const override {
    const Vec3 r = p - center_;
    const double along = dot(r, axis_);
    const double dz = std::abs(along) - half_, dr = norm(r - along * axis_) - radius_;
    if (dz <= 0 || dr <= 0) return std::max(dz, dr);
    return norm({dr, dz, 0});
  }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      if (!inside) {
        append_rounded(points, (k + 0.5) * spacing, spacing);
        continue;
      }
      const double thickness = layer_thickness(std::min(half_, radius_), spacing, k);
      if (thickness == 0) break;
      const double depth = k * spacing;
      if (thickness < k_share_below * spacing) {
        append_rest(points, half_ - depth, radius_ - depth, spacing);
      } else {
        const double middle = depth + 0.5 * thickness;
        append_surface(points, half_ - middle, radius_ - middle, spacing, thickness);
      }
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double) const override {
    throw UserError("a cylinder has no outline; outlines exist for two-dimensional shapes only");
  }

  std::pair<Vec3, Vec3> bounds() const override {
    Vec3 reach;
    for (int i = 0; i < 3; ++i)
      reach[i] = std::abs(axis_[i]) * half_ + radius_ * std::sqrt(std::max(0.0, 1 - axis_[i] * axis_[i]));
    return {center_ - reach, center_ + reach};
  }
  double volume() const override { return 2 * half_ * k_pi * radius_ * radius_; }
  int dimensions() const override { return 3; }

 private:
  void append(std::vector<SurfacePoint>& points, double along, const Ring& ring, double thickness = 1) const {
    append_ring(points, center_ + along * axis_, plane_, ring, thickness);
  }

  /// Rings that share a flat disc, the first on its rim: {rim, ..., centre}. The shares are areas.
  static std::vector<Ring> disc_with_rim(double radius, double spacing) {
    // A disc this small has no room for a point beside those on its rim.
    if (radius < 0.6 * spacing) return {{radius, parts(k_two_pi * radius, spacing), k_pi * radius * radius}};
    const int m = parts(radius, spacing);
    const double step = radius / m;
    std::vector<Ring> rings{{radius, parts(k_two_pi * radius, spacing), k_pi * step * (radius - 0.25 * step)}};
    for (int j = 1; j < m; ++j) {
      const double r = radius - j * step;
      rings.push_back({r, parts(k_two_pi * r, spacing), k_two_pi * r * step});
    }
    rings.push_back({0, 1, 0.25 * k_pi * step * step});
    return rings;
  }

  /// Mantle and caps of a cylinder with half length `half` and `radius` r; its rims belong to both. With the length L
  /// and the thickness t the layer has the volume
  ///   pi ((r + t/2)^2 (L + t) - (r - t/2)^2 (L - t)) = 2 pi r L t + 2 pi r^2 t + pi t^3 / 2:
  /// the areas of mantle and caps times t, and pi t^3 / 4 for each rim.
  void append_surface(std::vector<SurfacePoint>& points, double half, double radius, double spacing,
                      double thickness) const {
    const std::vector<Ring> cap = disc_with_rim(radius, spacing);
    const double rim_share = cap[0].share * thickness + 0.25 * k_pi * thickness * thickness * thickness;
    append_mantle(points, half, radius, spacing, thickness, rim_share);
    for (const double side : {-1.0, 1.0})
      for (std::size_t j = 1; j < cap.size(); ++j) append(points, side * half, cap[j], thickness);
  }

  /// Rings along the mantle, ends included; each end ring has `end_share` [m^3] besides its share of the mantle.
  void append_mantle(std::vector<SurfacePoint>& points, double half, double radius, double spacing, double thickness,
                     double end_share) const {
    const int count = parts(k_two_pi * radius, spacing);
    const double share = k_two_pi * radius * thickness * 2 * half;
    if (2 * half < 0.5 * spacing) {  // both ends would be too near: one ring for both
      append(points, 0, {radius, count, share + 2 * end_share});
      return;
    }
    const int n = parts(2 * half, spacing);
    for (int i = 0; i <= n; ++i) {
      const bool end = i == 0 || i == n;
      append(points, half * (2.0 * i / n - 1), {radius, count, end ? 0.5 * share / n + end_share : share / n});
    }
  }

  /// Discs one above the other: a single one, or points on the axis, where the rest is thin.
  void append_rest(std::vector<SurfacePoint>& points, double half, double radius, double spacing) const {
    const int n = parts(2 * half, spacing);
    for (int i = 0; i < n; ++i)
      for (const Ring& ring : disc_rings(radius, spacing))
        append(points, half * ((2 * i + 1.0) / n - 1), ring, 2 * half / n);
  }

  /// The surface at distance d outside: mantle, caps, and quarters of a torus around the rims. The part of a torus
  /// between two angles a and b from the axis has the volume 2 pi s (R d (b - a) + (d^2 + s^2/12) (cos a - cos b)).
  void append_rounded(std::vector<SurfacePoint>& points, double distance, double spacing) const {
    const int m = parts(0.5 * k_pi * distance, spacing);
    const auto torus_share = [&](int l) {
      const double a = 0.5 * k_pi * std::max(0.0, l - 0.5) / m, b = 0.5 * k_pi * std::min<double>(m, l + 0.5) / m;
      const double square = distance * distance + spacing * spacing / 12;
      return k_two_pi * spacing * (radius_ * distance * (b - a) + square * (portable::cos(a) - portable::cos(b)));
    };
    append_mantle(points, half_, radius_ + distance, spacing, spacing, torus_share(m));
    std::vector<Ring> cap = disc_with_rim(radius_, spacing);
    if (radius_ < 0.25 * spacing) cap[0] = {0, 1, cap[0].share};
    cap[0].share += torus_share(0) / spacing;
    for (const double side : {-1.0, 1.0}) {
      for (const Ring& ring : cap) append(points, side * (half_ + distance), ring, spacing);
      for (int l = 1; l < m; ++l) {
        const double angle = 0.5 * k_pi * l / m;
        const double radius = radius_ + distance * portable::sin(angle);
        append(points, side * (half_ + distance * portable::cos(angle)),
               {radius, parts(k_two_pi * radius, spacing), torus_share(l)});
      }
    }
  }

  Vec3 center_, axis_;
  Plane plane_;
  double half_, radius_;
};

}  // namespace

ShapePtr make_cylinder(Vec3 from, Vec3 to, double diameter) {
  require_finite("from", from);
  require_finite("to", to);
  require_positive("diameter", diameter);
  if (from == to) throw UserError("from = to; the two ends of a cylinder must differ");
  return std::make_shared<Cylinder>(from, to, 0.5 * diameter);
}

}  // namespace eddyline::world
