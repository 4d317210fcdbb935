// Bounds on how much closer particles can have come since the last rebuild: never less than the true value.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cell_fixture.hpp"
#include "harness.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/fields.hpp"

using namespace fixture;

namespace {

using Field = Vec3 (*)(Vec3);  // velocity [quanta per half step]; a cell edge has 1.3e8

Vec3 stream(Vec3) { return {3e6, -2e6, 0}; }
Vec3 shear(Vec3 x) { return {1.6e7 * x.y, 0, 0}; }
Vec3 clash(Vec3 x) { return {x.x < 3 * k_edge ? 1.2e7 : -1.2e7, 0, 0}; }
Vec3 swirl(Vec3 x) { return {1e7 * std::sin(5 * x.y), 6e6 * std::sin(9 * x.x), 0}; }

struct Bounds : neighbors::Drift {
  float touching = 0, beside_middle = 0;
};

template <int D>
neighbors::FixedPositions copy_of(const neighbors::FixedPositions& positions) {
  neighbors::FixedPositions copy;
  for (int d = 0; d < D; ++d) {
    copy.x[d].resize(positions.x[d].size());
    std::copy(positions.x[d].begin(), positions.x[d].end(), copy.x[d].begin());
  }
  return copy;
}

constexpr float k_sound = 4e6F;  // distance that sound travels in half a step [quanta]

/// The same velocity for every row [quanta per half step].
template <int D>
neighbors::ReferenceVelocities reference_velocities_of(const Sorted& s, Vec3 velocity = {}) {
  neighbors::ReferenceVelocities velocities;
  for (int d = 0; d < D; ++d)
    velocities.x[d].assign(s.positions.x[d].size(), neighbors::ReferenceVelocities::nearest(velocity[d] / k_sound));
  return velocities;
}

/// The bounds for particles that have moved by `field` in the first half of a step and will do so again in the second;
/// for find_relative_drift(), minus the common velocity `expected`.
template <int D>
Bounds drift_of(const Sorted& s, const Sorted& walls, Field field,
                const neighbors::WallDisplacement* walls_moved = nullptr, Vec3 expected = {}) {
  neighbors::PairData<float> moving(8);
  moving.resize(s.rows.rows);
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const auto old = static_cast<std::size_t>(s.order[i]);
    const std::int32_t slot = s.rows.row_of(i);
    const Vec3 v = field(s.x[old]);
    for (int d = 0; d < D; ++d) {
      const auto by = static_cast<std::int32_t>(std::lround(v[d]));
      moving.put_fixed(moving.row(slot).first + d, s.positions.x[d][static_cast<std::size_t>(slot)] + by);
      moving.row(slot)[D + d] = static_cast<float>(by);
    }
  }
  auto routes = s.routes;
  routes.gather([&](std::int32_t from, std::int32_t to, std::int32_t count, const Int3& shift) {
    neighbors::RowField(moving, D).copy(from, to, count, shift);
  });
  neighbors::DriftBound<float, D> bound;
  bound.begin(s.layout, s.rows, walls.rows);
  bound.measure({&moving, D, 1.0F}, s.positions, walls_moved);
  const neighbors::Drift largest = bound.largest();
  neighbors::FixedPositions at = copy_of<D>(s.positions);
  CHECK(bound.advance({&moving, D, 1.0F}, reference_velocities_of<D>(s, expected), 2 * k_sound, at, walls_moved));
  for (std::int32_t r = 0; r < s.rows.real_rows; ++r)
    for (int d = 0; d < D; ++d)
      CHECK_NEAR(at.x[d][static_cast<std::size_t>(r)],
                 moving.get_fixed(moving.row(r).first + d) + static_cast<std::int32_t>(moving.row(r)[D + d]), 2);
  Bounds bounds{largest};
  for (const auto& run : bound.active_runs()) {
    float touching[neighbors::CellRun::k_most], beside[neighbors::CellRun::k_most];
    bound.find_relative_drift(run, touching);
    bound.find_midpoint_excess(run, beside);
    for (std::int32_t k = 0; k < run.end - run.begin; ++k) {
      bounds.touching = std::max(bounds.touching, touching[k]);
      bounds.beside_middle = std::max(bounds.beside_middle, beside[k]);
    }
  }
  return bounds;
}

