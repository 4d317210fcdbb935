// Message passing between ranks that are threads: collective operations, delivery of parcels, and timeouts.
#include <atomic>
#include <chrono>
#include <thread>

#include "comm/collectives.hpp"
#include "comm/single_process.hpp"
#include "comm/watchdog.hpp"
#include "deliveries.hpp"
#include "harness.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

TEST(collectives_give_the_same_result_on_all_ranks) {
  on_ranks(5, [](comm::Communicator& c) {
    double largest[] = {1.0 * c.rank(), -1.0 * c.rank()};
    comm::maximum(c, largest, "test");
    CHECK(largest[0] == 4 && largest[1] == 0);
    std::int64_t least[] = {10 - c.rank()};
    comm::minimum(c, least, "test");
    CHECK(least[0] == 6);
    std::int64_t sums[] = {c.rank(), 1};
    comm::sum(c, sums, "test");
    CHECK(sums[0] == 10 && sums[1] == 5);
    CHECK(comm::broadcast(c, 100 + c.rank(), 3, "test") == 103);
    const std::byte own[] = {std::byte(c.rank()), std::byte(7)};
    const auto all = comm::gather(c, {own, static_cast<std::size_t>(c.rank() % 3)}, "test");
    CHECK(all.size() == (c.is_root() ? 5u : 0u));
    for (std::size_t r = 0; r < all.size(); ++r) CHECK(all[r].size() == r % 3);
  });
}

TEST(sums_of_doubles_over_ranks_are_exact) {
  const double terms[] = {1e300, 1.0, -1e300, 1e-300, 3.5};
  ReproducibleSum whole;
  for (const double term : terms) whole.add(term);
  for (const int ranks : {1, 2, 5})
    on_ranks(ranks, [&](comm::Communicator& c) {
      ReproducibleSum sums[2];
      for (int k = c.rank(); k < 5; k += c.size()) sums[0].add(terms[k]), sums[1].add(-terms[k]);
      comm::sum(c, sums, "test");
      CHECK(sums[0].value() == whole.value() && sums[1].value() == -whole.value());
    });
}

TEST(parcels_reach_exactly_the_ranks_they_are_addressed_to) {
  for (const int neighbors : {0, 1, 5})
    on_ranks(6, [=](comm::Communicator& c) { expect_deliveries(c, 20, neighbors); });
}

TEST(a_rank_that_never_arrives_is_reported) {
  CHECK_THROWS(on_ranks(2,
                        [](comm::Communicator& c) {
                          c.patience = 0.2;
                          double value[] = {1};
                          if (c.rank() == 1) comm::maximum(c, value, "time step");
                        }),
               "rank 1 has waited for other ranks");
}

TEST(a_call_that_does_not_return_is_reported) {
  std::atomic<double> patience = 0;
  std::atomic<int> reports = 0;
  std::atomic<double> last = 0;
  const comm::Watchdog watchdog(patience, [&](double seconds) { ++reports, last = seconds; });
  const auto stay = [&](int calls) {
    for (int k = 0; k < calls; ++k) {
      const comm::WatchedCall call;
      std::this_thread::sleep_for(std::chrono::milliseconds(600 / calls));
    }
  };
  stay(1);
  CHECK(reports == 0);  // no limit
  patience = 0.3;
  stay(60);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  CHECK(reports == 0);  // many calls, all of which return
  std::thread([&] {
    const comm::WatchedCall call;
    while (reports == 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }).join();
  CHECK(last > 0.3 && last < 30);
}

TEST(collectives_of_a_single_process_change_nothing) {
  const auto c = comm::single_process();
  double value[] = {3};
  comm::maximum(*c, value, "test");
  CHECK(value[0] == 3 && c->is_alone() && c->is_root());
  CHECK(comm::deliver(*c, {}, "test").empty());
  CHECK(comm::gather(*c, std::as_bytes(std::span(value)), "test").size() == 1);
}
