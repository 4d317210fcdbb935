// How far lists look beyond R, and what walls have done since lists were renewed.
#include "base/fixed_point.hpp"
#include "harness.hpp"
#include "integrate/flow/list_margin.hpp"

using namespace eddyline;

TEST(the_longer_cells_last_the_shorter_lists_are) {
  for (const int dimensions : {2, 3}) {
    CHECK(integrate::best_parts(dimensions, 0.15, 1) == 1);
    int before = 1;
    for (const double steps : {2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
      const int parts = integrate::best_parts(dimensions, 0.15, steps);
      CHECK(parts >= before);
      before = parts;
    }
    CHECK(before > 1);
    CHECK(integrate::best_parts(dimensions, 1e-6, 64) == 1);  // nothing to be had
  }
}

TEST(walls_have_moved_since_a_renewal_by_what_they_had_not_moved_before) {
  constexpr std::int32_t k_rows = 3;
  neighbors::Rows<float> rows(8);
  rows.resize(k_rows);
  neighbors::FixedPositions at_rebuild;
  neighbors::WallDisplacement moved;
  for (int d = 0; d < 2; ++d) {
    at_rebuild.x[d].assign(k_rows, 2'000'000'000);  // positions wrap around
    moved.x[d].assign(k_rows, 300'000'000.0F);
    for (std::int32_t r = 0; r < k_rows; ++r)
      rows.put_fixed(rows.row(r) + d, static_cast<std::int32_t>(-2194967296LL + 100000000LL * r));
  }
  integrate::ListMargin<float, 2> margin;
  margin.begin(0.1, 0);
  CHECK(!margin.renewed());
  margin.renew_walls(rows, k_rows);
  const auto* since = margin.since(moved, at_rebuild);
  for (std::size_t r = 0; r < k_rows; ++r)
    CHECK(since->x[0][r] == 300'000'000.0F - 100'000'000.0F * (1 + static_cast<float>(r)));
}
