// Owners and ghost copies at rank boundaries; no particle enters or is moved twice. Ranks are threads.
//
// The example of two processors and the two mistakes that have tests here are those of Vertanen 1999, sections 5.1.1
// and 5.3.3: particles that enter twice, migrants that are updated twice.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/single_process.hpp"
#include "handover_fixture.hpp"
#include "harness.hpp"
#include "particles/id.hpp"
#include "solvers/sph/step/delta/delta_step.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

// --- owners and copies ----------------------------------------------------------------------------------------------

namespace {

using Flow2 = sph::Parts<float, 2>;
using Ids = std::set<std::int64_t>;

/// A closed box of six rows of cells, three cells wide and periodic across.
world::World six_rows() {
  world::World w;
  w.size = {0.7, 1, 0};
  w.spacing = 0.05;
  w.fluid.density = 1;
  w.fluid.sound_speed = 10;
  w.method.skin = 0.5;
  w.sides[0].kind = w.sides[1].kind = world::SideKind::periodic;
  return w;
}

/// The place of particle a_k in a row: somewhere in the middle column.
Vec3 place_in(const particles::CellGrid& grid, std::int64_t k, int row) {
  Vec3 x = grid.origin;
  x.x += (1.1 + 0.1 * static_cast<double>(k)) * grid.edge.x;
  x.y += (row + 0.5) * grid.edge.y;
  return x;
}

int rank_of_row(const Flow2& flow, int row) { return flow.domain.partition().rank_of({1, row, 0}); }

/// The fluid becomes particles a_0, a_1, ... in the rows that are named, each with the rank whose row it is.
void put_into_rows(Flow2& flow, const std::vector<int>& row_of) {
  std::vector<std::int64_t> own;
  for (std::size_t k = 0; k < row_of.size(); ++k)
    if (rank_of_row(flow, row_of[k]) == flow.domain.communicator().rank()) own.push_back(static_cast<std::int64_t>(k));
  flow.state.fluid.for_each_array([&](auto& array) { array.assign(own.size(), 0); });
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto k = static_cast<std::size_t>(own[i]);
    flow.state.fluid.id[i] = own[i];
    for (int d = 0; d < 2; ++d) flow.state.fluid.x[d][i] = place_in(flow.domain.layout().grid(), own[i], row_of[k])[d];
  }
  flow.rebuild(false);
}

/// Moves the particles of this rank to their new rows, as a step does, and rebuilds.
void move_to_rows(Flow2& flow, const std::vector<int>& row_of) {
  for (std::size_t i = 0; i < flow.state.fluid.id.size(); ++i) {
    const std::int64_t k = flow.state.fluid.id[i];
    for (int d = 0; d < 2; ++d)
      flow.state.fluid.x[d][i] = place_in(flow.domain.layout().grid(), k, row_of[static_cast<std::size_t>(k)])[d];
  }
  flow.rebuild(false);
}

Ids updated_by(const Flow2& flow) { return {flow.state.fluid.id.begin(), flow.state.fluid.id.end()}; }
Ids copies_on(Flow2& flow) {
  const auto ids = ids_of_rows(flow.domain.fluid_rows, flow.state.fluid.id, flow.domain.fluid_halo);
  return {ids.begin(), ids.end()};
}

}  // namespace

TEST(particles_pass_between_two_ranks_as_in_vertanens_example) {
  on_ranks(2, [](comm::Communicator& c) {
    Flow2 flow(six_rows(), execution_with("strips"), c);
    CHECK(flow.domain.layout().grid().count == (Int3{3, 6, 1}));
    for (int row = 0; row < 6; ++row) CHECK(rank_of_row(flow, row) == row / 3);
    const bool is_p1 = c.rank() == 0;

    put_into_rows(flow, {0, 1, 2, 3, 3, 4, 5});
    CHECK(updated_by(flow) == (is_p1 ? Ids{0, 1, 2} : Ids{3, 4, 5, 6}));
    CHECK(copies_on(flow) == (is_p1 ? Ids{0, 1, 2, 3, 4} : Ids{2, 3, 4, 5, 6}));
    CHECK(flow.domain.migrants == 0);

    // a_2 crosses the border, a_4 leaves the fringe inwards, a_5 jumps over two rows into P1's inner ones.
    move_to_rows(flow, {0, 1, 3, 3, 4, 1, 5});
    CHECK(updated_by(flow) == (is_p1 ? Ids{0, 1, 5} : Ids{2, 3, 4, 6}));
    CHECK(copies_on(flow) == (is_p1 ? Ids{0, 1, 2, 3, 5} : Ids{2, 3, 4, 6}));
    CHECK(flow.domain.migrants == 1);
  });
}