/// Calls `visit` with the distance vectors [m] of all pairs, and with their displacements relative to each other
/// [quanta].
template <class Visit>
void for_all_pairs(const Sorted& s, Field field, Visit visit) {
  std::vector<Vec3> displacements;
  for (const Vec3& at : s.x) displacements.push_back(2 * field(at));
  for (std::size_t i = 0; i < s.x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) visit(s.x[i] - s.x[j], displacements[i] - displacements[j]);
}

/// Largest relative displacement of two particles that were less than an edge apart.
float brute_force_of_touching(const Sorted& s, Field field) {
  double apart = 0;
  for_all_pairs(s, field, [&](const Vec3& between, const Vec3& relative) {
    if (norm(between) < k_edge) apart = std::max(apart, norm(relative));
  });
  return static_cast<float>(apart);
}

/// Largest approach of two particles that were an edge or more apart, below that edge.
float brute_force(const Sorted& s, Field field) {
  const double to_quanta = 1 / k_fixed.quantum();
  double approach = 0;
  for_all_pairs(s, field, [&](const Vec3& between, const Vec3& relative) {
    if (norm(between) >= k_edge)
      approach = std::max(approach, to_quanta * k_edge - norm(to_quanta * between + relative));
  });
  return static_cast<float>(approach);
}

Sorted none(const particles::CellGrid& grid, Int3 parts) { return sort(grid, parts, {}); }

}  // namespace

TEST(no_pair_approaches_by_more_than_the_bound) {
  for (const Field field : {stream, shear, swirl, clash}) {
    const auto flat = make_grid(2, {6, 5, 1}, {false, false, false});
    for (const std::size_t particles : {30, 400}) {
      const auto s = sort(flat, {1, 1, 1}, random_positions(flat, particles, 1));
      const float least = brute_force(s, field), bound = drift_of<2>(s, none(flat, {1, 1, 1}), field).relative_drift;
      CHECK(bound >= 0.999F * least);
      CHECK(field == stream || particles < 400 || least > 1e5F);
    }
    const auto deep = make_grid(3, {4, 4, 4}, {false, false, false});
    const auto t = sort(deep, {1, 1, 1}, random_positions(deep, 600, 2));
    CHECK(drift_of<3>(t, none(deep, {1, 1, 1}), field).relative_drift >= 0.999F * brute_force(t, field));
    const auto crowded =
        make_grid(2, {3, 2, 1}, {false, false, false});  // more particles per cell than are processed at once
    const auto u = sort(crowded, {1, 1, 1}, random_positions(crowded, 3600, 7));
    const auto bounds = drift_of<2>(u, none(crowded, {1, 1, 1}), field);
    CHECK(bounds.relative_drift >= 0.999F * brute_force(u, field));
    CHECK(bounds.touching >= 0.999F * brute_force_of_touching(u, field));
  }
}

TEST(relative_displacements_in_touching_cells_are_within_the_bound) {
  for (const Field field : {stream, shear, swirl, clash}) {
    const auto flat = make_grid(2, {6, 5, 1}, {false, false, false});
    const auto s = sort(flat, {1, 1, 1}, random_positions(flat, 400, 1));
    const auto bounds = drift_of<2>(s, none(flat, {1, 1, 1}), field);
    CHECK(bounds.touching >= 0.999F * brute_force_of_touching(s, field));
    CHECK(bounds.touching <= 3 * bounds.relative_drift);
    const auto deep = make_grid(3, {4, 4, 4}, {false, false, false});
    const auto t = sort(deep, {1, 1, 1}, random_positions(deep, 600, 2));
    CHECK(drift_of<3>(t, none(deep, {1, 1, 1}), field).touching >= 0.999F * brute_force_of_touching(t, field));
  }
  const auto grid = make_grid(2, {5, 5, 1}, {true, true, false});
  CHECK(drift_of<2>(sort(grid, {1, 1, 1}, random_positions(grid, 300, 3)), none(grid, {1, 1, 1}), stream).touching ==
        0);
}

