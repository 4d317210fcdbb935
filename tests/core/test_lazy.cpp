// Lazy steps: which cells ranks compute beside their own, for how long these are right, and when they are refreshed.
// That the bits are those of other ways of computing, test_ranks.cpp looks at.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "cell_fixture.hpp"
#include "comm/collectives.hpp"
#include "comm/single_process.hpp"
#include "decompose/partition.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "solvers/sph/domain/lazy/deferred_exchange.hpp"
#include "solvers/sph/step/delta/delta_step.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;
using decompose::Partition;
using particles::for_each_cell;
using sph::DeferredExchange;

namespace {

Partition cut(const particles::CellGrid& grid, const char* how, int ranks, int boxes) {
  const auto even = [](const particles::CellBox& box, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    return std::vector<std::int64_t>(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 1);
  };
  return {grid, decompose::cuts_of(how), ranks, boxes, even};
}

/// Steps through the cells around each of a rank's own, one after the other.
std::map<std::int64_t, std::int32_t> distances(const particles::CellGrid& grid, const Partition& partition, int rank) {
  std::map<std::int64_t, std::int32_t> found;
  const particles::CellBox whole{{0, 0, 0}, grid.count};
  for_each_cell(whole, [&](Int3 cell) {
    if (partition.rank_of(cell) == rank) found[grid.index(cell)] = 0;
  });
  for (std::int32_t distance = 1;; ++distance) {
    std::vector<std::int64_t> next;
    for_each_cell(whole, [&](Int3 cell) {
      if (found.contains(grid.index(cell))) return;
      bool touches = false;
      for_each_cell({{cell[0] - 1, cell[1] - 1, cell[2] - 1}, {cell[0] + 2, cell[1] + 2, cell[2] + 2}}, [&](Int3 at) {
        for (std::size_t d = 0; d < 3; ++d) {
          if (grid.periodic[d]) at[d] = (at[d] + grid.count[d]) % grid.count[d];
          if (at[d] < 0 || at[d] >= grid.count[d]) return;
        }
        touches = touches || found.contains(grid.index(at));
      });
      if (touches) next.push_back(grid.index(cell));
    });
    if (next.empty()) return found;
    for (const std::int64_t cell : next) found[cell] = distance;
  }
}

world::World fluid_alone() {
  world::World world = dam();
  for (std::size_t s = 0; s < 4; ++s) world.sides[s].kind = world::SideKind::periodic;
  world.bodies.clear();
  return world;
}

}  // namespace

TEST(cells_within_a_distance_are_found_once_each) {
  struct Cut {
    Int3 count;
    std::array<bool, 3> periodic;
    const char* how;
    int ranks, boxes;
  };
  for (const Cut& c :
       {Cut{{11, 7, 1}, {true, false, false}, "bisection", 3, 2}, Cut{{9, 9, 1}, {true, true, false}, "blocks", 4, 1},
        Cut{{12, 4, 1}, {false, false, false}, "strips", 4, 2},
        Cut{{6, 5, 4}, {true, false, true}, "bisection", 5, 1}}) {
    const auto grid = make_grid(c.count[2] > 1 ? 3 : 2, c.count, c.periodic);
    const Partition partition = cut(grid, c.how, c.ranks, c.boxes);
    for (int rank = 0; rank < c.ranks; ++rank) {
      const auto expected = distances(grid, partition, rank);
      for (const std::int32_t depth : {1, 2, 5, 20}) {
        const auto copied = partition.within(rank, depth);
        const particles::CellLayout layout(grid, partition.boxes_of(rank), {}, copied, depth);
        std::set<std::int64_t> seen;
        for (const auto& box : copied)
          for_each_cell(box.cells, [&](Int3 cell) {
            CHECK(seen.insert(grid.index(cell)).second);
            CHECK(partition.rank_of(cell) == box.rank && box.rank != rank);
            CHECK(layout.distance(layout.computed_cell(cell)) == expected.at(grid.index(cell)));
          });
        const auto near = [&](const auto& each) { return each.second > 0 && each.second <= depth; };
        CHECK(std::count_if(expected.begin(), expected.end(), near) == static_cast<std::ptrdiff_t>(seen.size()));
        for (const auto& [cell, distance] : expected)
          if (distance > 0 && distance <= depth) CHECK(seen.contains(cell));
      }
    }
  }
}

TEST(every_kth_step_is_refreshed_and_rebuilds_count) {
  DeferredExchange lazy({3, true}, dam(), false);
  CHECK(lazy.passes() == 3 && lazy.depth() == 9 && !lazy.exchanges());
  std::vector<bool> due;
  for (int k = 0; k < 5; ++k) due.push_back(lazy.begin_step());  // the start has been the first of three
  CHECK(due == (std::vector<bool>{false, false, true, false, false}));
  lazy.rebuilt();
  CHECK(lazy.refreshes() == 2);
  CHECK(!lazy.begin_step() && !lazy.begin_step() && lazy.begin_step());
  lazy.rebuilt();  // in the same step: once is enough
  CHECK(lazy.refreshes() == 3 && lazy.steps() == 8);
  lazy.expire();
  CHECK(lazy.begin_step());

  DeferredExchange stale({2, false}, dam(), false);
  CHECK(stale.depth() == 0);
  CHECK(!stale.begin_step() && !stale.exchanges());
  CHECK(stale.begin_step() && stale.exchanges());
  CHECK(!stale.begin_step() && !stale.exchanges());
  stale.rebuilt();
  CHECK(stale.exchanges());
}

