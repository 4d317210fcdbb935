// Cells, boxes and ghosts: the canonical order (the law, rule 2), which must not depend on the decomposition.
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cell_fixture.hpp"
#include "harness.hpp"

using namespace fixture;

namespace {

/// The ids in the rows of the cells around each particle, in order, by particle id. All boxes must agree.
std::map<std::int64_t, std::vector<std::int64_t>> candidates(const Sorted& s) {
  std::map<std::int64_t, std::vector<std::int64_t>> found;
  const int dimensions = s.layout.grid().dimensions;
  const auto cells = s.cells();
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const std::int32_t cell = cells[i];
    const auto& box = s.layout.boxes()[static_cast<std::size_t>(s.layout.box_of(cell))];
    const std::int32_t nx = box.shape[0], nxy = nx * box.shape[1], depth = dimensions == 3 ? 1 : 0;
    auto& list = found[s.id[static_cast<std::size_t>(s.order[i])]];
    for (std::int32_t dz = -depth; dz <= depth; ++dz)
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const std::int32_t first = cell + dz * nxy + dy * nx - 1;
        for (std::int32_t c = first; c < first + 3; ++c)
          for (std::int32_t r = s.rows.of(c).begin; r < s.rows.of(c).end; ++r)
            list.push_back(s.row_id[static_cast<std::size_t>(r)]);
      }
  }
  return found;
}

const std::array<bool, 3> k_closed{false, false, false}, k_all_periodic{true, true, true};

}  // namespace

TEST(members_of_a_set_are_numbered_in_order) {
  constexpr std::int32_t k_all = 100;
  particles::CellSet some, others;
  some.clear(k_all), others.clear(k_all);
  const std::vector<std::int32_t> members{0, 3, 31, 32, 33, 63, 64, 99};
  for (const std::int32_t cell : {99, 32, 0, 33, 3, 3}) some.add(cell);
  for (const std::int32_t cell : {31, 63, 64, 99}) others.add(cell);
  some.add(others);
  some.number();
  std::vector<std::int32_t> visited;
  some.for_each([&](std::int32_t cell) { visited.push_back(cell); });
  CHECK(visited == members);
  CHECK(some.size() == static_cast<std::int32_t>(members.size()) && some.cells() == k_all);
  for (std::int32_t cell = 0; cell <= k_all; ++cell) {
    const auto at = std::lower_bound(members.begin(), members.end(), cell);
    CHECK(some.before(cell) == at - members.begin());
    if (cell < k_all) CHECK(some.has(cell) == (at != members.end() && *at == cell));
  }
  others.copy(some);
  CHECK(others.size() == some.size() && others.has(33) && others.before(64) == 6);
  some.clear(k_all);
  CHECK(some.is_empty() && !some.has(33) && others.has(33));
}

TEST(a_set_stores_only_the_range_of_its_members_but_behaves_like_a_full_one) {
  constexpr std::int32_t k_all = 100'000, k_middle = 50'000, k_spread = 300;
  std::uint32_t random = 5;
  const auto draw = [&](std::uint32_t below) {
    random = random * 1664525U + 1013904223U;
    return static_cast<std::int32_t>((random >> 8U) % below);
  };
  for (int trial = 0; trial < 50; ++trial) {
    particles::CellSet some, other, copy;
    some.clear(k_all), other.clear(k_all);
    std::set<std::int32_t> expected;
    const std::int32_t at = k_middle + draw(64), apart = draw(2000) - 1000;
    for (int k = 0; k < 1 + draw(40); ++k) {  // in any order, so that memory must grow at both ends
      const std::int32_t a = at + draw(k_spread), b = at + apart + draw(k_spread);
      some.add(a), other.add(b);
      expected.insert({a, b});
    }
    some.add(other);
    const std::int32_t first = at - draw(100), last = at + k_spread / 2;
    const std::array<std::int32_t, 2> offsets{-draw(500), draw(500)};
    std::set<std::int32_t> moved;
    for (const std::int32_t cell : expected)
      for (const std::int32_t offset : offsets)
        for (const std::int32_t c : {cell - 1, cell, cell + 1})
          if (cell >= first && cell < last && c + offset >= first && c + offset < last) moved.insert(c + offset);
    particles::CellSet around;
    around.clear(k_all);
    around.add_moved(some, first, last, offsets);
    some.remove(at, at + 7);
    expected.erase(expected.lower_bound(at), expected.lower_bound(at + 7));
    some.number(), around.number();
    copy.copy(some);
    for (const auto& [set, members] : {std::pair(&copy, &expected), std::pair(&around, &moved)}) {
      CHECK(set->size() == static_cast<std::int32_t>(members->size()) && set->cells() == k_all);
      std::vector<std::int32_t> visited;
      set->for_each([&](std::int32_t cell) { visited.push_back(cell); });
      CHECK(std::ranges::equal(visited, *members));
      std::int32_t before = 0;
      for (std::int32_t cell = k_middle - 2000; cell < k_middle + 2500; ++cell) {
        CHECK(set->before(cell) == before && set->has(cell) == members->contains(cell));
        before += members->contains(cell) ? 1 : 0;
      }
      for (const std::int32_t cell : {0, 31, k_all - 1}) CHECK(!set->has(cell));
      CHECK(set->before(0) == 0 && set->before(k_all) == set->size());
      CHECK(set->bytes() < 1000);
    }
  }
}

