// Boxes of cells: index maps, tiles, owners along a curve, and halos of boxes with every exchange strategy. Ranks are
// threads.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "comm/single_process.hpp"
#include "decompose/owners.hpp"
#include "delayed_ranks.hpp"
#include "exchange/halo.hpp"
#include "grid/index_box.hpp"
#include "harness.hpp"
#include "patches/layout.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using grid::IndexBox;
using grid::IndexMap;
using patches::Layout;
using patches::Tiling;

namespace {

/// All maps of three axes onto each other, with an offset.
std::vector<IndexMap> all_maps() {
  std::vector<IndexMap> maps;
  std::array<std::uint8_t, 3> axis{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      IndexMap map{.axis = axis, .offset = {3, -2, 7}};
      for (std::size_t d = 0; d < 3; ++d) map.sign[d] = (signs >> d & 1) != 0 ? -1 : 1;
      maps.push_back(map);
    }
  } while (std::ranges::next_permutation(axis).found);
  return maps;
}

/// A number that tells a cell of the whole box from all others.
double number_of(const Tiling& tiling, Int3 cell) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int32_t n = tiling.cells()[d];
    cell[d] = ((cell[d] % n) + n) % n;
  }
  return static_cast<double>(IndexBox{{0, 0, 0}, tiling.cells()}.index(cell));
}

}  // namespace

TEST(a_map_and_its_inverse_cancel) {
  for (const IndexMap& map : all_maps()) {
    for_each_cell(IndexBox{{-2, 0, 1}, {2, 3, 4}}, [&](Int3 cell) {
      CHECK(map.inverse()(map(cell)) == cell);
      CHECK(map(map.inverse()(cell)) == cell);
    });
    CHECK(map.inverse().inverse() == map);
  }
}

TEST(a_turned_box_arrives_in_the_receivers_order) {
  // Both blocks hold the same cells; the giver's are turned.
  for (const IndexMap& map : all_maps()) {
    const IndexBox cells{{0, 0, 0}, {2, 3, 4}};
    const Int3 a = map(cells.lower), b = map({1, 2, 3});
    IndexBox turned;
    for (std::size_t d = 0; d < 3; ++d)
      turned.lower[d] = std::min(a[d], b[d]), turned.upper[d] = std::max(a[d], b[d]) + 1;
    std::vector<double> given(static_cast<std::size_t>(turned.cells())), taken(given.size(), -1);
    for_each_cell(cells, [&](Int3 cell) {
      given[static_cast<std::size_t>(turned.index(map(cell)))] = static_cast<double>(cells.index(cell));
    });
    const std::vector<exchange::BlockView<const double>> givers{{given.data(), turned}};
    const std::vector<exchange::BlockView<double>> receivers{{taken.data(), cells}};
    const exchange::BoxField<double> field(givers, receivers);
    const exchange::BoxPiece piece{.block = 0, .cells = cells, .map = map};
    field.copy(piece, {.block = 0, .cells = cells});
    for (std::size_t k = 0; k < taken.size(); ++k) CHECK(taken[k] == static_cast<double>(k));
    std::vector<double> message(given.size());
    field.pack(piece, reinterpret_cast<std::byte*>(message.data()));
    CHECK(message == taken);
    CHECK(map.inverse()(map(cells.upper)) == cells.upper);
  }
}

TEST(tiles_cover_a_box_once) {
  for (const Int3 cells : {Int3{17, 5, 1}, Int3{8, 8, 8}, Int3{3, 31, 7}})
    for (const std::int32_t edge : {1, 4, 9, 100})
      for (const std::int64_t fewest : {1, 3, 12}) {
        const int dimensions = cells[2] == 1 ? 2 : 3;
        const Tiling tiling(cells, dimensions, edge, fewest);
        CHECK(tiling.size() >= fewest);
        std::int64_t covered = 0;
        for (std::int64_t k = 0; k < tiling.size(); ++k) {
          const IndexBox box = tiling.box(tiling.tile(k));
          CHECK(box.cells() > 0);
          for (std::size_t d = 0; d < 3; ++d) CHECK(box.count(d) <= edge);
          for_each_cell(box, [&](Int3 cell) { CHECK(tiling.number(tiling.tile_of(cell)) == k); });
          covered += box.cells();
        }
        CHECK(covered == (IndexBox{{0, 0, 0}, cells}.cells()));
      }
}

TEST(parts_of_an_axis_continue_beyond_its_ends) {
  const Tiling tiling({7, 4, 1}, 2, 3, 1);
  for (std::int32_t lower = -20; lower < 10; ++lower)
    for (std::int32_t upper = lower + 1; upper < 25; ++upper) {
      std::int32_t at = lower;
      for (const patches::Segment& part : tiling.segments(0, lower, upper)) {
        CHECK(part.lower == at && part.upper > at && part.shift % 7 == 0);
        for (std::int32_t cell = part.lower; cell < part.upper; ++cell)
          CHECK(tiling.tile_of({cell - part.shift, 0, 0})[0] == part.tile);
        at = part.upper;
      }
      CHECK(at == upper);
    }
}

