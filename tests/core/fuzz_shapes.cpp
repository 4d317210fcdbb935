// Shapes of extreme measures: either an error, or a shape that answers.

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/errors.hpp"
#include "fuzz.hpp"
#include "world/shapes.hpp"

namespace {

using namespace eddyline;

double number(fuzz::Random& random) {
  if (random.below(3) == 0) return random.pick(fuzz::k_extremes);
  return (static_cast<double>(random.below(2001)) - 1000) / 1000;
}

Vec3 place(fuzz::Random& random, bool flat) {
  const double x = number(random), y = number(random);
  return {x, y, flat ? 0 : number(random)};
}

world::ShapePtr shape(fuzz::Random& random) {
  switch (random.below(7)) {
    case 0: return world::make_circle(place(random, true), number(random));
    case 1: {
      const Vec3 low = place(random, true), high = place(random, true);
      return world::make_rectangle(low, high, number(random));
    }
    case 2: {
      std::vector<Vec3> points(random.below(8));
      for (Vec3& point : points) point = place(random, true);
      return world::make_polygon(points);
    }
    case 3: {
      const Vec3 from = place(random, true), to = place(random, true);
      return world::make_line(from, to, number(random));
    }
    case 4: return world::make_sphere(place(random, false), number(random));
    case 5: {
      const Vec3 low = place(random, false), high = place(random, false);
      return world::make_box(low, high);
    }
    default: {
      const Vec3 from = place(random, false), to = place(random, false);
      return world::make_cylinder(from, to, number(random));
    }
  }
}

void try_one(fuzz::Random& random) {
  try {
    const world::ShapePtr made = shape(random);
    const auto [low, high] = made->bounds();
    for (int k = 0; k < 4; ++k) (void)made->signed_distance(place(random, made->dimensions() == 2));
    (void)made->volume();
    const double longest = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
    if (!std::isfinite(longest) || !(longest > 0)) return;
    if (made->dimensions() == 2) (void)made->outline(longest * 1e-2);
    // As worlds are checked: no shape has more points than particles have room.
    for (const auto& point : made->layers(longest / static_cast<double>(1 + random.below(12)), 3, random.below(2) == 0))
      if (std::isnan(point.position.x)) throw std::runtime_error("a point that is nowhere");
  } catch (const UserError&) {
  }
}

}  // namespace

int main(int count, char** arguments) { return fuzz::run(count, arguments, try_one); }