TEST(cells_around_a_set_are_those_that_touch_it) {
  for (const int dimensions : {2, 3}) {
    const auto grid = make_grid(dimensions, {6, 5, dimensions == 3 ? 4 : 1}, k_all_periodic);
    const particles::CellLayout layout(grid, cut(grid, {2, 1, 1}));
    particles::CellSet one, around;
    for (std::int32_t cell = 0; cell < layout.cells(); ++cell) {
      one.clear(layout.cells());
      one.add(cell);
      layout.find_computed_around(one, around);
      const auto b = static_cast<std::size_t>(layout.box_of(cell));
      const Vec3 x = layout.centre(cell);
      for (std::int32_t other = 0; other < layout.cells(); ++other) {
        bool touches = layout.is_computed(other) && static_cast<std::size_t>(layout.box_of(other)) == b;
        for (int d = 0; d < dimensions; ++d)
          touches = touches && std::abs(layout.centre(other)[d] - x[d]) < 1.5 * k_edge;
        CHECK(around.has(other) == touches);
      }
    }
  }
}

TEST(cells_around_a_set_are_those_around_each_member) {
  // Rows shorter and longer than a word of a set, and boxes that begin anywhere in a word.
  for (const auto& [count, boxes] :
       {std::pair(Int3{7, 5, 4}, Int3{2, 2, 1}), std::pair(Int3{101, 5, 3}, Int3{3, 1, 1})}) {
    const auto grid = make_grid(3, count, k_all_periodic);
    const particles::CellLayout layout(grid, cut(grid, boxes));
    for (const int share : {2, 9, 60}) {  // one of `share` cells is a member
      particles::CellSet some, one, around, around_one, expected, computed, spread;
      for (auto* each : {&some, &expected, &computed, &spread}) each->clear(layout.cells());
      std::uint32_t random = 7;
      for (std::int32_t cell = 0; cell < layout.cells(); ++cell) {
        random = random * 1664525U + 1013904223U;
        if ((random >> 8U) % static_cast<std::uint32_t>(share) != 0) continue;
        some.add(cell);
        one.clear(layout.cells());
        one.add(cell);
        layout.find_computed_around(one, around_one);
        expected.add(around_one);
        if (!layout.is_computed(cell)) continue;
        computed.add(cell);
        const auto& box = layout.boxes()[static_cast<std::size_t>(layout.box_of(cell))];
        box.for_each_run_around(cell, [&](std::int32_t first) {
          for (std::int32_t c = first; c < first + 3; ++c) spread.add(c);
        });
      }
      layout.find_computed_around(some, around);
      particles::CellSet to;
      to.clear(layout.cells());
      layout.add_around(computed, to);
      for (std::int32_t cell = 0; cell < layout.cells(); ++cell) {
        CHECK(around.has(cell) == expected.has(cell));
        CHECK(to.has(cell) == spread.has(cell));
      }
    }
  }
}

TEST(cells_of_other_ranks_are_removed_from_computed_cells) {
  const auto grid = make_grid(3, {6, 5, 4}, k_closed);
  const particles::CellLayout layout(grid, {{{0, 0, 0}, {3, 5, 4}}}, {}, {{{{3, 0, 0}, {5, 5, 4}}, 1}}, 2);
  particles::CellSet all, cells;
  all.clear(layout.cells());
  for (std::int32_t cell = 0; cell < layout.cells(); ++cell) all.add(cell);
  layout.find_computed_around(all, cells);
  std::int32_t computed = 0, owned = 0;
  for (std::int32_t cell = 0; cell < layout.cells(); ++cell) {
    CHECK(cells.has(cell) == layout.is_computed(cell));
    computed += cells.has(cell) ? 1 : 0;
  }
  layout.remove_foreign(cells);
  for (std::int32_t cell = 0; cell < layout.cells(); ++cell) {
    CHECK(cells.has(cell) == layout.is_owned(cell));
    owned += cells.has(cell) ? 1 : 0;
  }
  CHECK(computed == 5 * 5 * 4 && owned == 3 * 5 * 4);
}

