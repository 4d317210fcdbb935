#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

/// Points from -half to half along an axis, ends included; a single one in the middle if they would be too near.
struct Axis {
  double half = 0;
  int parts = 0;

  Axis(double half_size, double spacing)
      : half(half_size), parts(2 * half_size < 0.5 * spacing ? 0 : world::parts(2 * half_size, spacing)) {}

  double at(int i) const { return parts == 0 ? 0 : half * (2.0 * i / parts - 1); }
  /// Number of ends of the axis that point i represents.
  int ends(int i) const { return (i == 0 ? 1 : 0) + (i == parts ? 1 : 0); }
  bool is_end(int i) const { return ends(i) > 0; }
  /// Part of the length that belongs to point i: half the distance to either neighbour.
  double share(int i) const { return parts == 0 ? 2 * half : 2 * half / parts * (is_end(i) ? 0.5 : 1); }
};

class Box final : public Shape {
 public:
  Box(Vec3 min, Vec3 max) : center_(0.5 * (min + max)), half_(0.5 * (max - min)) {}

  double signed_distance(Vec3 p) const override {
    const Vec3 r = p - center_;
    const Vec3 d{std::abs(r.x) - half_.x, std::abs(r.y) - half_.y, std::abs(r.z) - half_.z};
    const double outside = norm({std::max(d.x, 0.0), std::max(d.y, 0.0), std::max(d.z, 0.0)});
    return outside > 0 ? outside : std::max({d.x, d.y, d.z});
  }

  std::vector<SurfacePoint> layers(double spacing, int count, bool inside) const override {
    require_layering(spacing, count);
    std::vector<SurfacePoint> points;
    for (int k = 0; k < count; ++k) {
      if (!inside) {
        append_rounded(points, (k + 0.5) * spacing, spacing);
        continue;
      }
      const double thickness = layer_thickness(std::min({half_.x, half_.y, half_.z}), spacing, k);
      if (thickness == 0) break;
      const double depth = k * spacing;
      if (thickness < k_share_below * spacing) {
        append_rest(points, half_ - Vec3{depth, depth, depth}, spacing);
      } else {
        const double middle = depth + 0.5 * thickness;
        append_surface(points, half_ - Vec3{middle, middle, middle}, spacing, thickness);
      }
    }
    return points;
  }

  std::vector<std::vector<Vec3>> outline(double) const override {
    throw UserError("a box has no outline; outlines exist for two-dimensional shapes only");
  }

  std::pair<Vec3, Vec3> bounds() const override { return {center_ - half_, center_ + half_}; }
  double volume() const override { return 8 * half_.x * half_.y * half_.z; }
  int dimensions() const override { return 3; }

 private:
  /// A lattice on the six faces of a box with half sizes `half`, edges and corners included. With the full sizes
  /// A, B, C and the thickness t the layer has the volume
  ///   (A + t)(B + t)(C + t) - (A - t)(B - t)(C - t) = 2 t (A B + B C + C A) + 2 t^3:
  /// the areas of the faces times t, and t^3 / 4 for each corner.
  void append_surface(std::vector<SurfacePoint>& points, Vec3 half, double spacing, double thickness) const {
    const Axis x(half.x, spacing), y(half.y, spacing), z(half.z, spacing);
    for (int k = 0; k <= z.parts; ++k)
      for (int j = 0; j <= y.parts; ++j)
        for (int i = 0; i <= x.parts; ++i) {
          double area = 0;
          if (x.is_end(i)) area += y.share(j) * z.share(k);
          if (y.is_end(j)) area += z.share(k) * x.share(i);
          if (z.is_end(k)) area += x.share(i) * y.share(j);
          if (area == 0) continue;
          const bool corner = x.is_end(i) && y.is_end(j) && z.is_end(k);
          const double volume = thickness * area + (corner ? 0.25 * thickness * thickness * thickness : 0);
          points.push_back({center_ + Vec3{x.at(i), y.at(j), z.at(k)}, volume});
        }
  }

