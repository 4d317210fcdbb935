// The law between ranks: the bits of a particle do not depend on the rank that computes it or on the number of ranks.
// Ranks are threads here, so that sanitizers see everything; tests/python runs the same between processes.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "comm/single_process.hpp"
#include "driver/leader.hpp"
#include "driver/simulation.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

/// Runs a world on one process and on ranks in several ways.
void expect_the_same_bits(const world::World& world, std::int64_t all_steps) {
  const std::int64_t steps = all_steps / k_slow;
  const Result whole = run(world, execution(), *comm::single_process(), steps);
  CHECK(k_slow > 1 || whole.rebuilds > 3);
  struct Way {
    int ranks, boxes;
    const char *decomposition, *exchange;
    int rebalance_every, lazy = 1;
  };
  for (const Way& way : {Way{2, 1, "bisection", "nonblocking", 3}, Way{3, 1, "strips", "blocking", 2},
                         Way{4, 2, "blocks", "threaded", 0}, Way{5, 1, "bisection", "shared", 4},
                         Way{3, 2, "bisection", "nonblocking", 3, 2}, Way{4, 1, "strips", "shared", 0, 3}})
    on_ranks(way.ranks, [&](comm::Communicator& communicator) {
      solver::Execution e = execution();
      e.boxes = way.boxes;
      e.decomposition = way.decomposition;
      e.exchange = way.exchange;
      e.lazy.every = way.lazy;
      e.rebalance_every = way.rebalance_every;  // by measured cost, and so differently each time
      const Result parts = run(world, e, communicator, steps);
      CHECK(parts.particles == whole.particles);
      CHECK(parts.series == whole.series);
      CHECK(same(parts.picture, whole.picture));
      CHECK(parts.fluid == whole.fluid);
      CHECK(parts.rebuilds == whole.rebuilds);
      CHECK(k_slow > 1 || parts.migrants > 0);
    });
}

}  // namespace

TEST(a_dam_break_does_not_depend_on_ranks) { expect_the_same_bits(dam(), 100); }
TEST(a_flow_past_a_moving_body_does_not_depend_on_ranks) { expect_the_same_bits(stream(), 120); }
TEST(eddies_do_not_depend_on_ranks) { expect_the_same_bits(eddies(2), 80); }
TEST(eddies_in_three_dimensions_do_not_depend_on_ranks) { expect_the_same_bits(eddies(3), 40); }
TEST(a_bursting_gas_does_not_depend_on_ranks) { expect_the_same_bits(burst(), 40); }
TEST(double_precision_does_not_depend_on_ranks) {
  auto world = stream();
  world.method.double_precision = true;
  expect_the_same_bits(world, 60);
}

namespace {

/// Particles of both kinds as snapshots read them, in batches that match no rank's share.
std::vector<solver::PointRecord> all_records(const driver::Leader& simulation) {
  constexpr std::int64_t k_batch = 97;
  const solver::FieldSets& sets = simulation.own().solver().fields();
  std::vector<solver::PointRecord> all;
  for (const solver::PointKind kind : {solver::PointKind::fluid, solver::PointKind::walls}) {
    std::int64_t after = std::numeric_limits<std::int64_t>::min();
    std::int64_t left = kind == solver::PointKind::fluid ? sets.count(0) : sets.count(1);
    while (left > 0) {
      const auto batch = simulation.records(kind, after, k_batch);
      CHECK(static_cast<std::int64_t>(batch.size()) == std::min(left, k_batch));
      after = batch.back().id;
      left -= k_batch;
      all.insert(all.end(), batch.begin(), batch.end());
    }
  }
  return all;
}

}  // namespace

TEST(snapshots_do_not_depend_on_ranks) {
  const auto after = [](std::unique_ptr<driver::Simulation> own) {
    driver::Leader simulation(std::move(own));
    simulation.advance(1e9, 40, 1e9);
    return all_records(simulation);
  };
  const auto alone = after(std::make_unique<driver::Simulation>(stream(), execution(), 0.01, *comm::single_process()));
  for (const int ranks : {2, 5})
    on_ranks(ranks, [&](comm::Communicator& communicator) {
      auto own = std::make_unique<driver::Simulation>(stream(), execution(), 0.01, communicator);
      if (!communicator.is_root()) return driver::follow(*own);
      const auto together = after(std::move(own));
      CHECK(together.size() == alone.size());
      CHECK(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(solver::PointRecord)) == 0);
    });
}

TEST(a_bad_particle_is_named_by_all_ranks) {
  auto world = stream();
  world.openings[0].velocity[0] = formula("1 + 0*sqrt(0.01 - t)");
  std::string alone;
  try {
    (void)run(world, execution(), *comm::single_process(), 1000);
  } catch (const solver::StepError& error) {
    alone = error.what();
  }
  CHECK(alone.find("is not finite") != std::string::npos);
  on_ranks(3, [&](comm::Communicator& communicator) {
    try {
      (void)run(world, execution(), communicator, 1000);
      CHECK(false);
    } catch (const solver::StepError& error) {
      if (communicator.is_root()) CHECK(alone == error.what());
    }
  });
}

