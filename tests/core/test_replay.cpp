// Recording of exchanges: it is complete and changes nothing; replays deliver what was sent, with every strategy.
#include "exchange/replay.hpp"

#include <string>
#include <vector>

#include "base/random.hpp"
#include "comm/traffic_log.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using exchange::Script;
using fixture::on_ranks;

namespace {

/// Rows sent from one rank to another after a rebuild: often none, never many.
std::size_t rows(std::int64_t rebuild, int from, int to) {
  const double share =
      uniform_random(5, static_cast<std::uint64_t>(rebuild), static_cast<std::uint64_t>(from * 8 + to));
  return share < 0.3 ? 0 : static_cast<std::size_t>(40 * share);
}

/// Two halos in turn, whose neighbours change now and then.
Script script_of(int rank, int size) {
  Script script;
  for (std::int64_t n = 0; n < 40; ++n) {
    const std::int64_t rebuild = n / 10 * 2 + n % 2;
    script.exchanges.push_back({n % 2, rebuild, 2 * rebuild + (n % 3 == 0 ? 0 : 1)});
  }
  for (std::int64_t group = 0; group < 16; ++group) {
    const std::size_t row_bytes = group % 2 == 0 ? 3 : 24;
    auto& neighbors = script.groups.emplace_back();
    for (int other = 0; other < size; ++other) {
      const exchange::Neighbor neighbor{other, row_bytes * rows(group / 2, rank, other),
                                        row_bytes * rows(group / 2, other, rank)};
      if (other != rank && neighbor.sent + neighbor.received > 0) neighbors.push_back(neighbor);
    }
  }
  return script;
}

/// A rank whose graphs corrupt one byte.
class Garbling final : public fixture::ThreadRank {
 public:
  using ThreadRank::ThreadRank;
  std::unique_ptr<comm::Graph> graph(std::span<const int> neighbors) override {
    return std::make_unique<BadGraph>(ThreadRank::graph(neighbors));
  }

 private:
  class BadGraph final : public comm::Graph {
   public:
    explicit BadGraph(std::unique_ptr<comm::Graph> good) : good_(std::move(good)) {}
    void exchange(const std::byte* out, const comm::Blocks& sent, std::byte* in,
                  const comm::Blocks& received) override {
      bad_.assign(out, out + sent.offsets.back() + sent.sizes.back());
      bad_[static_cast<std::size_t>(sent.offsets.front())] ^= std::byte{4};
      good_->exchange(bad_.data(), sent, in, received);
    }
    bool test() override { return good_->test(); }
    void close() override { good_->close(); }

   private:
    std::unique_ptr<comm::Graph> good_;
    std::vector<std::byte> bad_;
  };
};

}  // namespace

TEST(replays_deliver_what_was_sent_with_every_strategy) {
  CHECK(exchange::replay_names().size() == exchange::strategy_names().size() + 2);
  for (const std::string& name : exchange::replay_names())
    on_ranks(4, [&](comm::Communicator& c) {
      const Script script = script_of(c.rank(), c.size());
      const exchange::Replayed done = exchange::replay(c, name, script, 1e9);
      CHECK(done.wrong == 0);
      CHECK(done.prepared.size() == 8);
      CHECK(done.exchanges.size() == script.exchanges.size());
      for (const auto& each : done.exchanges) CHECK(each.begin < each.end && each.waiting <= each.end - each.begin);
    });
}

TEST(corrupted_bytes_are_counted) {
  fixture::Exchange ranks(2);
  std::vector<std::int64_t> wrong(2);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank)
    threads.emplace_back([&, rank] {
      Garbling c(ranks, rank);
      Script script;
      script.exchanges.assign(5, {0, 0, 0});
      script.groups = {{{1 - rank, 72, 72}}};
      wrong[static_cast<std::size_t>(rank)] = exchange::replay(c, "neighborhood", script, 1e9).wrong;
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong[0] == 5 && wrong[1] == 5);
}

TEST(a_replay_ends_at_its_time_limit_on_all_ranks_together) {
  std::vector<std::size_t> made(3);
  on_ranks(3, [&](comm::Communicator& c) {
    Script script = script_of(c.rank(), c.size());
    script.compute = 0.02;
    made[static_cast<std::size_t>(c.rank())] = exchange::replay(c, "nonblocking", script, 0.1).exchanges.size();
  });
  CHECK(made[0] > 0 && made[0] < 40 && made[1] == made[0] && made[2] == made[0]);
}

TEST(an_invalid_script_is_refused) {
  on_ranks(2, [](comm::Communicator& c) {
    const auto play = [&](std::int64_t halo, std::int64_t group) {
      Script script;
      script.exchanges.push_back({0, 0, 0});
      script.exchanges.push_back({halo, 0, group});
      script.groups = {{{1 - c.rank(), 8, 8}}, {}};
      exchange::replay(c, "nonblocking", script, 1);
    };
    CHECK_THROWS(play(7, 0), "halo 7; must be 0 to 1 with 2 exchanges");
    CHECK_THROWS(play(0, 2), "refers to a missing group");
    CHECK_THROWS(play(0, 1), "exchanges of one rebuild have different neighbours");
  });
}

TEST(recording_is_complete_and_changes_no_bit) {
  constexpr std::int64_t k_steps = 200 / fixture::k_slow;
  on_ranks(3, [](comm::Communicator& c) {
    const auto result = [&](bool noted) {
      const auto simulation = std::make_unique<driver::Simulation>(fixture::stream(), fixture::execution(), 0.01, c);
      simulation->advance(1e9, 10, 1e9);
      const std::int64_t before = simulation->statistics().count("message_bytes");
      CHECK(simulation->traffic().exchanges.empty());
      if (noted) simulation->keep_traffic();
      simulation->advance(1e9, k_steps, 1e9);
      const comm::TrafficLog log = simulation->traffic();
      const std::int64_t bytes = simulation->statistics().count("message_bytes") - before;
      CHECK(log.exchanges.empty() != noted);
      if (noted && c.is_root()) {
        std::int64_t logged = 0, migrants = 0;
        for (const auto& each : log.exchanges)
          for (const auto& message : log.messages) {
            if (message.group != each.group) continue;
            CHECK(message.from != message.to && message.from < 3 && message.to < 3 && message.bytes > 0);
            const std::string& halo = log.halos[static_cast<std::size_t>(each.halo)];
            if (halo == "fluid" || halo == "walls") logged += message.bytes;
            if (halo == "migrants") migrants += message.bytes;
          }
        CHECK(logged == bytes);
        CHECK(fixture::k_slow > 1 || migrants > 0);
        CHECK(log.exchanges.front().step == 10 && log.exchanges.back().step == k_steps - 1);
      }
      return simulation->checksum();
    };
    CHECK(result(false) == result(true));
  });
}
