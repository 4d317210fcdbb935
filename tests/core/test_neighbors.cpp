// Neighbour lists against a search of all pairs, and the SIMD list builders against the scalar one.
#include <algorithm>
#include <map>

#include "base/instructions.hpp"
#include "base/pack.hpp"
#include "cell_fixture.hpp"
#include "harness.hpp"

using namespace fixture;

namespace {

constexpr double k_cut = 0.24;  // R + skin [m], less than a cell

using Lists = std::map<std::int64_t, std::vector<std::int64_t>>;

neighbors::Search make_search(const Sorted& targets, const Sorted& sources, bool same) {
  const double cut = k_cut / k_fixed.quantum();
  return {.dimensions = targets.layout.grid().dimensions,
          .cut_squared = static_cast<float>(cut * cut),
          .layout = &targets.layout,
          .targets = &targets.rows,
          .sources = &sources.rows,
          .target_positions = &targets.positions,
          .source_positions = &sources.positions,
          .same = same};
}

/// A field of reference velocities that differ by at most 2 along each axis.
Vec3 velocity_of(std::int64_t id) {
  const auto a = static_cast<double>(id);
  return {std::sin(a), std::cos(1.7 * a), std::sin(2.3 * a)};
}

neighbors::ReferenceVelocities reference_velocities_of(const Sorted& s) {
  neighbors::ReferenceVelocities velocities;
  for (int d = 0; d < s.layout.grid().dimensions; ++d) {
    velocities.x[d].assign(s.positions.x[d].size(), 0);
    for (std::size_t row = 0; row < static_cast<std::size_t>(s.rows.real_rows); ++row)
      velocities.x[d][row] = neighbors::ReferenceVelocities::nearest(velocity_of(s.row_id[row])[d]);
  }
  return velocities;
}

/// The ids in each particle's list, in order; checks that padding comes last and is the sentinel.
Lists ids_of(const neighbors::NeighborList& list, const Sorted& targets, const Sorted& sources) {
  Lists found;
  std::int64_t stored = 0;
  for (std::size_t i = 0; i < targets.x.size(); ++i) {
    const auto chunk = list.chunks()[i / neighbors::k_chunk];
    const std::size_t lane = i % neighbors::k_chunk;
    auto& ids = found[targets.id[static_cast<std::size_t>(targets.order[i])]];
    bool ended = false;
    for (std::int32_t k = 0; k < chunk.length; ++k) {
      const std::int32_t row =
          chunk.entries[static_cast<std::size_t>(k) * neighbors::k_chunk + lane] / eddyline::k_row_step;
      ended = ended || row == sources.rows.rows;
      CHECK(!ended || row == sources.rows.rows);
      if (!ended) ids.push_back(sources.row_id[static_cast<std::size_t>(row)]);
    }
    CHECK(list.targets().places<1>(static_cast<std::int64_t>(i))[0] == targets.rows.row_of(i) * eddyline::k_row_step);
    stored += static_cast<std::int64_t>(ids.size());
  }
  CHECK(list.stored() == stored);
  CHECK(list.padded() >= stored);
  for (std::size_t i = targets.x.size(); i < list.chunks().size() * neighbors::k_chunk; ++i) {
    CHECK(list.targets().places<1>(static_cast<std::int64_t>(i))[0] == targets.rows.rows * eddyline::k_row_step);
    const auto chunk = list.chunks()[i / neighbors::k_chunk];
    for (std::int32_t k = 0; k < chunk.length; ++k)
      CHECK(chunk.entries[static_cast<std::size_t>(k) * neighbors::k_chunk + i % neighbors::k_chunk] ==
            sources.rows.rows * eddyline::k_row_step);
  }
  return found;
}

/// The pairs that a search of all pairs finds within `times` the cut, with the nearest periodic images.
Lists brute_force(const Sorted& targets, const Sorted& sources, bool same, double times) {
  Lists found;
  const auto& grid = targets.layout.grid();
  const double cut = times * k_cut / k_fixed.quantum();
  const auto cut_squared = static_cast<float>(cut * cut);
  for (std::size_t i = 0; i < targets.x.size(); ++i) {
    auto& ids = found[targets.id[i]];
    for (std::size_t j = 0; j < sources.x.size(); ++j) {
      if (same && i == j) continue;
      float r2 = 0;
      for (int d = 0; d < grid.dimensions; ++d) {
        const auto a = static_cast<std::size_t>(d);
        std::int64_t r = std::int64_t{k_fixed.wrapped(targets.x[i][d])} - k_fixed.wrapped(sources.x[j][d]);
        if (grid.periodic[a]) {
          const std::int64_t period = grid.period_quanta[a];
          if (2 * r > period) r -= period;
          if (2 * r < -period) r += period;
        }
        const auto distance = static_cast<float>(r);
        r2 = std::fma(distance, distance, r2);
      }
      if (r2 <= cut_squared) ids.push_back(sources.id[j]);
    }
    std::sort(ids.begin(), ids.end());
  }
  return found;
}

Lists sorted(Lists lists) {
  for (auto& [id, list] : lists) std::sort(list.begin(), list.end());
  return lists;
}

void check_same(const neighbors::NeighborList& a, const neighbors::NeighborList& b) {
  CHECK(a.stored() == b.stored());
  CHECK(a.padded() == b.padded());
  for (std::size_t c = 0; c < b.chunks().size(); ++c) {
    const auto one = a.chunks()[c], other = b.chunks()[c];
    CHECK(one.length == other.length);
    CHECK(std::equal(one.entries, one.entries + one.length * neighbors::k_chunk, other.entries));
  }
}

/// Bounds for lists of one target or of all: they must contain all pairs within the cut, in any order, and none much
/// beyond it; the builder uses rounded positions and therefore searches a little farther.
struct Expected {
  Lists least, most;

