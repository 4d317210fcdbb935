#include "world/change.hpp"

#include <string>
#include <utility>
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

void set_options(World& world, const Change& change) {
  const auto set = [&](const std::string& name, OptionValue value) {
    const auto found = world.options.find(name);
    if (found == world.options.end()) throw UserError("there is no parameter named " + name + ".");
    found->second = std::move(value);
  };
  const std::string name = change.name.data();
  if (change.kind == Change::Kind::parameter) return set(name, change.value.x);
  const std::string first = name + ".0";
  if (!world.options.contains(first)) throw UserError("there is no term named " + name + ".");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string key = name + "." + std::to_string(axis);
    if (world.options.contains(key)) set(key, std::string(change.formulas[axis].data()));
  }
}

}  // namespace eddyline::world
