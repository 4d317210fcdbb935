// Cuts along a space-filling curve: every cell has one owner, pieces are connected along the curve and equally heavy.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "decompose/owners.hpp"
#include "decompose/partition.hpp"
#include "harness.hpp"

using namespace eddyline;

namespace {

particles::CellGrid grid_of(Int3 count) {
  particles::CellGrid grid;
  grid.dimensions = count[2] > 1 ? 3 : 2;
  grid.count = count;
  return grid;
}

std::vector<std::int64_t> unused(const particles::CellBox&, int) { return {}; }

/// Weights that differ from cell to cell, none in a part of the grid, as of water in a tank.
std::vector<std::int64_t> weights_of(const particles::CellGrid& grid) {
  std::vector<std::int64_t> weights(static_cast<std::size_t>(grid.cells()), 0);
  particles::for_each_cell(particles::CellBox{{0, 0, 0}, grid.count}, [&](Int3 cell) {
    if (2 * cell[0] < grid.count[0]) weights[static_cast<std::size_t>(grid.index(cell))] = 100 + (7 * cell[1]) % 13;
  });
  return weights;
}

void check_grid(Int3 count, int ranks) {
  const particles::CellGrid grid = grid_of(count);
  const auto weights = weights_of(grid);
  const decompose::Partition partition(grid, decompose::cuts_of("curve"), ranks, 1, unused, [&] { return weights; });
  CHECK(partition.ranks() == ranks);
  std::vector<int> owners(weights.size(), -1);
  std::vector<std::int64_t> loads;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t& load = loads.emplace_back(0);
    CHECK(!partition.boxes_of(rank).empty());
    for (const auto& box : partition.boxes_of(rank))
      particles::for_each_cell(box, [&](Int3 cell) {
        const auto k = static_cast<std::size_t>(grid.index(cell));
        CHECK(owners[k] == -1);
        CHECK(partition.rank_of(cell) == rank);
        owners[k] = rank;
        load += weights[k];
      });
  }
  CHECK(std::ranges::count(owners, -1) == 0);
  std::int64_t total = 0;
  for (const std::int64_t load : loads) total += load;
  for (const std::int64_t load : loads) CHECK(4 * load * ranks < 6 * total);
  for (int rank = 0; rank < ranks; ++rank)  // neighbours are neighbours of each other
    for (const auto& other : partition.around(rank)) {
      const auto back = partition.around(other.rank);
      CHECK(std::ranges::any_of(back, [&](const auto& box) { return box.rank == rank; }));
    }
}

}  // namespace

TEST(every_cell_has_one_owner_and_pieces_are_equally_heavy) {
  check_grid({40, 24, 1}, 7);
  check_grid({33, 9, 17}, 12);
  check_grid({16, 16, 16}, 36);
}

TEST(one_rank_has_one_box) {
  const decompose::Partition partition(grid_of({5, 7, 3}), decompose::cuts_of("curve"), 1, 1, unused);
  CHECK(partition.boxes_of(0).size() == 1);
}

TEST(ranks_follow_each_other_along_the_curve) {
  const particles::CellGrid grid = grid_of({8, 8, 8});
  const decompose::Partition partition(grid, decompose::cuts_of("curve"), 16, 1, unused);
  std::vector<Int3> places;
  particles::for_each_cell(particles::CellBox{{0, 0, 0}, grid.count}, [&](Int3 cell) { places.push_back(cell); });
  int last = 0;
  for (const std::int32_t k : decompose::along_curve(places)) {
    const int rank = partition.rank_of(places[static_cast<std::size_t>(k)]);
    CHECK(rank == last || rank == last + 1);
    last = rank;
  }
  CHECK(last == 15);
}
