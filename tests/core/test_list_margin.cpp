// How far lists look beyond R, how long they hold, and where walls are meanwhile.
#include <cmath>
#include <limits>

#include "harness.hpp"
#include "integrate/flow/list_margin.hpp"

using namespace eddyline;

namespace {

using Margin = integrate::ListMargin<float, 2>;

constexpr double k_radius = 6.4e7, k_skin = 8e6;  // quanta
constexpr std::int32_t k_cells = 3;

neighbors::FixedPositions places(std::size_t rows, std::int32_t x) {
  neighbors::FixedPositions all;
  for (int d = 0; d < 2; ++d) all.x[d].assign(rows, x);
  return all;
}

Array<float> approaches(float a, float b, float c) {
  Array<float> all;
  all.resize(k_cells);
  all[0] = a, all[1] = b, all[2] = c;
  return all;
}

double width_of(const Margin& margin, int cell) {
  return std::sqrt(static_cast<double>(margin.cut_squared()[cell])) - k_radius;
}

}  // namespace

TEST(margins_are_wider_where_particles_come_nearer_faster) {
  for (const double steps : {2.0, 8.0, 64.0}) {
    double before = 0;
    for (const double pace : {0.001, 0.01, 0.03, 0.1}) {
      const double width = Margin::best_width(pace, steps);
      CHECK(width > before);
      CHECK(width >= pace);
      before = width;
    }
  }
  CHECK(Margin::best_width(0, 10) > 0);
  // As wide as cells last, or a whole part of that: else lists would be renewed just before they end.
  CHECK(Margin::best_width(0.01, 3) > 3 * 0.01);
  const double last = Margin::best_width(0.01, 3) / 3, parts = 100 * last / Margin::best_width(0.01, 100);
  CHECK(parts > 2);
  CHECK_NEAR(parts, std::round(parts), 1e-9);
  // The least cost is flat, but neither much wider nor much narrower margins are as good.
  const auto cost = [](double width) { return (1 + width) * (1 + width) + 1.3 * 0.01 / width; };
  const double best = Margin::best_width(0.01, 1000);
  CHECK(cost(best) < cost(2 * best));
  CHECK(cost(best) < cost(best / 2));
}

TEST(lists_hold_until_particles_around_a_cell_have_come_nearer_by_its_margin) {
  Margin margin(k_radius, k_skin, 4);
  margin.begin(k_cells, places(5, 0), 0, 10);
  for (int c = 0; c < k_cells; ++c) CHECK_NEAR(width_of(margin, c), k_skin / 4, 10);
  for (int step = 0; step < 3; ++step) {
    CHECK(!margin.use_up(approaches(0, 6e5F, 1e4F), {}));
    CHECK(!margin.any_due());
  }
  CHECK(margin.use_up(approaches(0, 6e5F, 1e4F), {}));  // 2.4e6 of 2e6
  CHECK(margin.any_due());
  CHECK(margin.due()[0] == 0 && margin.due()[1] == 1 && margin.due()[2] == 0);
  margin.renew(10);
  CHECK(!margin.use_up(approaches(0, 6e5F, 1e4F), {}));
  CHECK(!margin.use_up(approaches(0, 1e6F, 1e4F), {.corrected = 1e5}));
  CHECK(margin.use_up(approaches(0, 1e5F, 1e4F), {.corrected = 4e5}));  // in the middle, not at the end
}

TEST(lists_are_renewed_a_step_ahead_if_that_is_wanted) {
  Margin margin(k_radius, k_skin, 4);
  margin.begin(k_cells, places(5, 0), 0, 10);
  CHECK(!margin.use_up(approaches(0, 9.5e5F, 0), {.next_step = true}));
  CHECK(margin.any_due());
  margin.renew(10);
  CHECK(!margin.use_up(approaches(0, 5e5F, 0), {.next_step = true}));
  CHECK(!margin.any_due());
}

TEST(a_margin_bears_a_step_whatever_is_wanted) {
  Margin margin(k_radius, k_skin, 8);
  margin.begin(k_cells, places(5, 0), 0, 10);
  CHECK(margin.use_up(approaches(3e7F, 0, 0), {.corrected = 1e6}));
  margin.renew(10);
  CHECK(width_of(margin, 0) > 1.6e7);  // from the end of that step to its middle
}

TEST(walls_are_followed_from_step_to_step) {
  constexpr std::size_t k_rows = 3;
  const auto at_rebuild = places(k_rows, 2'000'000'000);  // positions wrap around
  neighbors::WallDisplacement moved;
  Margin margin(k_radius, k_skin, 0);
  margin.place_walls(at_rebuild);
  float before = 0;
  for (const float by : {1e8F, 3e8F, 2e8F}) {
    for (int d = 0; d < 2; ++d) moved.x[d].assign(k_rows, by);
    CHECK(margin.follow_walls(moved, at_rebuild));
    for (std::size_t r = 0; r < k_rows; ++r) {
      CHECK(margin.walls_step().x[1][r] == by - before);
      CHECK(margin.walls().x[0][r] == static_cast<std::int32_t>(2'000'000'000U + static_cast<std::uint32_t>(by)));
    }
    before = by;
  }
  moved.x[1][1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(!margin.follow_walls(moved, at_rebuild));
}