  /// The centres of equal cells: one across the thin axis, about `spacing` wide along the others.
  void append_rest(std::vector<SurfacePoint>& points, Vec3 half, double spacing) const {
    const int nx = parts(2 * half.x, spacing), ny = parts(2 * half.y, spacing), nz = parts(2 * half.z, spacing);
    const double volume = 8 * half.x * half.y * half.z / nx / ny / nz;
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          points.push_back({center_ + Vec3{half.x * ((2 * i + 1.0) / nx - 1), half.y * ((2 * j + 1.0) / ny - 1),
                                           half.z * ((2 * k + 1.0) / nz - 1)},
                            volume});
  }

  /// The surface at `distance` outside: faces, quarter cylinders along the edges, eighths of a sphere at the corners.
  /// Arcs are cut into m parts, eighths into m^2 triangles. A point's volume is made of its shares of all that meet
  /// there: half a part of an arc at its ends, a third of each triangle.
  void append_rounded(std::vector<SurfacePoint>& points, double distance, double spacing) const {
    const std::array<Axis, 3> axes{Axis(half_.x, spacing), Axis(half_.y, spacing), Axis(half_.z, spacing)};
    const int m = parts(0.5 * std::numbers::pi * distance, spacing);
    const double arc_part = 0.5 * std::numbers::pi * distance * spacing / m;  // area across an edge
    const double triangle = 0.5 * std::numbers::pi * spacing * (distance * distance + spacing * spacing / 12) / (m * m);

    for (int normal = 0; normal < 3; ++normal) {
      const int u = (normal + 1) % 3, v = (normal + 2) % 3;
      const Axis &along_u = axes[static_cast<std::size_t>(u)], &along_v = axes[static_cast<std::size_t>(v)];
      for (const double side : {-1.0, 1.0})
        for (int j = 0; j <= along_v.parts; ++j)
          for (int i = 0; i <= along_u.parts; ++i) {
            double volume = spacing * along_u.share(i) * along_v.share(j);
            volume += 0.5 * arc_part * along_u.ends(i) * along_v.share(j);
            volume += 0.5 * arc_part * along_v.ends(j) * along_u.share(i);
            volume += triangle / 3 * along_u.ends(i) * along_v.ends(j);
            Vec3 p;
            p[normal] = side * (half_[normal] + distance);
            p[u] = along_u.at(i);
            p[v] = along_v.at(j);
            points.push_back({center_ + p, volume});
          }
      append_edges(points, axes[static_cast<std::size_t>(normal)], normal, distance, m, arc_part, triangle);
    }
    append_corners(points, distance, m, triangle);
  }

  /// The four edges along `axis`, without the ends of their arcs, which belong to the faces.
  void append_edges(std::vector<SurfacePoint>& points, const Axis& along, int axis, double distance, int m,
                    double arc_part, double triangle) const {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const double side_v : {-1.0, 1.0})
      for (const double side_u : {-1.0, 1.0})
        for (int l = 1; l < m; ++l)
          for (int i = 0; i <= along.parts; ++i) {
            const double angle = 0.5 * std::numbers::pi * l / m;
            Vec3 p;
            p[axis] = along.at(i);
            p[u] = side_u * (half_[u] + distance * portable::cos(angle));
            p[v] = side_v * (half_[v] + distance * portable::sin(angle));
            points.push_back({center_ + p, arc_part * along.share(i) + triangle * along.ends(i)});
          }
  }

  /// The eight corners, without their edges.
  void append_corners(std::vector<SurfacePoint>& points, double distance, int m, double triangle) const {
    const auto sine = [m](int i) { return portable::sin(0.5 * std::numbers::pi * i / m); };
    for (const double z : {-1.0, 1.0})
      for (const double y : {-1.0, 1.0})
        for (const double x : {-1.0, 1.0})
          for (int b = 1; b < m - 1; ++b)
            for (int a = 1; a < m - b; ++a) {
              const Vec3 towards{sine(a), sine(b), sine(m - a - b)};
              const Vec3 d = distance / norm(towards) * towards;
              points.push_back(
                  {center_ + Vec3{x * (half_.x + d.x), y * (half_.y + d.y), z * (half_.z + d.z)}, 2 * triangle});
            }
  }

  Vec3 center_, half_;
};

}  // namespace

ShapePtr make_box(Vec3 min, Vec3 max) {
  require_ordered(min, max, 3);
  return std::make_shared<Box>(min, max);
}

}  // namespace eddyline::world
