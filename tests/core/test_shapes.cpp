#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "harness.hpp"
#include "world/shapes.hpp"

using namespace eddyline;
using namespace eddyline::world;

namespace {

constexpr double k_pi = std::numbers::pi;
constexpr int k_all = 100000;

double sum(const std::vector<SurfacePoint>& points) {
  double total = 0;
  for (const SurfacePoint& point : points) total += point.volume;
  return total;
}

double nearest_pair(const std::vector<SurfacePoint>& points) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) nearest = std::fmin(nearest, norm(points[i].position - points[j].position));
  return nearest;
}

/// The points of layer k alone.
std::vector<SurfacePoint> layer(const Shape& shape, double spacing, int k, bool inside) {
  const std::vector<SurfacePoint> more = shape.layers(spacing, k + 1, inside), fewer = shape.layers(spacing, k, inside);
  return {more.begin() + static_cast<std::ptrdiff_t>(fewer.size()), more.end()};
}

/// The share of points whose volume is within a quarter of spacing^D.
double regular_share(const Shape& shape, const std::vector<SurfacePoint>& points, double spacing) {
  const double full = std::pow(spacing, shape.dimensions());
  const auto regular = std::count_if(points.begin(), points.end(), [&](const SurfacePoint& point) {
    return std::abs(point.volume - full) <= 0.25 * full;
  });
  return static_cast<double>(regular) / static_cast<double>(points.size());
}

/// Area between two distances, counted with n^2 points, one at a random place in each cell of a grid over the bounds
/// and `margin` around them.
double counted_area(const Shape& shape, double from, double to, double margin, std::uint64_t n) {
  const auto [low, high] = shape.bounds();
  const double width = high.x - low.x + 2 * margin, height = high.y - low.y + 2 * margin;
  std::uint64_t count = 0;
  for (std::uint64_t j = 0; j < n; ++j)
    for (std::uint64_t i = 0; i < n; ++i) {
      const double x = (static_cast<double>(i) + uniform_random(i, j, 0)) / static_cast<double>(n);
      const double y = (static_cast<double>(j) + uniform_random(i, j, 1)) / static_cast<double>(n);
      const double d = shape.signed_distance({low.x - margin + x * width, low.y - margin + y * height, 0});
      if (d >= from && d < to) ++count;
    }
  return static_cast<double>(count) * width * height / static_cast<double>(n * n);
}

struct Named {
  std::string name;
  ShapePtr shape;
};

ShapePtr l_shape() { return make_polygon({{0, 0}, {1, 0}, {1, .3}, {.3, .3}, {.3, 1}, {0, 1}}); }

ShapePtr star() {
  std::vector<Vec3> points;
  for (int i = 0; i < 10; ++i) {
    const double r = i % 2 == 0 ? 1 : 0.45;
    points.push_back({r * std::cos(k_pi * i / 5), r * std::sin(k_pi * i / 5), 0});
  }
  return make_polygon(points);
}

/// Two rooms joined by a corridor that is one spacing of 0.05 from vanishing at every depth.
ShapePtr dumbbell() {
  return make_polygon(
      {{0, 0}, {.5, 0}, {.5, .2}, {1, .2}, {1, 0}, {1.5, 0}, {1.5, .5}, {1, .5}, {1, .3}, {.5, .3}, {.5, .5}, {0, .5}});
}

ShapePtr notched() {
  return make_polygon({{0, 0}, {1, 0}, {1, .6}, {.55, .6}, {.55, .2}, {.45, .2}, {.45, .6}, {0, .6}});
}

ShapePtr round_polygon(int n) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) points.push_back({0.5 * std::cos(2 * k_pi * i / n), 0.5 * std::sin(2 * k_pi * i / n), 0});
  return make_polygon(points);
}

