// Delayed messages: in whatever order they arrive, a run ends, and with the same bits.
#include <array>
#include <cstring>
#include <vector>

#include "comm/collectives.hpp"
#include "comm/single_process.hpp"
#include "delayed_ranks.hpp"
#include "deliveries.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "two_halos.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

constexpr std::uint64_t k_seed = 2024;

/// Runs a world on delayed ranks: in one go, and in two parts with a checkpoint between them. The skin is thin, so that
/// rebuilds and redistributions happen within few steps.
void expect_the_same_bits(world::World world, std::int64_t steps) {
  world.method.skin = 0.05;
  const Result whole = run(world, execution(), *comm::single_process(), steps);
  CHECK(whole.rebuilds > 3);
  struct Way {
    int ranks;
    const char *decomposition, *exchange;
    int rebalance_every;
  };
  for (const Way& way : {Way{2, "strips", "blocking", 2}, Way{3, "bisection", "neighborhood", 1},
                         Way{4, "blocks", "onesided-lock", 0}, Way{5, "bisection", "nonblocking", 2}}) {
    solver::Execution e = execution();
    e.decomposition = way.decomposition;
    e.exchange = way.exchange;
    e.rebalance_every = way.rebalance_every;
    on_delayed_ranks(way.ranks, k_seed, [&](comm::Communicator& communicator) {
      const Result parts = run(world, e, communicator, steps);
      CHECK(parts.particles == whole.particles);
      CHECK(parts.series == whole.series);
      CHECK(same(parts.picture, whole.picture));
    });
  }
  std::vector<std::vector<std::byte>> parts(3);
  on_delayed_ranks(3, k_seed + 1, [&](comm::Communicator& communicator) {
    const auto simulation = std::make_unique<driver::Simulation>(world, execution(), 0.01, communicator);
    simulation->advance(1e9, steps / 2, 1e9);
    parts[static_cast<std::size_t>(communicator.rank())] = simulation->part();
  });
  on_delayed_ranks(4, k_seed + 2, [&](comm::Communicator& communicator) {
    const auto simulation = std::make_unique<driver::Simulation>(world, execution(), 0.01, communicator);
    std::size_t next = 0;
    simulation->restore([&] { return next < parts.size() ? parts[next++] : std::vector<std::byte>{}; });
    simulation->advance(1e9, steps, 1e9);
    CHECK(simulation->checksum() == whole.particles);
  });
}

}  // namespace

TEST(messages_overtake_each_other_only_with_different_tags) {
  const std::array tags{two_halos().fluid.messages(), two_halos().walls.messages()};
  constexpr int rounds = 60, in_a_row = 3;
  on_delayed_ranks(2, k_seed, [&](comm::Communicator& c) {
    int overtaken = 0;
    for (int round = 0; round < rounds; ++round) {
      if (c.is_root()) {
        std::array<int, 2 * in_a_row> numbers{};
        const auto requests = c.requests();
        for (int k = 0; k < 2 * in_a_row; ++k) {
          numbers[static_cast<std::size_t>(k)] = k / 2;
          const auto one = std::span(numbers).subspan(static_cast<std::size_t>(k), 1);
          requests->send(std::as_bytes(one), 1, tags[static_cast<std::size_t>(k % 2)]);
        }
        comm::wait(c, *requests, "test");
      } else {
        std::array<int, 2> came{};
        comm::wait_until(c, "test", [&] {
          for (std::size_t t = 0; t < 2; ++t) {
            const auto incoming = c.probe(tags[t]);
            if (!incoming) continue;
            int number = -1;
            const auto one = c.requests();
            one->receive(std::as_writable_bytes(std::span(&number, 1)), incoming->from, tags[t]);
            comm::wait(c, *one, "test");
            CHECK(number == came[t]);
            ++came[t];
            overtaken += came[1] > came[0] ? 1 : 0;
          }
          return came[0] == in_a_row && came[1] == in_a_row;
        });
      }
      comm::maximum(c, std::span<double>{}, "test");
    }
    CHECK(c.is_root() || overtaken > 0);
  });
}

TEST(parcels_of_two_deliveries_are_not_mixed_up) {
  for (const int neighbors : {0, 1, 4})
    on_delayed_ranks(5, k_seed, [=](comm::Communicator& c) { expect_deliveries(c, 30, neighbors); });
}

TEST(a_rank_that_never_sends_is_reported_after_the_timeout) {
  CHECK_THROWS(on_delayed_ranks(2, k_seed,
                                [](comm::Communicator& c) {
                                  c.patience = 0.2;
                                  int value = 0;
                                  if (c.is_root()) return;
                                  const auto requests = c.requests();
                                  requests->receive(std::as_writable_bytes(std::span(&value, 1)), 0,
                                                    two_halos().fluid.messages());
                                  comm::wait(c, *requests, "halo exchange");
                                }),
               "rank 1 has waited for other ranks");
}

TEST(a_dam_break_does_not_depend_on_message_delays) { expect_the_same_bits(dam(), 60 / k_slow); }
TEST(a_flow_past_a_moving_body_does_not_depend_on_message_delays) { expect_the_same_bits(stream(), 48 / k_slow); }
TEST(eddies_in_three_dimensions_do_not_depend_on_message_delays) {
  auto world = eddies(3);
  world.spacing = 0.09;
  expect_the_same_bits(world, 32 / k_slow);
}