TEST(particles_are_sorted_by_cell_then_id) {
  const auto grid = make_grid(2, {6, 5, 1}, {true, false, false});
  const auto s = sort(grid, {2, 2, 1}, random_positions(grid, 400, 1));
  std::vector<bool> seen(s.x.size(), false);
  const auto cells = s.cells();
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const auto old = static_cast<std::size_t>(s.order[i]);
    CHECK(!seen[old]);
    seen[old] = true;
    const particles::RowRange rows = s.rows.of(cells[i]);
    CHECK(cells[i] == s.layout.owned_cell(s.x[old]));
    CHECK(s.layout.is_owned(cells[i]));
    CHECK(s.rows.row_of(i) == static_cast<std::int32_t>(i));
    CHECK(s.rows.row_of(i) >= rows.begin && s.rows.row_of(i) < rows.end);
    if (i == 0) continue;
    CHECK(cells[i - 1] <= cells[i]);
    if (cells[i - 1] == cells[i]) CHECK(s.id[static_cast<std::size_t>(s.order[i - 1])] < s.id[old]);
  }
  // Rows are particles and their images, each exactly once.
  std::vector<int> cells_of_row(static_cast<std::size_t>(s.rows.rows), 0);
  for (std::int32_t c = 0; c < s.layout.cells(); ++c) {
    CHECK(s.rows.is_empty(c) == (s.rows.of(c).count() == 0));
    for (std::int32_t r = s.rows.of(c).begin; r < s.rows.of(c).end; ++r) {
      ++cells_of_row.at(static_cast<std::size_t>(r));
      CHECK((r >= s.rows.real_rows) == (s.layout.copy_of(c) != nullptr));
    }
  }
  CHECK(s.rows.real_rows == 400 && s.rows.rows > s.rows.real_rows);
  CHECK(std::all_of(cells_of_row.begin(), cells_of_row.end(), [](int cells) { return cells == 1; }));
}

TEST(line_length_is_the_mean_number_of_particles_in_a_line_of_cells) {
  for (const auto& periodic : {k_closed, k_all_periodic}) {
    const auto plane = make_grid(2, {6, 5, 1}, periodic), space = make_grid(3, {4, 5, 3}, periodic);
    CHECK(sort(plane, {1, 1, 1}, random_positions(plane, 2000, 1)).rows.line_length == 2000 / 5);
    CHECK(sort(space, {1, 1, 1}, random_positions(space, 3000, 2)).rows.line_length == 3000 / (5 * 3));
    CHECK(sort(plane, {2, 1, 1}, random_positions(plane, 2000, 1)).rows.line_length == 2000 / (5 * 2));
  }
  const auto grid = make_grid(2, {6, 5, 1}, k_closed);
  CHECK(sort(grid, {1, 1, 1}, {}).rows.line_length == 0);
  const Vec3 there{0.5 * k_edge, 1.5 * k_edge, 0}, beside{2.5 * k_edge, 1.5 * k_edge, 0};
  CHECK(sort(grid, {1, 1, 1}, {there, there, beside}).rows.line_length == 1);  // an empty cell between them
}