std::vector<Named> shapes() {
  return {{"circle", make_circle({0.3, -0.2, 0}, 1)},
          {"small circle", make_circle({0, 0, 0}, 0.033)},
          {"rectangle", make_rectangle({0, 0, 0}, {1, 0.5, 0})},
          {"rotated rectangle", make_rectangle({0, 0, 0}, {1, 0.23, 0}, 0.3)},
          {"plate", make_rectangle({0, 0, 0}, {1, 0.02, 0}, -0.7)},
          {"line", make_line({0, 0, 0}, {0.5, 0.7, 0}, 0.33)},
          {"thin line", make_line({0, 0, 0}, {1, 0.2, 0}, 0.02)},
          {"dot", make_line({0, 0, 0}, {0, 0, 0}, 0.2)},
          {"triangle", make_polygon({{0, 0}, {1, 0}, {.4, .7}})},
          {"sliver", make_polygon({{0, 0}, {1, .12}, {1, 0}})},
          {"L", l_shape()},
          {"star", star()},
          {"dumbbell", dumbbell()},
          {"notched", notched()},
          {"round polygon", round_polygon(100)},
          {"sphere", make_sphere({0, 0, 0}, 0.4)},
          {"small sphere", make_sphere({0, 0, 0}, 0.07)},
          {"box", make_box({0, 0, 0}, {0.4, 0.31, 0.234})},
          {"sheet", make_box({0, 0, 0}, {0.4, 0.3, 0.02})},
          {"cylinder", make_cylinder({0, 0, 0}, {0.2, 0.3, 0.1}, 0.3)},
          {"disc", make_cylinder({0, 0, 0}, {0, 0, 0.02}, 0.5)},
          {"rod", make_cylinder({0, 0, 0}, {0.4, 0, 0.1}, 0.04)}};
}

void check_layers(const Named& named, bool inside) {
  constexpr double spacing = 0.05;
  const Shape& shape = *named.shape;
  const std::vector<SurfacePoint> points = shape.layers(spacing, inside ? k_all : 3, inside);
  const double sign = inside ? -1 : 1;
  bool good = !points.empty();
  for (const SurfacePoint& point : points) {
    good = good && point.volume > 0 && std::isfinite(point.volume);
    // Half a spacing deep; less where the layer is thinner than the spacing.
    const double depth = sign * shape.signed_distance(point.position);
    good = good && depth > (inside ? 0.0 : 0.349 * spacing);
  }
  if (points.size() > 1) good = good && nearest_pair(points) >= 0.5 * spacing * (1 - 1e-6);
  if (inside) good = good && std::abs(sum(points) / shape.volume() - 1) < 1e-9;
  const std::vector<SurfacePoint> again = shape.layers(spacing, inside ? k_all : 3, inside);
  good = good && again.size() == points.size();
  for (std::size_t i = 0; good && i < points.size(); ++i) good = again[i].position == points[i].position;
  if (!good) harness::fail(__FILE__, __LINE__, named.name + (inside ? " inside" : " outside"));
}

}  // namespace

TEST(every_shape_is_filled_and_fitted) {
  for (const Named& named : shapes()) {
    check_layers(named, true);
    check_layers(named, false);
  }
}

TEST(distances) {
  const ShapePtr circle = make_circle({1, 2, 0}, 2);
  CHECK_NEAR(circle->signed_distance({1, 2, 9}), -1, 1e-15);
  CHECK_NEAR(circle->signed_distance({4, 6, 0}), 4, 1e-15);

  const ShapePtr rectangle = make_rectangle({-2, -1, 0}, {2, 1, 0}, k_pi / 2);
  CHECK_NEAR(rectangle->signed_distance({0, 0, 0}), -1, 1e-15);
  CHECK_NEAR(rectangle->signed_distance({0, 1.5, 0}), -0.5, 1e-15);
  CHECK_NEAR(rectangle->signed_distance({4, 6, 0}), 5, 1e-14);

  const ShapePtr line = make_line({0, 0, 0}, {2, 0, 0}, 1);
  CHECK_NEAR(line->signed_distance({1, 0.25, 0}), -0.25, 1e-15);
  CHECK_NEAR(line->signed_distance({5, 4, 0}), 4.5, 1e-15);

  const ShapePtr box = make_box({0, 0, 0}, {2, 4, 6});
  CHECK_NEAR(box->signed_distance({1, 2, 3}), -1, 1e-15);
  CHECK_NEAR(box->signed_distance({1, 2, 8}), 2, 1e-15);
  CHECK_NEAR(box->signed_distance({4, 7, 12}), 7, 1e-15);

  const ShapePtr cylinder = make_cylinder({0, 0, 0}, {0, 0, 4}, 2);
  CHECK_NEAR(cylinder->signed_distance({0, 0, 2}), -1, 1e-15);
  CHECK_NEAR(cylinder->signed_distance({0, 0.9, 3.95}), -0.05, 1e-14);
  CHECK_NEAR(cylinder->signed_distance({4, 0, 8}), 5, 1e-14);

  CHECK_NEAR(make_sphere({0, 0, 1}, 2)->signed_distance({0, 3, 5}), 4, 1e-15);
}

