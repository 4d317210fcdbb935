// The search radius of lists beyond R, how long lists stay valid, and the positions of walls meanwhile.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "cell_fixture.hpp"
#include "harness.hpp"
#include "solvers/sph/lists/list_margin.hpp"

using namespace eddyline;

namespace {

using Margin = sph::ListMargin<float, 2>;

constexpr double k_radius = 6.4e7, k_skin = 8e6;  // quanta
constexpr std::int32_t k_cells = 3;

const std::vector<neighbors::CellRun> k_all = {{0, 0, 0, 1}, {0, 1, 1, k_cells}};
constexpr double k_step = 2e6;  // how far sound goes in one [quanta]

neighbors::FixedPositions places(std::size_t rows, std::int32_t x) {
  neighbors::FixedPositions all;
  for (int d = 0; d < 2; ++d) all.x[d].assign(rows, x);
  return all;
}

using Values = std::array<float, k_cells>;  // by cell
constexpr Values k_none{};

Margin::OfRun of_run(Values values) {
  return [values](const neighbors::CellRun& run, float* to) {
    std::copy(values.begin() + run.begin, values.begin() + run.end, to);
  };
}

Margin::TwoOfRun of_run(Values approach, Values beside) {
  return [=](const neighbors::CellRun& run, float* to, float* others) {
    of_run(approach)(run, to);
    of_run(beside)(run, others);
  };
}

double width_of(const Margin& margin, int cell) {
  return std::sqrt(static_cast<double>(margin.cut_squared()[cell])) - k_radius;
}

Margin::Need need(bool next_step = false) { return {.step = k_step, .next_step = next_step}; }

}  // namespace

TEST(lists_are_renewed_more_often_where_they_grow_faster) {
  for (const double steps : {2.0, 8.0, 64.0}) {
    double before = 2 * steps;
    for (const double pace : {0.0, 0.001, 0.01, 0.03, 0.1, 1.0}) {
      const double life = Margin::best_lifetime(pace, steps);
      CHECK(life <= before);
      CHECK(life >= 1 || life == steps);
      before = life;
    }
  }
  CHECK(Margin::best_lifetime(0, 10) == 10);
  // As long as cells last, or a whole part of that: else lists would be renewed just before they end.
  CHECK(Margin::best_lifetime(0.01, 3) == 3);
  const double parts = 100 / Margin::best_lifetime(0.01, 100);
  CHECK(parts > 2);
  CHECK_NEAR(parts, std::round(parts), 1e-9);
  // The least cost is flat, but neither much longer nor much shorter lives are as good.
  const auto cost = [](double life) { return (1 + 0.012 * life) * (1 + 0.012 * life) + 0.8 / life; };
  const double best = Margin::best_lifetime(0.01, 1000);
  CHECK(cost(best) < cost(2 * best));
  CHECK(cost(best) < cost(best / 2));
}

TEST(lists_hold_until_particles_around_a_cell_have_come_nearer_by_its_margin) {
  Margin margin(k_radius, k_skin, 4);
  margin.begin(fixture::all_of(k_cells), k_all, of_run(k_none), 40, k_step);
  for (int c = 0; c < k_cells; ++c) CHECK_NEAR(width_of(margin, c), k_skin / 4, 10);
  for (int step = 0; step < 3; ++step) {
    CHECK(!margin.use_up(of_run({0, 6e5F, 1e4F}, k_none), need()));
    CHECK(!margin.any_due());
  }
  CHECK(margin.use_up(of_run({0, 6e5F, 1e4F}, k_none), need()));  // 2.4e6 of 2e6 at the end, 2.1e6 half way
  CHECK(margin.any_due());
  CHECK(margin.due()[0] == 0 && margin.due()[1] == 1 && margin.due()[2] == 0);
  margin.renew(40);
  CHECK(!margin.use_up(of_run({0, 6e5F, 1e4F}, k_none), need()));
  CHECK(!margin.use_up(of_run({0, 1e6F, 1e4F}, {0, 1e5F, 0}), need()));
  CHECK(margin.use_up(of_run({0, 1e5F, 1e4F}, {0, 4e5F, 0}), need()));  // half way, not at the end
}

TEST(lists_are_renewed_a_step_ahead_if_that_is_wanted) {
  Margin margin(k_radius, k_skin, 4);
  margin.begin(fixture::all_of(k_cells), k_all, of_run(k_none), 40, k_step);
  CHECK(!margin.use_up(of_run({0, 9.5e5F, 0}, k_none), need(true)));
  CHECK(margin.any_due());
  margin.renew(40);
  CHECK(!margin.use_up(of_run({0, 5e5F, 0}, k_none), need(true)));
  CHECK(!margin.any_due());
}

TEST(a_margin_bears_a_step_whatever_is_wanted) {
  Margin margin(k_radius, k_skin, 8);
  margin.begin(fixture::all_of(k_cells), k_all, of_run(k_none), 10, k_step);
  CHECK(margin.use_up(of_run({3e7F, 0, 0}, {1e6F, 0, 0}), need()));
  margin.renew(10);
  CHECK(width_of(margin, 0) > 1.6e7);  // from the end of that step to its middle
}

TEST(lists_hold_no_longer_than_they_have_looked_ahead) {
  Margin margin(k_radius, k_skin, 2);
  const float speed = 0.4F;  // in the second cell
  margin.begin(fixture::all_of(k_cells), k_all, of_run({0, speed, 0}), 7, k_step);
  const double ahead = margin.ahead()[1];
  CHECK(ahead >= 3.5 * k_step && ahead < 4 * k_step);
  CHECK(margin.ahead()[0] > 100 * k_step);  // no particle moves
  CHECK(margin.behind() == 0);
  // A pair that is farther apart than that at the beginning and at the end does not come within R and the margin.
  const double least = k_radius + width_of(margin, 2), path = speed * ahead;
  CHECK(margin.cut_squared()[1] >= least * least + path * path / 4 * 0.999);
  for (int step = 0; step < 3; ++step) {
    CHECK(!margin.use_up(of_run(k_none, k_none), need()));
    CHECK(!margin.any_due());
  }
  CHECK(!margin.use_up(of_run(k_none, k_none), need()));  // half a step is left
  CHECK(margin.any_due());
  CHECK(margin.due()[0] == 0 && margin.due()[1] == 1 && margin.due()[2] == 0);
  margin.renew(6);
  CHECK(margin.behind() >= k_step / 2);
}

TEST(walls_are_followed_from_step_to_step) {
  constexpr std::size_t k_rows = 3;
  const auto at_rebuild = places(k_rows, 2'000'000'000);  // positions wrap around
  neighbors::WallDisplacement moved;
  neighbors::ReferenceVelocities headings;
  for (int d = 0; d < 2; ++d) headings.x[d].assign(k_rows, neighbors::ReferenceVelocities::nearest(0.25));
  Margin margin(k_radius, k_skin, 0);
  auto walls = places(k_rows, 2'000'000'000);
  float before = 0;
  for (const float by : {1e8F, 3e8F, 2e8F}) {
    for (int d = 0; d < 2; ++d) moved.x[d].assign(k_rows, by);
    CHECK(margin.follow_walls(moved, at_rebuild, headings, 4e6F, walls));
    for (std::size_t r = 0; r < k_rows; ++r) {
      CHECK(margin.walls_step().x[1][r] == by - before - 1e6F);
      CHECK(walls.x[0][r] == static_cast<std::int32_t>(2'000'000'000U + static_cast<std::uint32_t>(by)));
    }
    before = by;
  }
  moved.x[1][1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(!margin.follow_walls(moved, at_rebuild, headings, 4e6F, walls));
}