  Expected(const Sorted& targets, const Sorted& sources, bool same)
      : least(brute_force(targets, sources, same, 1)), most(brute_force(targets, sources, same, 1.003)) {}
  bool is(std::int64_t id, std::vector<std::int64_t> found) const {
    std::sort(found.begin(), found.end());
    return std::includes(found.begin(), found.end(), least.at(id).begin(), least.at(id).end()) &&
           std::includes(most.at(id).begin(), most.at(id).end(), found.begin(), found.end());
  }
  bool is(const Lists& found) const {
    return found.size() == least.size() &&
           std::all_of(found.begin(), found.end(), [this](const auto& each) { return is(each.first, each.second); });
  }
};

struct Layout {
  int dimensions;
  Int3 count, parts;
  std::array<bool, 3> periodic;
  std::size_t particles;
};
const std::vector<Layout> k_layouts{
    {2, {5, 4, 1}, {1, 1, 1}, {false, false, false}, 333}, {2, {5, 4, 1}, {2, 2, 1}, {false, false, false}, 333},
    {2, {4, 5, 1}, {1, 1, 1}, {true, true, false}, 400},   {2, {4, 5, 1}, {3, 1, 1}, {true, true, false}, 400},
    {3, {3, 3, 4}, {1, 1, 1}, {true, false, true}, 500},   {3, {3, 3, 4}, {1, 2, 2}, {true, false, true}, 500},
};

/// Calls visit(fluid, walls) with particles of both kinds in each layout.
template <class Visit>
void for_fluid_and_walls(unsigned seed, Visit&& visit) {
  for (const auto& layout : k_layouts) {
    const auto grid = make_grid(layout.dimensions, layout.count, layout.periodic);
    const auto fluid = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed));
    visit(fluid, sort(grid, layout.parts, random_positions(grid, 77, ++seed)));
  }
}

}  // namespace

