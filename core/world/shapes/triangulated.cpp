#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/shapes.hpp"
#include "world/shapes/layering.hpp"

namespace eddyline::world {

namespace {

/// The nearest point of a triangle, and which part of it that is: the inside, an edge or a corner.
struct Nearest {
  Vec3 place;
  int corner = -1;  // 0 to 2
  int edge = -1;    // 0 to 2: from that corner to the next
};

/// Source: Ericson 2005, Real-Time Collision Detection, 5.1.5: regions of Voronoi.
Nearest nearest_on(Vec3 a, Vec3 b, Vec3 c, Vec3 p) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {a, 0, -1};
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {b, 1, -1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + (d1 / (d1 - d3)) * ab, -1, 0};
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {c, 2, -1};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + (d2 / (d2 - d6)) * ac, -1, 2};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double share = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {b + share * (c - b), -1, 1};
  }
  const double sum = 1 / (va + vb + vc);
  return {a + (vb * sum) * ab + (vc * sum) * ac, -1, -1};
}

double angle_between(Vec3 a, Vec3 b) { return portable::acos(std::clamp(dot(a, b) / (norm(a) * norm(b)), -1.0, 1.0)); }

/// A closed surface of triangles.
class Triangulated final : public Shape {
 public:
  Triangulated(std::vector<Vec3> points, std::vector<Int3> triangles)
      : points_(std::move(points)), triangles_(std::move(triangles)) {
    check();
    set_normals();
    order_.resize(triangles_.size());
    for (std::size_t n = 0; n < order_.size(); ++n) order_[n] = static_cast<std::int32_t>(n);
    build(0, static_cast<std::int32_t>(order_.size()));
  }

