#include "world/change.hpp"

#include <string>
#include <vector>

#include "base/errors.hpp"

namespace eddyline::world {

ShapePtr shape_of(const Change& change) {
  using Kind = Change::ShapeKind;
  const auto count = static_cast<std::size_t>(change.count);
  const auto point = [&](std::size_t k) {
    return Vec3{change.numbers[3 * k], change.numbers[3 * k + 1], change.numbers[3 * k + 2]};
  };
  const auto need = [&](std::size_t numbers) {
    if (count != numbers)
      throw UserError("a shape has " + std::to_string(count) + " numbers; it needs " + std::to_string(numbers) + ".");
  };
  switch (change.shape) {
    case Kind::circle: need(4); return make_circle(point(0), change.numbers[3]);
    case Kind::rectangle: need(7); return make_rectangle(point(0), point(1), change.numbers[6]);
    case Kind::polygon: {
      need(count / 3 * 3);
      std::vector<Vec3> corners(count / 3);
      for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = point(k);
      return make_polygon(corners);
    }
    case Kind::line: need(7); return make_line(point(0), point(1), change.numbers[6]);
    case Kind::sphere: need(4); return make_sphere(point(0), change.numbers[3]);
    case Kind::box: need(6); return make_box(point(0), point(1));
    case Kind::cylinder: need(7); return make_cylinder(point(0), point(1), change.numbers[6]);
  }
  throw UserError("unknown kind of shape; use circle, rectangle, polygon, line, sphere, box or cylinder.");
}

}  // namespace eddyline::world