TEST(the_valid_region_narrows_with_each_pass) {
  particles::CellIndex rows;
  rows.count_within.resize(5);
  for (std::size_t k = 0; k < 5; ++k) rows.count_within[k] = 10 * (static_cast<std::int32_t>(k) + 1);
  DeferredExchange lazy({2, true}, fluid_alone(), false);
  CHECK(lazy.passes() == 2 && lazy.depth() == 4);
  CHECK(lazy.computed(rows, 0) == 50 && lazy.computed(rows, 1) == 40 && lazy.computed(rows, 2) == 30);
  CHECK(!lazy.begin_step());
  CHECK(lazy.computed(rows, 0) == 30 && lazy.computed(rows, 2) == rows.owned());
  CHECK(lazy.begin_step());
  CHECK(lazy.computed(rows, 0) == 50);
}

TEST(one_rank_alone_is_never_lazy) {
  DeferredExchange alone({4, true}, dam(), true);
  CHECK(!alone.is_on() && alone.exchanges() && alone.depth() == 0 && !alone.begin_step());
}

/// Bodies may touch the particles near them, on whichever rank these are computed.
TEST(copies_are_near_walls_as_their_owners_are) {
  on_ranks(3, [](comm::Communicator& c) {
    solver::Execution e = execution();
    e.lazy.every = 2;
    sph::Parts<float, 2> flow(stream(), e, c);
    flow.rebuild(false);
    const auto& rows = flow.domain.fluid_rows;
    const auto& walls = flow.domain.wall_rows;
    std::int64_t copies[] = {0, 0};  // far from walls, near them
    particles::CellFinder cell_of(rows);
    for (std::int64_t i = 0; i < rows.computed(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int32_t cell = cell_of(k).cell;
      const auto& box = flow.domain.layout().boxes()[static_cast<std::size_t>(flow.domain.layout().box_of(cell))];
      bool near = false;
      for (std::int32_t dy = -1; dy <= 1; ++dy) {
        const std::int32_t run = cell + dy * box.shape[0] - 1;
        for (std::int32_t around = run; around < run + 3; ++around) near = near || !walls.is_empty(around);
      }
      CHECK(flow.lists.is_near_walls(k) == near);
      if (i >= rows.owned()) ++copies[near ? 1 : 0];
    }
    comm::sum(c, copies, "test");
    CHECK(copies[0] > 0 && copies[1] > 0);
  });
}

/// Copies are seen by steps only.
TEST(copies_belong_to_no_rank) {
  on_ranks(3, [](comm::Communicator& c) {
    solver::Execution e = execution();
    e.lazy.every = 2;
    sph::Parts<float, 2> flow(stream(), e, c);
    sph::DeltaStep<float, 2> step(flow);
    step.start();
    for (int k = 0; k < 30; ++k) {
      step.advance(true);
      CHECK(flow.state.fluid.size() == flow.domain.fluid_rows.owned() &&
            flow.state.wall.size() == flow.domain.wall_rows.owned());
      CHECK(flow.domain.fluid_rows.computed() > flow.domain.fluid_rows.owned());
      particles::CellFinder cell_of(flow.domain.fluid_rows);
      for (std::int64_t i = 0; i < flow.domain.fluid_rows.computed(); ++i)
        CHECK(flow.domain.layout().is_owned(cell_of(static_cast<std::size_t>(i)).cell) ==
              (i < flow.state.fluid.size()));
    }
    CHECK(flow.domain.lazy.steps() == 30 && flow.domain.lazy.refreshes() >= 15 && flow.domain.lazy.refreshes() < 30);
    CHECK(flow.domain.fluid_halo.traffic().sent.messages == 0 && flow.domain.wall_halo.traffic().sent.messages == 0);
    CHECK(flow.domain.fluid_copies.traffic().exchanges <= flow.domain.lazy.refreshes());
  });
}

TEST(lazy_steps_are_refused_where_they_mean_nothing) {
  const auto c = comm::single_process();
  solver::Execution e = execution();
  e.lazy.every = 0;
  CHECK_THROWS((sph::Parts<float, 2>(dam(), e, *c)), "lazy = 0; must be at least 1");
  e.lazy.every = 2, e.all_pairs = true;
  CHECK_THROWS((sph::Parts<float, 2>(dam(), e, *c)), "lazy = 2: lazy steps need cells");
}