TEST(lists_equal_a_search_of_all_pairs) {
  unsigned seed = 10;
  for (const auto& layout : k_layouts) {
    const auto grid = make_grid(layout.dimensions, layout.count, layout.periodic);
    const auto s = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed));
    neighbors::NeighborList list;
    list.build(make_search(s, s, true), "scalar");
    CHECK(Expected(s, s, true).is(ids_of(list, s, s)));
  }
}

TEST(renewing_some_cells_keeps_the_other_lists) {
  unsigned seed = 15;
  for (const auto& layout : k_layouts)
    for (const std::int64_t shuffle : {0, 7}) {
      const auto grid = make_grid(layout.dimensions, layout.count, layout.periodic);
      const auto s = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed), shuffle);
      const auto cells = static_cast<std::size_t>(s.layout.cells());
      auto search = make_search(s, s, true);
      std::vector<float> cut_squared(cells, 0.7F * search.cut_squared);
      const float wide = search.cut_squared;
      const particles::CellSet all_cells = all_of(s.layout.cells());
      search.margins_of = &all_cells;
      search.cut_squared_of = cut_squared.data();
      neighbors::NeighborList list, narrow;
      list.build(search, "scalar");
      narrow.build(search, "scalar");
      const auto before = ids_of(narrow, s, s);
      const Expected all(s, s, true);

      std::vector<std::uint8_t> due(cells, 0);
      const auto cell_of = s.cells();
      for (std::size_t c = 0; c < cells; ++c)
        if (shuffle == 0 ? c % 9 == 0 : c == static_cast<std::size_t>(cell_of[0])) due[c] = 1, cut_squared[c] = wide;
      const std::int64_t renewed = list.renew(search, "scalar", due.data());
      CHECK(renewed > 0 && renewed < static_cast<std::int64_t>(list.chunks().size()));
      const auto now = ids_of(list, s, s);
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        const auto id = s.id[static_cast<std::size_t>(s.order[i])];
        const bool is_due = due[static_cast<std::size_t>(cell_of[i])] != 0;
        CHECK(is_due ? all.is(id, now.at(id)) : now.at(id) == before.at(id));
      }
      CHECK(list.stored() > narrow.stored());

      // Lists outgrow their memory again and again, in some cells at a time.
      for (const float share : {0.8F, 0.85F, 0.9F, 0.95F, 1.0F})
        for (std::size_t part = 0; part < 8; ++part) {
          for (std::size_t c = 0; c < cells; ++c) {
            due[c] = c % 8 == part ? 1 : 0;
            if (due[c] != 0) cut_squared[c] = std::max(cut_squared[c], share * wide);
          }
          list.renew(search, "scalar", due.data());
        }
      CHECK(all.is(ids_of(list, s, s)));
      neighbors::NeighborList anew;
      anew.build(search, "scalar");
      CHECK(list.bytes() < 2 * anew.bytes());  // they do not stay scattered for ever
      std::fill(due.begin(), due.end(), 1);
      CHECK(list.renew(search, "scalar", due.data()) == static_cast<std::int64_t>(list.chunks().size()));
      CHECK(all.is(ids_of(list, s, s)));
      std::fill(due.begin(), due.end(), 0);
      CHECK(list.renew(search, "scalar", due.data()) == 0);
    }
}

TEST(lists_of_one_kind_over_another) {
  for_fluid_and_walls(20, [](const Sorted& fluid, const Sorted& walls) {
    neighbors::NeighborList list;
    list.build(make_search(fluid, walls, false), "scalar");
    CHECK(Expected(fluid, walls, false).is(ids_of(list, fluid, walls)));
    list.build(make_search(walls, fluid, false), "scalar");
    CHECK(Expected(walls, fluid, false).is(ids_of(list, walls, fluid)));
  });
}