TEST(the_order_of_particles_does_not_depend_on_threads) {
  const auto grid = make_grid(2, {70, 40, 1}, {true, false, false});
  const int before = omp_get_max_threads();
  auto x = random_positions(grid, 20'000, 3);  // first unsorted, then almost sorted, as after some steps
  for (int again = 0; again < 2; ++again) {
    std::vector<std::int32_t> order, end;
    for (const int threads : {1, 2, 7}) {
      omp_set_num_threads(threads);
      const auto s = sort(grid, {2, 3, 1}, x);
      if (threads == 1) order.assign(s.order.begin(), s.order.end()), end.assign(s.rows.end.begin(), s.rows.end.end());
      CHECK(std::ranges::equal(s.order, order) && std::ranges::equal(s.rows.end, end));
    }
    std::vector<Vec3> sorted;
    for (const std::int32_t old : order) {
      sorted.push_back(x[static_cast<std::size_t>(old)]);
      sorted.back().y = std::min(sorted.back().y + 0.3 * k_edge, 39.9 * k_edge);
    }
    x = sorted;
  }
  omp_set_num_threads(before);
}

TEST(cells_of_particles_can_be_looked_up_in_any_order) {
  const auto grid = make_grid(2, {9, 8, 1}, {true, false, false});
  for (const std::int64_t shuffle : {0, 3}) {
    const auto s = sort(grid, {2, 2, 1}, random_positions(grid, 60, 9), shuffle);  // some cells are empty
    const auto cells = s.cells();
    particles::CellFinder cell_of(s.rows);
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      const std::size_t i = k * 23 % s.x.size();
      CHECK(cell_of(i).cell == cells[i]);
      CHECK(cell_of(i).cell == s.layout.owned_cell(s.x[static_cast<std::size_t>(s.order[i])]));
    }
    std::size_t visited = 0;
    particles::for_each_occupied_cell(s.rows, [&](std::int32_t cell, std::size_t first, std::size_t last) {
      CHECK(first == visited && last > first);
      for (std::size_t i = first; i < last; ++i) CHECK(cells[i] == cell);
      visited = last;
    });
    CHECK(visited == s.x.size());
  }
}

TEST(candidates_do_not_depend_on_the_decomposition) {
  for (const auto& periodic : {k_closed, k_all_periodic, std::array<bool, 3>{true, false, false}}) {
    const auto grid = make_grid(2, {7, 6, 1}, periodic);
    const auto x = random_positions(grid, 500, 2);
    const auto whole = candidates(sort(grid, {1, 1, 1}, x));
    for (const Int3 parts : {Int3{2, 1, 1}, Int3{2, 2, 1}, Int3{3, 2, 1}, Int3{7, 6, 1}})
      CHECK(candidates(sort(grid, parts, x)) == whole);
  }
  for (const auto& periodic : {k_closed, k_all_periodic}) {
    const auto grid = make_grid(3, {4, 3, 5}, periodic);
    const auto x = random_positions(grid, 600, 3);
    const auto whole = candidates(sort(grid, {1, 1, 1}, x));
    for (const Int3 parts : {Int3{2, 1, 1}, Int3{2, 1, 2}, Int3{2, 3, 5}})
      CHECK(candidates(sort(grid, parts, x)) == whole);
  }
}

TEST(a_shuffle_changes_the_grouping_and_nothing_else) {
  const auto grid = make_grid(2, {5, 5, 1}, k_all_periodic);
  const auto x = random_positions(grid, 300, 4);
  const auto plain = sort(grid, {2, 1, 1}, x), shuffled = sort(grid, {2, 1, 1}, x, 9);
  CHECK(candidates(plain) == candidates(shuffled));
  CHECK(plain.row_id == shuffled.row_id);
  CHECK(!std::equal(plain.order.begin(), plain.order.end(), shuffled.order.begin()));
}

TEST(ghosts_are_shifted_images_of_owned_cells) {
  for (const Int3 parts : {Int3{1, 1, 1}, Int3{2, 2, 1}, Int3{3, 1, 1}}) {
    const auto grid = make_grid(2, {6, 4, 1}, {true, true, false});
    const auto s = sort(grid, parts, random_positions(grid, 300, 5));
    for (const auto& ghost : s.layout.ghost_cells()) {
      CHECK(s.layout.is_owned(ghost.from_cell));
      CHECK(!s.layout.is_owned(ghost.to_cell));
      CHECK(s.layout.box_of(ghost.from_cell) == ghost.from_box);
      CHECK(s.layout.box_of(ghost.to_cell) == ghost.to_box);
      const auto& box = s.layout.boxes()[static_cast<std::size_t>(ghost.to_box)];
      const std::int32_t local = ghost.to_cell - box.first_cell;
      const Int3 at{local % box.shape[0] - 1 + box.cells.lower[0], local / box.shape[0] - 1 + box.cells.lower[1], 0};
      for (std::int32_t r = s.rows.of(ghost.to_cell).begin; r < s.rows.of(ghost.to_cell).end; ++r)
        for (std::size_t d = 0; d < 2; ++d) {
          const double lower = at[d] * k_edge;
          const double x = k_fixed.quantum() * s.place[static_cast<std::size_t>(r)][d];
          CHECK(x >= lower - k_fixed.quantum() && x <= lower + k_edge + k_fixed.quantum());
        }
    }
  }
}