TEST(particles_that_jump_over_entire_ranks_arrive) {
  for (const int ranks : {3, 4, 5})
    on_ranks(ranks, [&](comm::Communicator& c) {
      Flow2 flow(six_rows(), execution_with("strips"), c);
      CHECK(rank_of_row(flow, 0) == 0 && rank_of_row(flow, 5) == ranks - 1);
      const std::vector<std::vector<int>> moments{{0, 1, 2, 3, 4, 5, 5}, {5, 1, 2, 3, 4, 0, 5}, {0, 5, 4, 3, 0, 5, 0}};
      put_into_rows(flow, moments[0]);
      for (const auto& row_of : moments) {
        move_to_rows(flow, row_of);
        Ids own, near;
        for (std::size_t k = 0; k < row_of.size(); ++k)
          for (int row = std::max(0, row_of[k] - 1); row <= std::min(5, row_of[k] + 1); ++row) {
            if (rank_of_row(flow, row) != c.rank()) continue;
            near.insert(static_cast<std::int64_t>(k));
            if (row == row_of[k]) own.insert(static_cast<std::int64_t>(k));
          }
        CHECK(updated_by(flow) == own);
        CHECK(copies_on(flow) == near);
      }
    });
}

// --- no particle enters or is moved twice ---------------------------------------------------------------------------

namespace {

/// A particle as its rank has it at the end of a step.
struct Seen {
  std::int64_t id, rank, buffer;
  bool in_own_cell;  // since the last rebuild
  std::array<double, 5> state;

  /// True for the same particle in the same state, on any rank.
  bool operator==(const Seen& other) const {
    return id == other.id && buffer == other.buffer && std::memcmp(state.data(), other.state.data(), sizeof state) == 0;
  }
};

/// The particles of all ranks, by id. Collective.
std::vector<Seen> see(const Flow2& flow) {
  std::vector<Seen> own;
  const auto& fluid = flow.state.fluid;
  const int rank = flow.domain.communicator().rank();
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const Vec3 then = flow.domain.sorted_place(i);
    const bool in_own_cell = flow.domain.layout().owned_cell(then) >= 0 &&
                             flow.domain.partition().rank_of(flow.domain.layout().grid().cell_of(then)) == rank;
    own.push_back({fluid.id[i],
                   rank,
                   fluid.buffer[i],
                   in_own_cell,
                   {fluid.x[0][i], fluid.x[1][i], fluid.v[0][i], fluid.v[1][i], fluid.s[i]}});
  }
  auto all = from_all(flow.domain.communicator(), own);
  std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.id < b.id; });
  return all;
}

bool are_unique(const std::vector<Seen>& all) {
  return std::adjacent_find(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.id == b.id; }) ==
         all.end();
}

/// Everybody after each of so many steps on one process.
std::vector<std::vector<Seen>> history(const world::World& world, int steps) {
  const auto alone = comm::single_process();
  Flow2 flow(world, execution_with("strips"), *alone);
  const auto step = start<sph::DeltaStep<float, 2>>(flow);
  std::vector<std::vector<Seen>> moments{see(flow)};
  for (int k = 0; k < steps; ++k) {
    step->advance(false);
    moments.push_back(see(flow));
  }
  return moments;
}