TEST(shares_of_a_sequence_are_even_and_in_order) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto draw = [&](std::uint64_t k) { return uniform_random(seed, k, 0); };
    const auto members = static_cast<std::size_t>(1 + 40 * draw(0));
    const int ranks = static_cast<int>(1 + 9 * draw(1));
    std::vector<std::int64_t> weights;
    for (std::size_t k = 0; k < members; ++k) weights.push_back(1 + static_cast<std::int64_t>(100 * draw(k + 2)));
    const std::vector<std::int32_t> rank = decompose::even_shares(weights, ranks);
    CHECK(rank.size() == members && rank.front() == 0 && std::ranges::is_sorted(rank));
    const std::set<std::int32_t> used(rank.begin(), rank.end());
    CHECK(used.size() == std::min(members, static_cast<std::size_t>(ranks)));
    const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    const std::int64_t heaviest = *std::ranges::max_element(weights);
    std::vector<std::int64_t> load(static_cast<std::size_t>(ranks), 0);
    for (std::size_t k = 0; k < members; ++k) load[static_cast<std::size_t>(rank[k])] += weights[k];
    CHECK(*std::ranges::max_element(load) <= all / ranks + 2 * heaviest);
  }
}

TEST(a_curve_visits_each_place_once_and_goes_from_neighbour_to_neighbour_mostly) {
  std::vector<Int3> places;
  for_each_cell(IndexBox{{0, 0, 0}, {8, 8, 8}}, [&](Int3 cell) { places.push_back(cell); });
  const std::vector<std::int32_t> order = decompose::along_curve(places);
  CHECK(std::set<std::int32_t>(order.begin(), order.end()).size() == places.size());
  int near = 0;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Int3 a = places[static_cast<std::size_t>(order[k - 1])], b = places[static_cast<std::size_t>(order[k])];
    near += std::abs(a[0] - b[0]) <= 1 && std::abs(a[1] - b[1]) <= 1 && std::abs(a[2] - b[2]) <= 1 ? 1 : 0;
  }
  CHECK(near >= 511 * 3 / 4);
}

namespace {

/// Fills every patch with ghosts of two fields that the halo carried, and counts values that are wrong.
int wrong_ghosts(const Tiling& tiling, int dimensions, std::int32_t ghosts, const std::string& strategy,
                 exchange::BetweenSites way, comm::Communicator& c) {
  patches::PatchSet set(tiling, dimensions, {true, true, true});
  set.assign(c.size());
  const Layout layout(std::move(set), ghosts, c.rank());
  comm::Tags tags;
  exchange::BoxHalo halo(c, strategy, way, tags.take("cells"));
  layout.connect(halo);
  std::vector<double> own(static_cast<std::size_t>(layout.cells()));
  std::vector<double> foreign(static_cast<std::size_t>(layout.foreign_cells()));
  std::vector<double> twice(own.size()), foreign_twice(foreign.size());
  for (const Layout::Patch& patch : layout.patches())
    for_each_cell(patch.cells, [&](Int3 cell) {
      const auto i = static_cast<std::size_t>(patch.first + patch.cells.index(cell));
      own[i] = number_of(tiling, cell), twice[i] = 2 * own[i];
    });
  int wrong = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::ranges::fill(foreign, -1), std::ranges::fill(foreign_twice, -1);
    const Layout::Views first = layout.views(own.data(), foreign.data()),
                        second = layout.views(twice.data(), foreign_twice.data());
    halo.gather_between(first.field(), second.field());
    std::vector<double> scratch(layout.scratch_size());
    for (const Layout::Patch& patch : layout.patches())
      for (const double factor : {1.0, 2.0}) {
        layout.fill(patch,
                    factor == 1 ? patches::Values{own.data(), foreign.data()}
                                : patches::Values{twice.data(), foreign_twice.data()},
                    scratch.data());
        const IndexBox grown = patch.cells.grown(ghosts, dimensions);
        for_each_cell(grown, [&](Int3 cell) {
          wrong += scratch[static_cast<std::size_t>(grown.index(cell))] == factor * number_of(tiling, cell) ? 0 : 1;
        });
      }
  }
  return wrong;
}

}  // namespace

TEST(every_strategy_carries_boxes) {
  for (const std::string& name : exchange::strategy_names())
    for (const int ranks : {1, 2, 3, 5})
      fixture::on_ranks(ranks, [&](comm::Communicator& c) {
        CHECK(wrong_ghosts(Tiling({9, 7, 1}, 2, 3, c.size()), 2, 2, name, {}, c) == 0);
        CHECK(wrong_ghosts(Tiling({5, 4, 6}, 3, 2, c.size()), 3, 3, name, {}, c) == 0);
      });
}

TEST(boxes_are_combined_and_compressed_between_sites) {
  for (const std::string& name : exchange::strategy_names()) {
    if (!exchange::inside_refusal(name).empty()) continue;
    for (const exchange::BetweenSites way : {exchange::BetweenSites{true, false}, {false, true}, {true, true}})
      fixture::on_ranks(5, [&](comm::Communicator& c) {
        c.sites = {0, 1, 0, 1, 0};
        CHECK(wrong_ghosts(Tiling({9, 7, 1}, 2, 3, c.size()), 2, 2, name, way, c) == 0);
      });
  }
}

TEST(boxes_arrive_whatever_messages_are_late) {
  for (const std::string& name : exchange::strategy_names())
    for (const std::uint64_t seed : {3, 4})
      fixture::on_delayed_ranks(4, seed, [&](comm::Communicator& c) {
        CHECK(wrong_ghosts(Tiling({6, 5, 1}, 2, 3, c.size()), 2, 2, name, {}, c) == 0);
      });
}