TEST(more_boxes_than_cells_are_refused_on_all_ranks) {
  CHECK_THROWS(on_ranks(2,
                        [](comm::Communicator& communicator) {
                          solver::Execution e = execution();
                          e.boxes = 5000;
                          (void)run(eddies(2), e, communicator, 1);
                        }),
               "cannot be cut into so many");
}

namespace {

/// Runs `before` steps on some ranks, saves, and continues on other ranks up to `steps`.
Result run_in_two(const world::World& world, int ranks_before, int ranks_after, std::int64_t before,
                  std::int64_t steps) {
  std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(ranks_before));
  std::vector<std::vector<double>> series;
  on_ranks(ranks_before, [&](comm::Communicator& communicator) {
    const auto simulation = std::make_unique<driver::Simulation>(world, execution(), 0.01, communicator);
    simulation->advance(1e9, before, 1e9);
    parts[static_cast<std::size_t>(communicator.rank())] = simulation->part();
    if (communicator.is_root())
      for (auto& each : simulation->take_series()) series.push_back(each.values);
  });
  Result result;
  on_ranks(ranks_after, [&](comm::Communicator& communicator) {
    solver::Execution e = execution();
    e.rebalance_every = 3;
    const auto simulation = std::make_unique<driver::Simulation>(world, e, 0.01, communicator);
    std::size_t next = 0;
    simulation->restore([&] { return next < parts.size() ? parts[next++] : std::vector<std::byte>{}; });
    simulation->advance(1e9, steps, 1e9);
    const auto checksum = simulation->checksum();
    const auto statistics = simulation->statistics();
    if (!communicator.is_root()) return;
    result.particles = checksum;
    result.rebuilds = statistics.count("rebuilds");
    const auto after = simulation->take_series();
    for (std::size_t s = 0; s < after.size(); ++s) {
      result.series.push_back(series[s]);
      result.series.back().insert(result.series.back().end(), after[s].values.begin(), after[s].values.end());
    }
  });
  return result;
}

void expect_the_same_after_a_stop(const world::World& world, std::int64_t all_steps) {
  const std::int64_t steps = all_steps / k_slow;
  const Result whole = run(world, execution(), *comm::single_process(), steps);
  for (const auto& [before, after, stop] :
       {std::array<std::int64_t, 3>{1, 1, steps / 3}, {1, 3, steps / 2}, {3, 2, steps / 2 + 1}, {2, 4, 1}}) {
    const Result two = run_in_two(world, static_cast<int>(before), static_cast<int>(after), stop, steps);
    CHECK(two.particles == whole.particles);
    CHECK(two.series == whole.series);
    CHECK(two.rebuilds == whole.rebuilds);
  }
}

}  // namespace

TEST(a_dam_break_continues_after_a_stop) { expect_the_same_after_a_stop(dam(), 120); }
TEST(a_flow_past_a_moving_body_continues_after_a_stop) { expect_the_same_after_a_stop(stream(), 120); }
TEST(eddies_in_three_dimensions_continue_after_a_stop) { expect_the_same_after_a_stop(eddies(3), 40); }
TEST(a_bursting_gas_continues_after_a_stop) { expect_the_same_after_a_stop(burst(), 40); }

TEST(a_checkpoint_of_another_world_is_refused) {
  const auto alone = comm::single_process();
  const std::vector<std::byte> part = driver::Simulation(eddies(2), execution(), 0.01, *alone).part();
  bool given = false;
  const auto other = std::make_unique<driver::Simulation>(eddies(3), execution(), 0.01, *alone);
  CHECK_THROWS(other->restore([&] { return std::exchange(given, true) ? std::vector<std::byte>{} : part; }),
               "it belongs to another world");
}

TEST(a_checkpoint_with_fields_of_different_lengths_is_refused) {
  const auto alone = comm::single_process();
  std::vector<std::byte> part = driver::Simulation(eddies(2), execution(), 0.01, *alone).part();
  // The last value of a field is missing, and the count before the values is reduced to match.
  const auto shortened = [&](const std::string& name, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(name));
    const auto found = std::search(part.begin(), part.end(), bytes.begin(), bytes.end());
    CHECK(found != part.end());
    auto at = found + static_cast<std::ptrdiff_t>(name.size() + 8);
    std::uint64_t count = 0;
    std::memcpy(&count, &*at, 8);
    std::vector<std::byte> cut(part.begin(), at + 8 + static_cast<std::ptrdiff_t>((count - 1) * size));
    --count;
    std::memcpy(&cut[static_cast<std::size_t>(at - part.begin())], &count, 8);
    cut.insert(cut.end(), at + 8 + static_cast<std::ptrdiff_t>((count + 1) * size), part.end());
    return cut;
  };
  for (const char* name : {"fluid.xy", "fluid.s", "fluid.mass", "fluid.placex", "fluid.vy"}) {
    const auto damaged = shortened(name, 8);
    on_ranks(2, [&](comm::Communicator& communicator) {  // only the second rank finds it
      const auto other = std::make_unique<driver::Simulation>(eddies(2), execution(), 0.01, communicator);
      std::size_t next = 0;
      const std::array<std::vector<std::byte>, 3> parts{part, damaged, {}};
      CHECK_THROWS(other->restore([&] { return parts.at(next++); }), communicator.is_root() ? "values instead of" : "");
    });
  }
}
