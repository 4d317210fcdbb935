// Contact with bodies: particles inside a body are put back and no others, though a box decides for most of them.
#include "solvers/sph/contact.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "harness.hpp"
#include "small_worlds.hpp"

using namespace eddyline;

namespace {

std::vector<world::Body> bodies(int dimensions) {
  std::vector<world::ShapePtr> shapes;
  if (dimensions == 2) {
    shapes = {world::make_circle({0.3, 0.4, 0}, 0.2), world::make_rectangle({0.5, 0.2, 0}, {0.8, 0.3, 0}, 0.4),
              world::make_polygon({{0.1, 0.6, 0}, {0.4, 0.7, 0}, {0.2, 0.9, 0}})};
  } else {
    shapes = {world::make_sphere({0.3, 0.4, 0.5}, 0.3), world::make_box({0.5, 0.2, 0.1}, {0.9, 0.4, 0.5}),
              world::make_cylinder({0.2, 0.7, 0.2}, {0.6, 0.8, 0.9}, 0.2)};
  }
  std::vector<world::Body> bodies(shapes.size());
  for (std::size_t k = 0; k < bodies.size(); ++k) bodies[k].shape = shapes[k];
  return bodies;
}

world::Motion turning(int dimensions) {
  world::Motion motion;
  motion.displacement[0] = fixture::formula("0.1*t");
  motion.displacement[1] = fixture::formula("-0.05*t");
  motion.rotation = fixture::formula("0.7*t");
  motion.pivot = {0.4, 0.4, 0};
  if (dimensions == 3) motion.axis = {1, 2, 2};
  return motion;
}

/// A place in the domain or a little beyond it.
Vec3 anywhere(int dimensions, std::uint64_t k, std::uint64_t what) {
  Vec3 x;
  for (int d = 0; d < dimensions; ++d)
    x[d] = -0.1 + 1.2 * uniform_random(7, k, 3 * what + static_cast<std::uint64_t>(d));
  return x;
}

/// Tells whether a place is inside the domain and at least a distance away from each of its walls.
bool clear_of_sides(const world::World& w, const Vec3& x, double distance) {
  for (int d = 0; d < w.dimensions; ++d)
    if (x[d] < distance || x[d] > w.size[d] - distance) return false;
  return true;
}

void check(int dimensions, bool moves) {
  constexpr double k_time = 1.5;
  world::World w;
  w.dimensions = dimensions;
  w.size = {1, 1, dimensions == 3 ? 1.0 : 0.0};
  w.spacing = 0.02;
  w.bodies = bodies(dimensions);
  if (moves)
    for (auto& body : w.bodies) body.motion = turning(dimensions);
  sph::Contact contact(w);
  contact.move_bodies(k_time);

  std::vector<world::ShapePtr> now;
  for (const auto& body : w.bodies) now.push_back(body.shape_at(k_time));
  const auto is_inside = [&](Vec3 x) {
    bool inside = false;
    for (const auto& shape : now) inside = inside || shape->signed_distance(x) < 0;
    return inside;
  };
  int touched = 0, clear = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    const Vec3 x = anywhere(dimensions, k, 0);
    Vec3 to = x, v{1, -1, 0.5};
    const bool is_touched = contact.with_bodies(to, v);
    CHECK(is_touched == is_inside(x));
    CHECK((to == x) != is_touched);
    touched += is_touched ? 1 : 0;

    // A particle beside a body, on either side of its surface, gets the velocity of the body there.
    constexpr double k_near = 0.03;
    const auto velocity = contact.velocity_of_body_beside(x, k_near);
    std::size_t first = 0;
    while (first < now.size() && now[first]->signed_distance(x) >= k_near) ++first;
    CHECK(velocity.has_value() == (first < now.size()));
    if (velocity && moves) CHECK(*velocity == w.bodies[first].motion->at(k_time).velocity_at(x));
    if (velocity && !moves) CHECK(*velocity == Vec3{});
    CHECK(!contact.is_beside_side(x, k_near) == clear_of_sides(w, x, k_near));

    // A box with a corner at x: if it counts as clear, no point within is inside a body.
    Vec3 low = x, high = x + 0.2 * (anywhere(dimensions, k, 1) + Vec3{0.1, 0.1, 0.1});
    if (dimensions == 2) high.z = 0;
    if (!contact.bodies_are_clear(low, high)) continue;
    ++clear;
    for (std::uint64_t sample = 2; sample < 12; ++sample) {
      Vec3 within;
      for (int d = 0; d < dimensions; ++d)
        within[d] = low[d] + (high[d] - low[d]) * uniform_random(8, k, 3 * sample + static_cast<std::uint64_t>(d));
      CHECK(!is_inside(within));
    }
  }
  CHECK(touched > 50 && clear > 200);
}

}  // namespace

TEST(contact_puts_back_particles_inside_and_no_others) {
  for (const int dimensions : {2, 3})
    for (const bool moves : {false, true}) check(dimensions, moves);
}

TEST(fluid_stays_beyond_an_inflow_as_far_as_it_has_been_let_in) {
  constexpr double k_dx = 0.05, k_let_in = 0.03;
  sph::Contact contact(fixture::channel(k_dx, "1"));
  const auto put = [&](double x) {
    Vec3 to{x, 0.2, 0}, v{-1, 0, 0};
    const bool touched = contact.with_inflows(to, v);
    CHECK(touched == (to.x != x));
    CHECK(touched != contact.sides_are_clear(Vec3{x, 0.1, 0}, Vec3{x, 0.3, 0}));
    CHECK(v.x == (touched ? 0 : -1));
    return to.x;
  };
  CHECK(put(0.01) == 0.01);
  CHECK(put(-0.01) == 0);
  contact.set_allowed_depth(0, k_let_in);
  CHECK(put(-0.01) == -0.01);
  CHECK(put(-0.04) == -k_let_in);
}