/// A stream whose speed varies across the inflow and in time.
world::World uneven_stream(Vec3 size) {
  world::World w = stream();
  w.size = size;
  w.spacing = 0.05;
  w.bodies.clear();
  w.probes.clear();
  w.fluid.sound_speed = 5;
  w.openings[0].upper = {0, size.y, 0};
  w.openings[0].velocity[0] = formula("1 + 0.5*sin(7*y) + 0.3*sin(40*t)");
  w.openings[1].lower = {size.x, 0, 0};
  w.openings[1].upper = {size.x, size.y, 0};
  return w;
}

/// The sites of the inflow from which new particles have come, and how many these are.
std::pair<std::set<std::int64_t>, std::int64_t> entered(const std::vector<Seen>& all, const Flow2& flow) {
  std::pair<std::set<std::int64_t>, std::int64_t> found{{}, 0};
  const auto& sites = flow.state.openings.all()[0].sites;
  for (const Seen& each : all) {
    const std::int64_t site = particles::site_of_opening_id(each.id);
    if (each.id < particles::make_opening_id(0, site, sites.columns) || each.id >= particles::make_opening_id(1, 0, 0))
      continue;
    found.first.insert(site);
    ++found.second;
  }
  return found;
}

/// Everybody enters once. `cut_across`: some border between ranks shall go through the inflow's buffer.
void expect_each_to_enter_once(Vec3 size, const char* decomposition, int ranks, bool cut_across) {
  const auto world = uneven_stream(size);
  const int steps = 24, every = 4;
  const auto whole = history(world, steps);
  on_ranks(ranks, [&](comm::Communicator& c) {
    Flow2 flow(world, execution_with(decomposition), c);
    const auto step = start<sph::DeltaStep<float, 2>>(flow);
    std::set<std::int64_t> ranks_at_inflow;
    for (int k = 1; k <= steps; ++k) {
      step->advance(false);
      if (k % every != 0) continue;
      const auto all = see(flow);
      const auto& expected = whole[static_cast<std::size_t>(k)];
      CHECK(are_unique(all));
      CHECK(entered(all, flow) == entered(expected, flow));
      const bool as_expected = all == expected;
      CHECK(as_expected);
      if (!as_expected) return;  // on all ranks
      for (const Seen& each : all)
        if (each.buffer == 1) ranks_at_inflow.insert(each.rank);
    }
    const auto [sites, count] = entered(whole.back(), flow);
    CHECK(std::ssize(sites) == flow.state.openings.all()[0].sites.sites());
    CHECK(count > 2 * std::ssize(sites));
    CHECK(!cut_across || ranks_at_inflow.size() > 1);
  });
}

/// Eddies that a force shakes, so that particles cross borders back and forth.
world::World to_and_fro() {
  auto w = eddies(2);
  w.spacing = 0.04;
  w.body_force[0] = formula("60*cos(30*t)");
  w.body_force[1] = formula("40*sin(25*t)");
  return w;
}

/// The ranks that have owned each particle, as seen by an observer outside of all ranks.
class Owners {
 public:
  explicit Owners(std::int64_t columns) : columns_(columns) {}

  void see(const std::vector<Seen>& all) {
    std::map<std::int64_t, std::int64_t> now;
    for (const Seen& each : all) {
      now[each.id] = each.rank;
      // A new particle enters beyond the one before it, with the rank that has that one, and goes on from there.
      const auto before = now_.contains(each.id) ? now_.find(each.id) : now_.find(each.id - columns_);
      if (before != now_.end() && before->second != each.rank) {
        ++changes_;
        if (had_[each.id].contains(each.rank)) ++returns_;
      }
      had_[each.id].insert(each.rank);
    }
    now_ = std::move(now);
  }
  std::int64_t changes() const { return changes_; }
  std::int64_t returns() const { return returns_; }

 private:
  std::int64_t columns_;
  std::map<std::int64_t, std::int64_t> now_;
  std::map<std::int64_t, std::set<std::int64_t>> had_;
  std::int64_t changes_ = 0, returns_ = 0;
};

struct Way {
  int ranks;
  const char *decomposition, *exchange;
  int rebalance_every;
};