TEST(two_clouds_that_meet_across_an_empty_cell_are_detected) {
  const auto grid = make_grid(2, {5, 3, 1}, {false, false, false});
  const auto bound = [&](double gap) {
    const std::vector<Vec3> x{{2 * k_edge - 0.01, 0.3, 0}, {2 * k_edge - 0.01 + gap, 0.35, 0}};
    const auto meet = [](Vec3 at) { return Vec3{at.x < 2 * k_edge ? 2e6 : -1e6, 5e6, 0}; };
    return drift_of<2>(sort(grid, {1, 1, 1}, x), none(grid, {1, 1, 1}), meet).relative_drift;
  };
  CHECK_NEAR(bound(k_edge + 0.02), 2 * 3e6, 2);  // along the axis that separates them
  CHECK(bound(2 * k_edge + 0.02) == 0);
}

TEST(a_common_motion_counts_only_relative_to_walls) {
  const auto grid = make_grid(2, {5, 5, 1}, {true, true, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 3));
  const auto free = drift_of<2>(s, none(grid, {1, 1, 1}), stream);
  CHECK(free.relative_drift == 0);
  CHECK_NEAR(free.max_displacement, 2 * std::hypot(3e6, 2e6), 2);
  const auto walls = sort(grid, {1, 1, 1}, random_positions(grid, 10, 4));
  CHECK_NEAR(drift_of<2>(s, walls, stream).relative_drift, free.max_displacement, 2);
}

TEST(the_bound_does_not_depend_on_the_decomposition) {
  const auto grid = make_grid(2, {6, 6, 1}, {true, true, false});
  const auto x = random_positions(grid, 500, 5);
  const auto whole = drift_of<2>(sort(grid, {1, 1, 1}, x), none(grid, {1, 1, 1}), swirl);
  for (const Int3 parts : {Int3{2, 2, 1}, Int3{3, 2, 1}})
    for (const std::int64_t shuffle : {0, 5}) {
      const auto cut = drift_of<2>(sort(grid, parts, x, shuffle), none(grid, parts), swirl);
      CHECK(cut.relative_drift == whole.relative_drift);
      CHECK(cut.max_displacement == whole.max_displacement);
    }
}

TEST(moving_walls_count_with_their_displacement) {
  const auto grid = make_grid(2, {5, 5, 1}, {true, true, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 3));
  const auto walls = sort(grid, {1, 1, 1}, random_positions(grid, 40, 4));
  const Vec3 along = 2 * stream({});
  const auto bound = [&](Vec3 by) {
    neighbors::WallDisplacement moved;
    for (int d = 0; d < 2; ++d)
      moved.x[d].assign(static_cast<std::size_t>(walls.rows.real_rows), static_cast<float>(by[d]));
    return drift_of<2>(s, walls, stream, &moved);
  };
  CHECK(bound({}).relative_drift == drift_of<2>(s, walls, stream).relative_drift);
  CHECK_NEAR(bound(along).relative_drift, 0, 2);
  CHECK_NEAR(bound(-along).relative_drift, 2 * norm(along), 4);
  // One bound per cell: the largest displacement along each axis, here of a wall and of the fluid.
  CHECK_NEAR(bound({3e7, 0, 0}).max_displacement, std::hypot(3e7, along.y), 4);
}

TEST(a_displacement_that_is_not_a_number_is_detected) {
  const auto grid = make_grid(2, {4, 4, 1}, {false, false, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 50, 6));
  neighbors::PairData<float> moving(8);
  moving.resize(s.rows.rows);
  for (std::int32_t r = 0; r < s.rows.rows; ++r)
    for (int d = 0; d < 2; ++d) {
      moving.put_fixed(moving.row(r).first + d, s.positions.x[d][static_cast<std::size_t>(r)]);
      moving.row(r)[2 + d] = 0;
    }
  neighbors::FixedPositions at = copy_of<2>(s.positions);
  const auto no_copies = none(grid, {1, 1, 1});
  neighbors::DriftBound<float, 2> bound;
  bound.begin(s.layout, s.rows, no_copies.rows);
  CHECK(bound.advance({&moving, 2, 1.0F}, reference_velocities_of<2>(s), 0, at));
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e10F}) {
    moving.row(7)[3] = wrong;
    CHECK(!bound.advance({&moving, 2, 1.0F}, reference_velocities_of<2>(s), 0, at));
  }
}