TEST(lists_omit_excluded_rows) {
  for_fluid_and_walls(25, [](const Sorted& fluid, const Sorted& walls) {
    auto search = make_search(walls, fluid, false);
    neighbors::NeighborList list;
    list.build(search, "scalar");
    Lists expected = ids_of(list, walls, fluid);
    const auto is_left_out = [](std::int64_t id) { return id % 3 == 0; };
    for (auto& [id, neighbors] : expected) std::erase_if(neighbors, is_left_out);
    std::vector<std::uint8_t> excluded;
    for (const std::int64_t id : fluid.row_id) excluded.push_back(is_left_out(id) ? 1 : 0);
    search.excluded = excluded.data();
    for (const auto& instructions : eddyline::instruction_sets()) {
      list.build(search, instructions.c_str());
      CHECK(ids_of(list, walls, fluid) == expected);
    }
  });
}

TEST(the_order_of_lists_does_not_depend_on_the_decomposition) {
  const auto grid = make_grid(2, {6, 6, 1}, {true, true, false});
  const auto x = random_positions(grid, 500, 30);
  neighbors::NeighborList list;
  const auto whole = sort(grid, {1, 1, 1}, x);
  list.build(make_search(whole, whole, true), "scalar");
  const Lists expected = ids_of(list, whole, whole);
  for (const Int3 parts : {Int3{2, 2, 1}, Int3{3, 2, 1}})
    for (const std::int64_t shuffle : {0, 5}) {
      const auto s = sort(grid, parts, x, shuffle);
      list.build(make_search(s, s, true), "scalar");
      CHECK(ids_of(list, s, s) == expected);
    }
}

TEST(all_pairs_find_the_same) {
  const auto grid = make_grid(2, {5, 5, 1}, {true, false, false});
  const auto s = sort(grid, {1, 1, 1}, random_positions(grid, 300, 40));
  auto search = make_search(s, s, true);
  search.all_pairs = true;
  neighbors::NeighborList list;
  list.build(search, "scalar");
  CHECK(Expected(s, s, true).is(ids_of(list, s, s)));
}

TEST(all_instructions_build_the_same_lists) {
  unsigned seed = 50;
  for (const auto& layout : k_layouts)
    for (const std::int64_t shuffle : {0, 7}) {
      const auto grid = make_grid(layout.dimensions, layout.count, layout.periodic);
      const auto s = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed), shuffle);
      const auto walls = sort(grid, layout.parts, random_positions(grid, 77, ++seed), shuffle);
      for (const bool same : {true, false}) {
        neighbors::NeighborList plain;
        plain.build(make_search(s, same ? s : walls, same), "scalar");
        for (const auto& instructions : eddyline::instruction_sets()) {
          neighbors::NeighborList wide;
          wide.build(make_search(s, same ? s : walls, same), instructions.c_str());
          check_same(wide, plain);
        }
      }
    }
}

/// Rounding loses no pair: tests one pair after the other just within the cut.
TEST(lists_hold_pairs_at_the_edge) {
  unsigned seed = 70;
  for (const auto& layout : k_layouts) {
    const auto grid = make_grid(layout.dimensions, layout.count, {false, false, false});
    const auto s = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed));
    auto search = make_search(s, s, true);
    int pairs = 0;
    for (std::size_t i = 0; i < s.x.size() && pairs < 60; ++i)
      for (std::size_t j = i + 1; j < s.x.size() && pairs < 60; j += 7) {
        double square = 0;
        for (int d = 0; d < grid.dimensions; ++d) {
          const double r = static_cast<double>(k_fixed.wrapped(s.x[i][d])) - k_fixed.wrapped(s.x[j][d]);
          square += r * r;
        }
        const double cut = k_cut / k_fixed.quantum();
        if (square > cut * cut || square < 0.25 * cut * cut) continue;
        ++pairs;
        search.cut_squared = static_cast<float>(square * (1 + 1e-6));
        neighbors::NeighborList list;
        list.build(search, "scalar");
        const auto ids = ids_of(list, s, s).at(s.id[i]);
        CHECK(std::find(ids.begin(), ids.end(), s.id[j]) != ids.end());
      }
    CHECK(pairs == 60);
  }
}