  /// The sign is that against the normal of the nearest corner, edge or triangle; normals of corners weigh triangles by
  /// their angles. Source: Baerentzen & Aanaes 2005.
  double signed_distance(Vec3 p) const override {
    double least = std::numeric_limits<double>::infinity();
    std::int32_t found = -1;
    Nearest nearest;
    std::array<std::int32_t, 64> left{};
    int count = 1;
    while (count > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(left[static_cast<std::size_t>(--count)])];
      if (away_from(node, p) > least) continue;
      if (node.second < 0) {
        for (std::int32_t n = node.first; n < node.last; ++n) {
          const std::int32_t t = order_[static_cast<std::size_t>(n)];
          const auto [a, b, c] = corners_of(t);
          const Nearest here = nearest_on(a, b, c, p);
          const Vec3 away = p - here.place;
          if (dot(away, away) >= least) continue;
          least = dot(away, away), found = t, nearest = here;
        }
        continue;
      }
      const std::int32_t first = static_cast<std::int32_t>(&node - nodes_.data()) + 1;
      const bool first_is_nearer = away_from(nodes_[static_cast<std::size_t>(first)], p) <=
                                   away_from(nodes_[static_cast<std::size_t>(node.second)], p);
      left[static_cast<std::size_t>(count++)] = first_is_nearer ? node.second : first;
      left[static_cast<std::size_t>(count++)] = first_is_nearer ? first : node.second;
    }
    const Int3& corners = triangles_[static_cast<std::size_t>(found)];
    const Vec3 normal =
        nearest.corner >= 0
            ? corner_normals_[static_cast<std::size_t>(corners[static_cast<std::size_t>(nearest.corner)])]
        : nearest.edge >= 0 ? edge_normals_[static_cast<std::size_t>(found)][static_cast<std::size_t>(nearest.edge)]
                            : normals_[static_cast<std::size_t>(found)];
    return dot(p - nearest.place, normal) < 0 ? -std::sqrt(least) : std::sqrt(least);
  }

  std::vector<SurfacePoint> layers(double, int, bool) const override {
    throw UserError("a body of triangles has no layers of particles; solvers with a mesh or with cells can have it");
  }
  std::vector<std::vector<Vec3>> outline(double) const override {
    throw UserError("a body of triangles has no outline; outlines exist for two-dimensional shapes only");
  }
  std::pair<Vec3, Vec3> bounds() const override { return {nodes_[0].low, nodes_[0].high}; }
  double volume() const override {
    double sum = 0;
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const auto [a, b, c] = corners_of(static_cast<std::int32_t>(t));
      sum += dot(a - points_[0], cross_product(b - points_[0], c - points_[0])) / 6;
    }
    return sum;
  }
  int dimensions() const override { return 3; }

 private:
  /// A box around triangles. Its first child follows it; second: the other, or -1 of a leaf.
  struct Node {
    Vec3 low, high;
    std::int32_t first, last, second;
  };
  static constexpr std::int32_t k_leaf = 4;

  std::array<Vec3, 3> corners_of(std::int32_t t) const {
    const Int3& corners = triangles_[static_cast<std::size_t>(t)];
    return {points_[static_cast<std::size_t>(corners[0])], points_[static_cast<std::size_t>(corners[1])],
            points_[static_cast<std::size_t>(corners[2])]};
  }

  /// Throws UserError unless every edge belongs to two triangles, once in each direction.
  void check() const {
    if (triangles_.size() < 4) throw UserError("a surface needs at least four triangles");
    for (const Vec3& point : points_) require_finite("point", point);
    std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
    for (const Int3& corners : triangles_)
      for (std::size_t k = 0; k < 3; ++k) {
        if (corners[k] < 0 || corners[k] >= static_cast<std::int32_t>(points_.size()))
          throw UserError("triangle with corner " + std::to_string(corners[k]) + "; there are " +
                          std::to_string(points_.size()) + " points");
        ++edges[{corners[k], corners[(k + 1) % 3]}];
      }
    for (const auto& [edge, count] : edges) {
      const auto back = edges.find({edge.second, edge.first});
      if (count != 1 || back == edges.end() || back->second != 1)
        throw UserError("the surface is not closed at the edge from point " + std::to_string(edge.first) + " to " +
                        std::to_string(edge.second));
    }
    if (!(volume() > 0)) throw UserError("the surface encloses no volume, or its triangles are turned inwards");
  }

  void set_normals() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> edges;
    corner_normals_.resize(points_.size());
    edge_normals_.resize(triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
      const auto corners = corners_of(static_cast<std::int32_t>(t));
      const Vec3 across = cross_product(corners[1] - corners[0], corners[2] - corners[0]);
      const double size = norm(across);
      if (!(size > 0)) throw UserError("triangle " + std::to_string(t) + " of the surface has no area");
      normals_.push_back(across / size);
      for (std::size_t k = 0; k < 3; ++k) {
        edges[{triangles_[t][k], triangles_[t][(k + 1) % 3]}] = t;
        Vec3& sum = corner_normals_[static_cast<std::size_t>(triangles_[t][k])];
        const Vec3 here = corners[k];
        sum = sum + angle_between(corners[(k + 1) % 3] - here, corners[(k + 2) % 3] - here) * normals_[t];
      }
    }
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        edge_normals_[t][k] = normals_[t] + normals_[edges.at({triangles_[t][(k + 1) % 3], triangles_[t][k]})];
  }

  std::int32_t build(std::int32_t first, std::int32_t last) {
    const auto number = static_cast<std::int32_t>(nodes_.size());
    constexpr double k_far = std::numeric_limits<double>::infinity();
    Node node{{k_far, k_far, k_far}, {-k_far, -k_far, -k_far}, first, last, -1};
    for (std::int32_t n = first; n < last; ++n)
      for (const Vec3& corner : corners_of(order_[static_cast<std::size_t>(n)]))
        for (int d = 0; d < 3; ++d) {
          node.low[d] = std::min(node.low[d], corner[d]);
          node.high[d] = std::max(node.high[d], corner[d]);
        }
    nodes_.push_back(node);
    if (last - first <= k_leaf) return number;
    int longest = 0;
    for (int d = 1; d < 3; ++d)
      if (node.high[d] - node.low[d] > node.high[longest] - node.low[longest]) longest = d;
    const auto place = [&](std::int32_t t) {
      const auto [a, b, c] = corners_of(t);
      return a[longest] + b[longest] + c[longest];
    };
    const std::int32_t middle = (first + last) / 2;
    std::sort(order_.begin() + first, order_.begin() + last,
              [&](std::int32_t s, std::int32_t t) { return std::pair(place(s), s) < std::pair(place(t), t); });
    build(first, middle);
    const std::int32_t second = build(middle, last);
    nodes_[static_cast<std::size_t>(number)].second = second;
    return number;
  }

  static double away_from(const Node& node, Vec3 p) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      const double beyond = std::max({node.low[d] - p[d], 0.0, p[d] - node.high[d]});
      square += beyond * beyond;
    }
    return square;
  }

  std::vector<Vec3> points_;
  std::vector<Int3> triangles_;
  std::vector<Vec3> normals_, corner_normals_;
  std::vector<std::array<Vec3, 3>> edge_normals_;
  std::vector<std::int32_t> order_;  // triangles as the leaves hold them
  std::vector<Node> nodes_;
};

}  // namespace

ShapePtr make_triangulated(std::vector<Vec3> points, std::vector<Int3> triangles) {
  return std::make_shared<Triangulated>(std::move(points), std::move(triangles));
}

}  // namespace eddyline::world