/// Everybody has one owner, the one of its cell, and is where it is on one process, at each step.
void expect_one_owner_each(const world::World& world, int steps, bool returns) {
  const auto whole = history(world, steps);
  for (const Way& way : {Way{2, "strips-x", "blocking", 0}, Way{3, "bisection", "nonblocking", 2},
                         Way{4, "blocks", "nonblocking", 0}, Way{5, "strips-x", "nonblocking", 3}})
    on_ranks(way.ranks, [&](comm::Communicator& c) {
      auto execution = execution_with(way.decomposition, way.exchange);
      execution.rebalance_every = way.rebalance_every;
      Flow2 flow(world, execution, c);
      const auto step = start<sph::DeltaStep<float, 2>>(flow);
      Owners owners(flow.state.openings.empty() ? 0 : flow.state.openings.all()[0].sites.columns);
      owners.see(see(flow));
      CHECK(flow.domain.migrants == 0);
      for (int k = 1; k <= steps; ++k) {
        step->advance(false);
        const auto all = see(flow);
        CHECK(are_unique(all));
        CHECK(std::all_of(all.begin(), all.end(), [](const Seen& each) { return each.in_own_cell; }));
        const bool as_expected = all == whole[static_cast<std::size_t>(k)];
        CHECK(as_expected);
        if (!as_expected) return;  // on all ranks
        owners.see(all);
        std::int64_t migrants[] = {flow.domain.migrants};
        comm::sum(c, migrants, "test");
        CHECK(migrants[0] == owners.changes());
      }
      CHECK(flow.domain.rebuilds > 3 && owners.changes() > 0);
      CHECK(!returns || owners.returns() > 0);
    });
}

}  // namespace

TEST(each_particle_enters_once_where_ranks_meet_along_the_inflow) {
  for (const int ranks : {2, 5}) expect_each_to_enter_once({1, 0.5, 0}, "strips", ranks, false);
}
TEST(each_particle_enters_once_where_ranks_meet_across_the_inflow) {
  for (const int ranks : {2, 3, 5}) expect_each_to_enter_once({0.3, 1.2, 0}, "strips", ranks, true);
  expect_each_to_enter_once({0.6, 0.7, 0}, "blocks", 4, true);
  expect_each_to_enter_once({0.6, 0.7, 0}, "bisection", 5, true);
}
TEST(no_particle_is_moved_twice_in_eddies) { expect_one_owner_each(to_and_fro(), 36, true); }
TEST(ranks_need_not_wait_for_ghosts_to_know_that_lists_hold) {
  auto world = fixture::eddies(2);
  world.fluid.sound_speed *= 10;  // steps so short that lists last for some
  world.method.skin = 0.5;
  on_ranks(3, [&](comm::Communicator& c) {
    Flow2 flow(world, execution_with("strips"), c);
    const auto step = start<sph::DeltaStep<float, 2>>(flow);
    for (int k = 0; k < 60; ++k) step->advance(false);
    CHECK(flow.domain.rebuilds > 3);
    CHECK(step->predicted_steps() > 30);
  });
}
TEST(rows_sent_ahead_are_recalled_where_the_next_step_does_not_begin_with_them) {
  const auto world = fixture::dam();
  const auto advance = [](Flow2& flow) {
    const auto step = start<sph::DeltaStep<float, 2>>(flow);
    const auto go_on = [&] {
      for (int k = 0; k < 8; ++k) step->advance(false);
    };
    go_on();
    world::Change thicker;
    thicker.value.x = 0.5;
    flow.change(thicker);
    step->world_changed();
    const double before = flow.state.time_step;
    go_on();
    CHECK(flow.state.time_step < before);
    step->start();
    go_on();
    return see(flow);
  };
  const auto alone = comm::single_process();
  Flow2 whole(world, execution_with("strips"), *alone);
  const auto expected = advance(whole);
  for (const char* exchange : {"nonblocking", "blocking", "shared", "onesided-fence", "threaded"})
    on_ranks(3, [&](comm::Communicator& c) {
      Flow2 flow(world, execution_with("strips", exchange), c);
      CHECK(advance(flow) == expected);
    });
}
TEST(no_particle_is_moved_twice_in_a_stream) { expect_one_owner_each(uneven_stream({1, 0.6, 0}), 24, false); }