TEST(velocities_are_not_needed_at_the_end_of_a_path) {
  const auto grid = make_grid(3, {4, 4, 4}, {false, false, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 600, 6));
  neighbors::PairData<float> rows(8);
  rows.resize(s.rows.rows);
  for (std::int32_t r = 0; r < s.rows.rows; ++r)
    for (int d = 0; d < 3; ++d) {
      rows.put_fixed(rows.row(r).first + d, s.positions.x[d][static_cast<std::size_t>(r)] + (d == 1 ? 4096 : 0));
      rows.row(r)[3 + d] = std::numeric_limits<float>::quiet_NaN();
    }
  const auto no_copies = none(grid, {1, 1, 1});
  neighbors::DriftBound<float, 3> bound;
  bound.begin(s.layout, s.rows, no_copies.rows);
  bound.measure({&rows, 3, 0.0F}, s.positions);
  CHECK(bound.largest().max_displacement == 4096);
  CHECK(bound.largest().relative_drift == 0);
}

TEST(expected_motion_does_not_count) {
  const auto grid = make_grid(2, {5, 4, 1}, {true, true, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 7));
  const auto no_copies = none(grid, {1, 1, 1});
  const auto stream = [](Vec3) { return Vec3{3e6, -2e6, 0}; };
  // Walls are at rest although the fluid is expected to move.
  CHECK(drift_of<2>(s, no_copies, stream, nullptr, {3e6, -2e6, 0}).touching < 2);
  const auto walls = sort(grid, {1, 1, 1}, random_positions(grid, 30, 8));
  CHECK(drift_of<2>(s, walls, stream, nullptr, {3e6, -2e6, 0}).touching < 2);
  CHECK_NEAR(drift_of<2>(s, walls, stream).touching, 2 * std::hypot(3e6, 2e6), 4);
}

TEST(rows_off_the_midpoint_are_detected) {
  const auto grid = make_grid(2, {5, 4, 1}, {false, false, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 9));
  const auto no_copies = none(grid, {1, 1, 1});
  CHECK(drift_of<2>(s, no_copies, swirl).beside_middle == 0);
  neighbors::PairData<float> moving(8);
  moving.resize(s.rows.rows);
  constexpr float k_corrected = 3e5F;
  for (std::int32_t r = 0; r < s.rows.rows; ++r)
    for (int d = 0; d < 2; ++d) {
      const bool one = r == 5 && d == 1;
      const auto by = static_cast<std::int32_t>(one ? k_corrected : 0.0F);
      moving.put_fixed(moving.row(r).first + d, s.positions.x[d][static_cast<std::size_t>(r)] + 1'000'000 + by);
      moving.row(r)[2 + d] = 1e6F;
    }
  neighbors::FixedPositions at = copy_of<2>(s.positions);
  neighbors::DriftBound<float, 2> bound;
  bound.begin(s.layout, s.rows, no_copies.rows);
  CHECK(bound.advance({&moving, 2, 1.0F}, reference_velocities_of<2>(s), 0, at));
  int near = 0;
  for (const auto& run : bound.active_runs()) {
    float beside[neighbors::CellRun::k_most];
    bound.find_midpoint_excess(run, beside);
    for (std::int32_t k = 0; k < run.end - run.begin; ++k) {
      CHECK(beside[k] == 0 || std::abs(beside[k] - std::sqrt(2.0F) * k_corrected) < 4);
      near += beside[k] > 0 ? 1 : 0;
    }
  }
  CHECK(near >= 4 && near <= 9);  // its own cell and those that touch it
}
