// Shapes: distances, layers of points, outlines.
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "world/formula.hpp"
#include "world/formula_region.hpp"
#include "world/shapes.hpp"

namespace eddyline::bindings {

using world::Formula;
using world::Shape;
using namespace nb::literals;

namespace {

auto signed_distance(const Shape& shape, const Points& points) {
  std::vector<double> distance(points.shape(0));
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const double* p = points.data() + 3 * i;
    distance[i] = shape.signed_distance({p[0], p[1], p[2]});
  }
  return give(std::move(distance));
}

auto layers(const Shape& shape, double spacing, int count, bool inside) {
  const std::vector<world::SurfacePoint> points = shape.layers(spacing, count, inside);
  std::vector<Vec3> positions;
  std::vector<double> volumes;
  for (const world::SurfacePoint& point : points) {
    positions.push_back(point.position);
    volumes.push_back(point.volume);
  }
  return std::make_pair(points_to_array(positions), give(std::move(volumes)));
}

nb::list outline(const Shape& shape, double tolerance) {
  nb::list loops;
  for (const std::vector<Vec3>& loop : shape.outline(tolerance)) loops.append(points_to_array(loop));
  return loops;
}

}  // namespace

void bind_shapes(nb::module_& module) {
  nb::class_<Shape>(module, "Shape")
      .def("signed_distance", &signed_distance, "points"_a)
      .def("layers", &layers, "spacing"_a, "count"_a, "inside"_a = true)
      .def("outline", &outline, "tolerance"_a)
      .def_prop_ro("bounds",
                   [](const Shape& shape) {
                     const auto [lowest, highest] = shape.bounds();
                     return std::make_pair(to_triple(lowest), to_triple(highest));
                   })
      .def_prop_ro("volume", &Shape::volume)
      .def_prop_ro("dimensions", &Shape::dimensions);

  module.def(
      "circle", [](const Triple& center, double diameter) { return world::make_circle(to_vec(center), diameter); },
      "center"_a, "diameter"_a);
  module.def(
      "rectangle",
      [](const Triple& min, const Triple& max, double angle) {
        return world::make_rectangle(to_vec(min), to_vec(max), angle);
      },
      "min"_a, "max"_a, "angle"_a = 0.0);
  module.def(
      "polygon",
      [](const std::vector<Triple>& points) {
        std::vector<Vec3> corners;
        for (const Triple& point : points) corners.push_back(to_vec(point));
        return world::make_polygon(std::move(corners));
      },
      "points"_a);
  module.def(
      "line",
      [](const Triple& from, const Triple& to, double thickness) {
        return world::make_line(to_vec(from), to_vec(to), thickness);
      },
      "from_"_a, "to"_a, "thickness"_a);
  module.def(
      "sphere", [](const Triple& center, double diameter) { return world::make_sphere(to_vec(center), diameter); },
      "center"_a, "diameter"_a);
  module.def(
      "box", [](const Triple& min, const Triple& max) { return world::make_box(to_vec(min), to_vec(max)); }, "min"_a,
      "max"_a);
  module.def(
      "cylinder",
      [](const Triple& from, const Triple& to, double diameter) {
        return world::make_cylinder(to_vec(from), to_vec(to), diameter);
      },
      "from_"_a, "to"_a, "diameter"_a);
  module.def(
      "triangulated",
      [](const Points& points, const std::vector<std::array<std::int32_t, 3>>& triangles) {
        std::vector<Vec3> corners(points.shape(0));
        for (std::size_t i = 0; i < corners.size(); ++i)
          corners[i] = {points.data()[3 * i], points.data()[3 * i + 1], points.data()[3 * i + 2]};
        return world::make_triangulated(std::move(corners), triangles);
      },
      "points"_a, "triangles"_a);
  module.def(
      "formula_region",
      [](const Formula& inside, const Triple& min, const Triple& max, int dimensions) {
        return world::make_formula_region(inside, to_vec(min), to_vec(max), dimensions);
      },
      "inside"_a, "min"_a, "max"_a, "dimensions"_a);
}

}  // namespace eddyline::bindings