TEST(distance_to_a_polygon) {
  const ShapePtr shape = l_shape();
  CHECK_NEAR(shape->signed_distance({.15, .6, 0}), -.15, 1e-15);
  CHECK_NEAR(shape->signed_distance({.2, .2, 0}), -std::sqrt(.02), 1e-15);  // the reflex corner is nearest
  CHECK_NEAR(shape->signed_distance({.4, .4, 0}), .1, 1e-15);
  CHECK_NEAR(shape->signed_distance({1.3, -.4, 0}), .5, 1e-15);
  CHECK_NEAR(shape->signed_distance({.5, .3, 0}), 0, 1e-15);
  // Either sense of rotation, repeated points and points on straight sides make no difference.
  const ShapePtr other =
      make_polygon({{0, 1}, {.3, 1}, {.3, 1}, {.3, .3}, {1, .3}, {1, 0}, {.5, 0}, {0, 0}, {0, .5}, {0, 1}});
  for (double x = -0.3; x < 1.3; x += 0.07)
    for (double y = -0.3; y < 1.3; y += 0.07)
      CHECK_NEAR(other->signed_distance({x, y, 0}), shape->signed_distance({x, y, 0}), 1e-15);
  CHECK_NEAR(other->volume(), 0.51, 1e-15);
}

TEST(rings_of_a_circle) {
  const double spacing = 0.05;
  const ShapePtr circle = make_circle({0, 0, 0}, 1);
  for (const bool inside : {true, false})
    for (int k = 0; k < 8; ++k) {
      const std::vector<SurfacePoint> ring = layer(*circle, spacing, k, inside);
      const double near = 0.5 + (inside ? -k : k) * spacing, far = 0.5 + (inside ? -k - 1 : k + 1) * spacing;
      const double middle = 0.5 * (near + far);
      CHECK(ring.size() == static_cast<std::size_t>(std::round(2 * k_pi * middle / spacing)));
      CHECK_NEAR(sum(ring), k_pi * std::abs(near * near - far * far), 1e-15);
      for (const SurfacePoint& point : ring) CHECK_NEAR(norm(point.position), middle, 1e-15);
    }
  CHECK_NEAR(regular_share(*circle, circle->layers(spacing, k_all, true), spacing), 1, 0);
}