TEST(predicting_lists_contain_future_neighbours) {
  constexpr double k_near = 0.2, k_behind = 0.003, k_ahead = 0.008;  // m; sound travels the last two
  unsigned seed = 60;
  for (const auto& layout : k_layouts) {
    const auto grid = make_grid(layout.dimensions, layout.count, layout.periodic);
    const auto s = sort(grid, layout.parts, random_positions(grid, layout.particles, ++seed));
    const auto velocities = reference_velocities_of(s);
    const double quantum = k_fixed.quantum();
    const double path = 2 * std::sqrt(static_cast<double>(grid.dimensions)) * (k_behind + k_ahead);
    const double limit2 = k_near * k_near + path * path / 4;
    Array<float> cut_squared, ahead;
    cut_squared.assign(static_cast<std::size_t>(s.layout.cells()), static_cast<float>(limit2 / quantum / quantum));
    ahead.assign(static_cast<std::size_t>(s.layout.cells()), static_cast<float>(k_ahead / quantum));
    for (const bool sources_rest : {false, true}) {
      auto search = make_search(s, s, true);
      const particles::CellSet all_cells = all_of(s.layout.cells());
      search.margins_of = &all_cells;
      search.cut_squared_of = cut_squared.data();
      search.prediction = {&velocities, sources_rest ? nullptr : &velocities, static_cast<float>(k_behind / quantum),
                           ahead.data()};
      neighbors::NeighborList list;
      list.build(search, "scalar");
      const Lists found = sorted(ids_of(list, s, s));
      std::size_t present = 0;
      for (std::size_t i = 0; i < s.x.size(); ++i)
        for (std::size_t j = 0; j < s.x.size(); ++j) {
          if (i == j) continue;
          const Vec3 wi = velocity_of(s.id[i]), wj = sources_rest ? Vec3{} : velocity_of(s.id[j]);
          const auto distance2 = [&](double time) {
            double sum = 0;
            for (int d = 0; d < grid.dimensions; ++d) {
              double r = s.x[j][d] - s.x[i][d];
              const double period = grid.period[d];
              if (grid.periodic[static_cast<std::size_t>(d)]) r -= period * std::round(r / period);
              r += (wj[d] - wi[d]) * time;
              sum += r * r;
            }
            return sum;
          };
          bool meet = false;
          for (int k = 0; k <= 20; ++k)
            meet |= distance2(-k_behind + k / 20.0 * (k_behind + k_ahead)) < 0.9999 * k_near * k_near;
          const auto& ids = found.at(s.id[i]);
          const bool is_listed = std::binary_search(ids.begin(), ids.end(), s.id[j]);
          CHECK(is_listed || !meet);
          CHECK(!is_listed || std::min(distance2(-k_behind), distance2(k_ahead)) < 1.01 * limit2);
          present += distance2(0) < k_near * k_near ? 1 : 0;
        }
      // Far fewer pairs than within the distance by which any two particles may approach.
      CHECK(static_cast<double>(list.stored()) < 1.25 * static_cast<double>(present));
      for (const auto& instructions : eddyline::instruction_sets()) {
        neighbors::NeighborList wide;
        wide.build(search, instructions.c_str());
        check_same(wide, list);
      }
    }
  }
}

TEST(lists_can_be_empty) {
  const auto grid = make_grid(2, {4, 4, 1}, {false, false, false});
  const auto lonely = sort(grid, {1, 1, 1}, {{0.1, 0.1, 0}, {0.9, 0.9, 0}}), nothing = sort(grid, {1, 1, 1}, {});
  for (const auto& instructions : eddyline::instruction_sets()) {
    neighbors::NeighborList list;
    list.build(make_search(lonely, lonely, true), instructions.c_str());
    CHECK(list.stored() == 0);
    CHECK(list.chunks().size() == 1 && list.chunks()[0].length == 0);
    list.build(make_search(lonely, nothing, false), instructions.c_str());
    CHECK(list.stored() == 0);
    list.build(make_search(nothing, lonely, false), instructions.c_str());
    CHECK(list.chunks().empty());
  }
}