TEST(one_periodic_box_is_surrounded_by_its_own_images) {
  const auto grid = make_grid(2, {4, 3, 1}, k_all_periodic);
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 100, 6));
  CHECK(s.layout.ghost_cells().size() == 6 * 5 - 4 * 3);
  for (const auto& ghost : s.layout.ghost_cells()) CHECK(ghost.from_box == 0 && ghost.to_box == 0);
  CHECK(s.routes.size() == 1);
  CHECK(std::none_of(s.row_id.begin(), s.row_id.end(), [](std::int64_t id) { return id < 0; }));
}

TEST(a_closed_domain_has_no_ghosts_outside) {
  const auto grid = make_grid(2, {4, 4, 1}, k_closed);
  const auto one = sort(grid, {1, 1, 1}, random_positions(grid, 100, 7));
  CHECK(one.layout.ghost_cells().empty());
  CHECK(one.routes.size() == 0);
  const auto four = sort(grid, {2, 2, 1}, random_positions(grid, 100, 7));
  CHECK(four.layout.ghost_cells().size() == 4 * (2 + 2 + 1));  // each box: two sides and the corner between them
  for (const auto& ghost : four.layout.ghost_cells()) CHECK(ghost.shift == (Int3{0, 0, 0}));
}

TEST(routes_of_two_by_two_periodic_boxes) {
  const auto grid = make_grid(2, {4, 6, 1}, k_all_periodic);
  auto s = sort(grid, {2, 2, 1}, random_positions(grid, 300, 8));
  // Every box sends rows to every other box, across faces, edges and corners, and none to itself.
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t r = 0; r < s.routes.size(); ++r) pairs.insert({s.routes[r].from_box, s.routes[r].to_box});
  CHECK(pairs.size() == s.routes.size());
  CHECK(pairs.size() == 4 * 3);
  for (const auto& [from, to] : pairs) CHECK(from != to);

  // The lower left corner of box 0 is the upper right cell of box 3, one period back along both axes.
  const auto& boxes = s.layout.boxes();
  bool found = false;
  for (const auto& ghost : s.layout.ghost_cells()) {
    if (ghost.to_cell != boxes[0].first_cell) continue;
    found = true;
    CHECK(ghost.from_box == 3);
    CHECK(ghost.shift == (Int3{-grid.period_quanta[0], -grid.period_quanta[1], 0}));
    CHECK(ghost.from_cell == s.layout.owned_cell({3.5 * k_edge, 5.5 * k_edge, 0}));
  }
  CHECK(found);

  // A second gather repeats the same copies.
  std::vector<std::atomic<int>> copied(static_cast<std::size_t>(s.rows.rows));
  const std::int64_t told = s.routes.gather([&](std::int32_t, std::int32_t to, std::int32_t count, const Int3&) {
    for (std::int32_t k = 0; k < count; ++k) ++copied.at(static_cast<std::size_t>(to + k));
  });
  CHECK(std::all_of(copied.begin(), copied.end(), [](const auto& times) { return times <= 1; }));
  CHECK(told == std::count(copied.begin(), copied.end(), 1));
  CHECK(told == s.rows.rows - static_cast<std::int64_t>(s.x.size()));
}

TEST(adjacent_runs_are_merged) {
  exchange::Routes routes;
  routes.add(0, 1, {10, 100, 5, {0, 0, 0}});
  routes.add(0, 1, {15, 105, 2, {0, 0, 0}});
  routes.add(0, 1, {17, 107, 0, {0, 0, 0}});
  routes.add(0, 1, {17, 107, 1, {9, 0, 0}});
  routes.add(1, 0, {30, 40, 1, {0, 0, 0}});
  CHECK(routes.size() == 2);
  CHECK(routes[0].runs.size() == 2);
  CHECK(routes[0].runs[0].count == 7);
  routes.clear();
  CHECK(routes.size() == 0);
}

TEST(particles_beyond_an_open_side_belong_to_the_outermost_cell) {
  const auto grid = make_grid(2, {4, 4, 1}, k_closed);
  CHECK(grid.cell_of({-3.0, 0.1, 0}) == (Int3{0, 0, 0}));
  CHECK(grid.cell_of({17.0, 99.0, 0}) == (Int3{3, 3, 0}));
  CHECK(grid.index({3, 3, 0}) == grid.cells() - 1);
}