TEST(a_commensurate_rectangle_gives_the_square_lattice) {
  const ShapePtr rectangle = make_rectangle({0, 0, 0}, {1, 0.5, 0});
  const std::vector<SurfacePoint> points = rectangle->layers(0.05, k_all, true);
  CHECK(points.size() == 200);
  for (const SurfacePoint& point : points) {
    CHECK_NEAR(point.volume, 0.0025, 1e-15);
    const double x = point.position.x / 0.05 - 0.5, y = point.position.y / 0.05 - 0.5;
    CHECK_NEAR(x, std::round(x), 1e-12);
    CHECK_NEAR(y, std::round(y), 1e-12);
  }
  const ShapePtr square = make_polygon({{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  const std::vector<SurfacePoint> in_polygon = square->layers(0.05, k_all, true);
  CHECK(in_polygon.size() == 400);
  for (const SurfacePoint& point : in_polygon) CHECK_NEAR(point.volume, 0.0025, 1e-8);
  const ShapePtr box = make_box({0, 0, 0}, {0.5, 0.4, 0.3});
  const std::vector<SurfacePoint> in_box = box->layers(0.05, k_all, true);
  CHECK(in_box.size() == 480);
  for (const SurfacePoint& point : in_box) CHECK_NEAR(point.volume, 0.000125, 1e-15);
}

TEST(layers_lie_at_their_depth) {
  // Shapes with room for three full layers.
  for (const Named& named : std::vector<Named>{{"circle", make_circle({0, 0, 0}, 1)},
                                               {"rectangle", make_rectangle({0, 0, 0}, {1.02, 0.57, 0}, 0.4)},
                                               {"line", make_line({0, 0, 0}, {1, 1, 0}, 0.4)},
                                               {"round polygon", round_polygon(60)},
                                               {"square", make_polygon({{0, 0}, {0, 1}, {1, 1}, {1, 0}})},
                                               {"sphere", make_sphere({0, 0, 0}, 0.6)},
                                               {"box", make_box({0, 0, 0}, {0.5, 0.43, 0.32})},
                                               {"cylinder", make_cylinder({0, 0, 0}, {0.3, 0.2, 0.1}, 0.4)}})
    for (const bool inside : {true, false})
      for (int k = 0; k < 3; ++k) {
        double worst = 0;
        for (const SurfacePoint& point : layer(*named.shape, 0.05, k, inside)) {
          const double depth = (inside ? -1 : 1) * named.shape->signed_distance(point.position);
          worst = std::fmax(worst, std::abs(depth - (k + 0.5) * 0.05));
        }
        // Polygons stand 1e-7 spacings from the middle of their layers.
        if (!(worst <= 1.1e-8)) harness::fail(__FILE__, __LINE__, named.name + " layer " + std::to_string(k));
      }
}

TEST(volumes_of_layers) {
  const double s = 0.05;
  const double a = 1, b = 0.5;
  const ShapePtr rectangle = make_rectangle({0, 0, 0}, {a, b, 0}, 0.2);
  const ShapePtr box = make_box({0, 0, 0}, {0.5, 0.43, 0.32});
  const ShapePtr cylinder = make_cylinder({0, 0, 0}, {0, 0.3, 0}, 0.4);
  const ShapePtr line = make_line({0, 0, 0}, {1, 0, 0}, 0.5);
  for (int k = 0; k < 3; ++k) {
    const double near = k * s, far = (k + 1) * s;
    const auto between = [&](auto volume, bool inside) {
      return inside ? volume(-near) - volume(-far) : volume(far) - volume(near);
    };
    const auto sharp_rectangle = [&](double d) { return (a + 2 * d) * (b + 2 * d); };
    const auto round_rectangle = [&](double d) { return a * b + 2 * d * (a + b) + k_pi * d * d; };
    CHECK_NEAR(sum(layer(*rectangle, s, k, true)), between(sharp_rectangle, true), 1e-14);
    CHECK_NEAR(sum(layer(*rectangle, s, k, false)), between(round_rectangle, false), 1e-14);

    const auto stadium = [&](double d) { return 2 * (0.25 + d) + k_pi * (0.25 + d) * (0.25 + d); };
    for (const bool inside : {true, false})
      CHECK_NEAR(sum(layer(*line, s, k, inside)), between(stadium, inside), 1e-14);

    const auto sharp_box = [&](double d) { return (0.5 + 2 * d) * (0.43 + 2 * d) * (0.32 + 2 * d); };
    const auto round_box = [&](double d) {
      return 0.5 * 0.43 * 0.32 + 2 * d * (0.5 * 0.43 + 0.43 * 0.32 + 0.32 * 0.5) + k_pi * d * d * (0.5 + 0.43 + 0.32) +
             4.0 / 3 * k_pi * d * d * d;
    };
    CHECK_NEAR(sum(layer(*box, s, k, true)), between(sharp_box, true), 1e-14);
    CHECK_NEAR(sum(layer(*box, s, k, false)), between(round_box, false), 1e-14);

    const double r = 0.2, h = 0.3;
    const auto sharp_cylinder = [&](double d) { return k_pi * (r + d) * (r + d) * (h + 2 * d); };
    const auto round_cylinder = [&](double d) {
      return k_pi * r * r * h + d * (2 * k_pi * r * h + 2 * k_pi * r * r) + k_pi * d * d * (h + k_pi * r) +
             4.0 / 3 * k_pi * d * d * d;
    };
    CHECK_NEAR(sum(layer(*cylinder, s, k, true)), between(sharp_cylinder, true), 1e-14);
    CHECK_NEAR(sum(layer(*cylinder, s, k, false)), between(round_cylinder, false), 1e-14);
  }
}

TEST(volumes_of_layers_of_polygons) {
  const double s = 0.07;
  for (const ShapePtr& shape : {l_shape(), star(), dumbbell()})
    for (int k = 0; k < 3; ++k) {
      const double near = k * s, far = (k + 1) * s;
      const double inside = counted_area(*shape, -far, -near, 0, 600);
      CHECK_NEAR(sum(layer(*shape, s, k, true)), inside, 1e-3 * shape->volume());
      const double outside = counted_area(*shape, near, far, 3 * s, 600);
      CHECK_NEAR(sum(layer(*shape, s, k, false)), outside, 1e-3 * shape->volume());
    }
}

TEST(most_points_have_a_full_volume) {
  for (const Named& named : shapes()) {
    const double spacing = named.shape->dimensions() == 2 ? 0.02 : 0.03;
    const std::vector<SurfacePoint> outside = named.shape->layers(spacing, 4, false);
    if (regular_share(*named.shape, outside, spacing) < 0.85)
      harness::fail(__FILE__, __LINE__, named.name + " outside");
  }
  for (const ShapePtr& shape : {l_shape(), star(), round_polygon(50), make_polygon({{0, 0}, {1, 0}, {.4, .7}})})
    CHECK(regular_share(*shape, shape->layers(0.02, k_all, true), 0.02) > 0.9);
}

TEST(a_thin_line_has_one_row) {
  const std::vector<SurfacePoint> points = make_line({0, 0, 0}, {1, 0, 0}, 0.02)->layers(0.05, 4, true);
  CHECK(points.size() == 20);
  for (const SurfacePoint& point : points) CHECK(point.position.y == 0);
  CHECK_NEAR(sum(points), 0.02 + k_pi * 1e-4, 1e-15);
}

TEST(sharp_tips_are_filled) {
  // A trailing edge would leak without points beyond the last corner of the inner curve.
  const double s = 0.02;
  const std::vector<SurfacePoint> points = make_polygon({{0, 0}, {1, .1}, {1, -.1}})->layers(s, k_all, true);
  double leftmost = 1;
  for (const SurfacePoint& point : points) leftmost = std::fmin(leftmost, point.position.x);
  CHECK(leftmost < s);
}

TEST(narrow_notches_stay_empty) {
  const ShapePtr shape = make_polygon({{0, 0}, {1, 0}, {1, .6}, {.52, .6}, {.52, .2}, {.48, .2}, {.48, .6}, {0, .6}});
  for (const SurfacePoint& point : shape->layers(0.05, 4, false))
    CHECK(!(std::abs(point.position.x - 0.5) < 0.02 && point.position.y < 0.58 && point.position.y > 0));
}

TEST(a_far_away_shape_is_the_same_shape) {
  const std::vector<SurfacePoint> here = make_polygon({{0, 0}, {1, 0}, {.4, .7}})->layers(0.05, k_all, true);
  const std::vector<SurfacePoint> there =
      make_polygon({{1024, -512}, {1025, -512}, {1024.4, -511.3}})->layers(0.05, k_all, true);
  CHECK(here.size() == there.size());
  for (std::size_t i = 0; i < here.size() && i < there.size(); ++i)
    CHECK_NEAR(norm(there[i].position - here[i].position - Vec3{1024, -512, 0}), 0, 1e-6);
}

TEST(outlines) {
  const double tolerance = 1e-3;
  for (const Named& named : shapes()) {
    if (named.shape->dimensions() == 3) {
      CHECK_THROWS(named.shape->outline(tolerance), "two-dimensional shapes only");
      continue;
    }
    const std::vector<Vec3> loop = named.shape->outline(tolerance).at(0);
    double area = 0;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec3 p = loop[i], q = loop[(i + 1) % loop.size()];
      area += 0.5 * (p.x * q.y - p.y * q.x);
      CHECK_NEAR(named.shape->signed_distance(p), 0, 1e-12);
      CHECK_NEAR(named.shape->signed_distance(0.5 * (p + q)), 0, tolerance);
      const auto [low, high] = named.shape->bounds();
      CHECK(p.x >= low.x - 1e-12 && p.x <= high.x + 1e-12 && p.y >= low.y - 1e-12 && p.y <= high.y + 1e-12);
    }
    CHECK_NEAR(area, named.shape->volume(), 4 * tolerance);
  }
}

TEST(bounds_and_volumes) {
  const ShapePtr cylinder = make_cylinder({0, 0, 0}, {1, 1, 0}, 1);
  const auto [low, high] = cylinder->bounds();
  CHECK_NEAR(low.x, -0.5 * std::sqrt(0.5), 1e-15);
  CHECK_NEAR(high.z, 0.5, 1e-15);
  CHECK_NEAR(cylinder->volume(), std::sqrt(2) * k_pi / 4, 1e-15);
  CHECK(cylinder->dimensions() == 3);
  const auto [left, right] = make_rectangle({0, 0, 0}, {2, 1, 0}, k_pi / 2)->bounds();
  CHECK_NEAR(left.x, 0.5, 1e-15);
  CHECK_NEAR(right.y, 1.5, 1e-15);
  CHECK_NEAR(make_sphere({0, 0, 0}, 2)->volume(), 4 * k_pi / 3, 1e-14);
}

TEST(refusals) {
  CHECK_THROWS(make_circle({0, 0, 0}, -0.1), "diameter = -0.1; must be > 0. Try 0.1");
  CHECK_THROWS(make_circle({0, 0, 0}, std::nan("")), "diameter");
  CHECK_THROWS(make_circle({0, std::nan(""), 0}, 1), "center");
  CHECK_THROWS(make_line({0, 0, 0}, {1, 0, 0}, 0), "thickness = 0; must be > 0");
  CHECK_THROWS(make_rectangle({0, 0, 0}, {1, 0, 0}), "max.y = 0; must be > min.y = 0");
  CHECK_THROWS(make_box({0, 0, 0}, {1, 1, -1}), "max.z");
  CHECK_THROWS(make_cylinder({1, 1, 1}, {1, 1, 1}, 1), "from = to");
  CHECK_THROWS(make_polygon({{0, 0}, {1, 0}}), "at least three points");
  CHECK_THROWS(make_polygon({{0, 0}, {1, 1}, {2, 2}}), "polygon");
  CHECK_THROWS(make_polygon({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), "crosses or touches itself");
  CHECK_THROWS(make_polygon({{0, 0}, {1, 0}, {1, 1}, {.5, 0}, {0, 1}}), "crosses or touches itself");
  CHECK_THROWS(make_polygon({{0, 0}, {1, 0}, {2, 0}, {1, 0}, {1, 1}}), "turns back on itself");
  CHECK_THROWS(make_circle({0, 0, 0}, 1)->layers(0, 1, true), "spacing = 0");
  CHECK_THROWS(make_circle({0, 0, 0}, 1)->layers(0.1, -1, true), "number of layers = -1");
  CHECK_THROWS(make_circle({0, 0, 0}, 1)->outline(0), "tolerance");
}
