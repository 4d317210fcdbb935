// How much nearer particles can have come since the last rebuild: a bound on what every pair has done, and no more than
// what cells have done.
#include <algorithm>
#include <cmath>

#include "cell_fixture.hpp"
#include "harness.hpp"
#include "neighbors/drift.hpp"

using namespace fixture;

namespace {

using Field = Vec3 (*)(Vec3);  // velocity [quanta a half step]

Vec3 stream(Vec3) { return {3e6, -2e6, 0}; }
Vec3 shear(Vec3 x) { return {4e6 * x.y, 0, 0}; }
Vec3 swirl(Vec3 x) { return {2e6 * std::sin(5 * x.y), 1e6 * std::sin(9 * x.x), 0}; }

/// The bound for particles that have moved by `field` in the first half of a step and do so again in the second.
template <int D>
neighbors::Drift drift_of(const Sorted& s, const Sorted& walls, Field field) {
  neighbors::Rows<float> moving(8);
  moving.resize(s.rows.rows);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const auto old = static_cast<std::size_t>(s.order[i]);
    const std::int32_t slot = s.rows.slot[i];
    const Vec3 v = field(s.x[old]);
    for (int d = 0; d < D; ++d) {
      const auto by = static_cast<std::int32_t>(std::lround(v[d]));
      moving.put_fixed(moving.row(slot) + d, s.positions.x[d][static_cast<std::size_t>(slot)] + by);
      moving.row(slot)[D + d] = static_cast<float>(by);
    }
  }
  auto routes = s.routes;
  routes.gather([&](std::int32_t from, std::int32_t to, const Int3& shift) { moving.copy(from, to, shift, D); });
  neighbors::DriftBound<float, D> bound;
  return bound(s.layout, s.rows, moving, s.positions, 1.0F, walls.rows);
}

/// The largest relative displacement of two particles nearer than a cell's edge, and of one.
neighbors::Drift brute_force(const Sorted& s, Field field) {
  neighbors::Drift found;
  for (const Vec3& a : s.x) {
    const Vec3 moved = 2 * field(a);
    found.moved = std::max(found.moved, static_cast<float>(norm(moved)));
    for (const Vec3& b : s.x)
      if (norm(a - b) < k_edge)
        found.approach = std::max(found.approach, static_cast<float>(norm(moved - 2 * field(b))));
  }
  return found;
}

Sorted none(const particles::CellGrid& grid, Int3 parts) { return sort(grid, parts, {}); }

}  // namespace

TEST(no_pair_has_done_more_than_the_bound) {
  for (const Field field : {stream, shear, swirl}) {
    const auto flat = make_grid(2, {6, 5, 1}, {false, false, false});
    const auto s = sort(flat, {1, 1, 1}, random_positions(flat, 400, 1));
    const auto bound = drift_of<2>(s, none(flat, {1, 1, 1}), field), least = brute_force(s, field);
    CHECK(bound.approach >= 0.999F * least.approach);
    CHECK(bound.moved >= 0.999F * least.moved);
    const auto deep = make_grid(3, {4, 4, 4}, {false, false, false});
    const auto t = sort(deep, {1, 1, 1}, random_positions(deep, 600, 2));
    CHECK(drift_of<3>(t, none(deep, {1, 1, 1}), field).approach >= 0.999F * brute_force(t, field).approach);
  }
}

TEST(a_common_stream_brings_nobody_nearer_except_to_walls) {
  const auto grid = make_grid(2, {5, 5, 1}, {true, true, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 3));
  const auto free = drift_of<2>(s, none(grid, {1, 1, 1}), stream);
  CHECK(free.approach == 0);
  CHECK_NEAR(free.moved, 2 * std::hypot(3e6, 2e6), 2);
  const auto walls = sort(grid, {1, 1, 1}, random_positions(grid, 10, 4));
  CHECK_NEAR(drift_of<2>(s, walls, stream).approach, free.moved, 2);
}

TEST(the_bound_is_the_same_however_the_grid_is_cut) {
  const auto grid = make_grid(2, {6, 6, 1}, {true, true, false});
  const auto x = random_positions(grid, 500, 5);
  const auto whole = drift_of<2>(sort(grid, {1, 1, 1}, x), none(grid, {1, 1, 1}), swirl);
  for (const Int3 parts : {Int3{2, 2, 1}, Int3{3, 2, 1}})
    for (const std::int64_t shuffle : {0, 5}) {
      const auto cut = drift_of<2>(sort(grid, parts, x, shuffle), none(grid, parts), swirl);
      CHECK(cut.approach == whole.approach);
      CHECK(cut.moved == whole.moved);
    }
}
