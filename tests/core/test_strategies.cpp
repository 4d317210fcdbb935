// Every exchange strategy against a plain model: senders, receivers and sizes are random, and each received byte must
// be the one that the model predicts.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "checked_exchange.hpp"
#include "comm/single_process.hpp"
#include "delayed_ranks.hpp"
#include "exchange/halo.hpp"
#include "exchange/strategy.hpp"
#include "harness.hpp"
#include "two_halos.hpp"

using namespace eddyline;
using exchange::Neighbor;
using exchange::Strategy;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int k_slower = 10;
#else
constexpr int k_slower = 1;
#endif

/// The model, which all ranks know: neighbours, message sizes, and every byte.
class Model {
 public:
  explicit Model(std::uint64_t seed) : seed_(seed) {}

  /// Neighbours of a rank after rebuild `rebuild`, and the largest message to each.
  std::vector<Neighbor> neighbors(int rank, int size, int rebuild) const {
    std::vector<Neighbor> found;
    const int pattern = rebuild / 3;  // unchanged for some rebuilds
    for (int other = 0; other < size; ++other) {
      const int low = std::min(rank, other), high = std::max(rank, other);
      if (other == rank || draw(pattern, low, high, 0) < 0.3) continue;
      found.push_back({other, most(rank, other, rebuild), most(other, rank, rebuild)});
    }
    return found;
  }
  /// Size of the message in exchange number n.
  std::size_t bytes(std::size_t most, int from, int to, int n) const {
    const double share = draw(n, from, to, 1);
    return share < 0.2 ? 0 : share > 0.8 ? most : static_cast<std::size_t>(share * static_cast<double>(most));
  }
  std::byte byte(int from, int to, int n, std::size_t k) const {
    return static_cast<std::byte>(31 * static_cast<std::size_t>(from) + 7 * static_cast<std::size_t>(to) +
                                  13 * static_cast<std::size_t>(n) + k + seed_);
  }

 private:
  std::size_t most(int from, int to, int rebuild) const {
    const double share = draw(rebuild, from, to, 2);
    return share < 0.1 ? 0 : static_cast<std::size_t>(3000 * share * share);
  }
  double draw(int n, int a, int b, int what) const {
    return uniform_random(seed_, static_cast<std::uint64_t>(n) * 1024 + static_cast<std::uint64_t>(a * 32 + b),
                          static_cast<std::uint64_t>(what));
  }

  std::uint64_t seed_;
};

/// One halo of a rank.
class TestedHalo {
 public:
  TestedHalo(const std::string& name, comm::Communicator& c, comm::Tag tag, std::uint64_t seed)
      : TestedHalo(exchange::make_strategy(name, c, tag), c, seed) {}
  TestedHalo(std::unique_ptr<Strategy> strategy, comm::Communicator& c, std::uint64_t seed)
      : c_(c), strategy_(std::move(strategy)), model_(seed) {}

  void rebuild() {
    most_ = model_.neighbors(c_.rank(), c_.size(), rebuilds_++);
    strategy_->prepare(most_);
  }
  void start() {
    ++n_;
    auto exactly = most_;
    for (Neighbor& each : exactly) {
      each.sent = model_.bytes(each.sent, c_.rank(), each.rank, n_);
      each.received = model_.bytes(each.received, each.rank, c_.rank(), n_);
    }
    strategy_->begin(exactly);
    for (std::size_t k = 0; k < exactly.size(); ++k) {
      const auto out = strategy_->outgoing(k);
      CHECK(out.size() == exactly[k].sent);
      for (std::size_t b = 0; b < out.size(); ++b) out[b] = model_.byte(c_.rank(), exactly[k].rank, n_, b);
      strategy_->send(k);
    }
    strategy_->start();
    exactly_ = std::move(exactly);
  }
  void look() { strategy_->arrived(); }
  /// Finishes the exchange; returns the number of bytes that differ from the model.
  std::size_t finish() {
    strategy_->finish();
    strategy_->finish();  // as Halo does
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < exactly_.size(); ++k) {
      const auto in = strategy_->incoming(k);
      CHECK(in.size() == exactly_[k].received);
      for (std::size_t b = 0; b < in.size(); ++b)
        wrong += in[b] == model_.byte(exactly_[k].rank, c_.rank(), n_, b) ? 0u : 1u;
    }
    return wrong;
  }

 private:
  comm::Communicator& c_;
  std::unique_ptr<Strategy> strategy_;
  Model model_;
  std::vector<Neighbor> most_, exactly_;
  int rebuilds_ = 0, n_ = 0;
};

/// Runs `exchanges` exchanges of two halos; one is in progress while the other begins and ends, as in a step.
void exchange_at_random(TestedHalo fluid, TestedHalo walls, int exchanges) {
  std::size_t wrong = 0;
  for (int n = 0; n < exchanges / 2; ++n) {
    if (n % 7 == 0) fluid.rebuild();
    if (n % 21 == 0) walls.rebuild();
    fluid.start();
    walls.start();
    for (int look = 0; look < n % 4; ++look) fluid.look();
    wrong += walls.finish();
    wrong += fluid.finish();
  }
  CHECK(wrong == 0);
}
void exchange_at_random(const std::string& name, comm::Communicator& c, int exchanges) {
  exchange_at_random({name, c, fixture::two_halos().fluid.messages(), 1},
                     {name, c, fixture::two_halos().walls.messages(), 2}, exchanges);
}

}  // namespace

TEST(two_halos_cannot_have_the_same_tags) {
  comm::Tags tags;
  std::vector<comm::HaloTags> halos;
  std::set<comm::Tag> values{comm::Tag::counts_even, comm::Tag::counts_odd, comm::Tag::parcels, comm::Tag::state,
                             comm::Tag::engine};
  for (const char* name : {"fluid", "walls", "cells", "rim 1", "rim 2"}) {
    halos.push_back(tags.take(name));
    CHECK(halos.back().name() == name);
    CHECK(values.insert(halos.back().messages()).second && values.insert(halos.back().between_sites()).second);
  }
  CHECK_THROWS(tags.take("cells"), "two halos have the name \"cells\"");
  CHECK_THROWS(tags.take("rim 2"), "two halos have the name \"rim 2\"");
  const comm::Tag before = halos[2].messages();
  halos.pop_back();
  CHECK(!values.insert(tags.take("rim 2").messages()).second);  // free again, with the number that it had
  CHECK_THROWS(tags.take("cells"), "cells");
  CHECK(halos[2].messages() == before);
  const auto c = comm::single_process();
  const exchange::Halo one(*c, "nonblocking", {}, tags.take("one"));
  CHECK_THROWS(exchange::Halo(*c, "nonblocking", {}, tags.take("one")), "two halos have the name \"one\"");
}

TEST(ten_thousand_random_exchanges_agree_with_the_model) {
  const auto names = exchange::strategy_names();
  const int each = 10000 / static_cast<int>(names.size()) / k_slower + 6;  // 1 + the part lost by the divisions below
  for (std::size_t k = 0; k < names.size(); ++k)
    for (const int ranks : {2, 3, 5})
      fixture::on_ranks(ranks, [&](comm::Communicator& c) { exchange_at_random(names[k], c, each / 3); });
}

namespace {

/// Two sites of two ranks; sites of three and two ranks, alternating; three sites.
const std::vector<std::vector<int>> k_sites{{0, 0, 1, 1}, {0, 1, 0, 1, 0}, {7, 3, 3, 1, 7, 3}};

std::vector<std::string> strategies_inside() {
  std::vector<std::string> names;
  for (const std::string& name : exchange::strategy_names())
    if (exchange::inside_refusal(name).empty()) names.push_back(name);
  return names;
}

constexpr exchange::BetweenSites k_ways[]{{.combine = true}, {.compress = true}, {.combine = true, .compress = true}};

void exchange_by_site(const std::string& name, exchange::BetweenSites way, const std::vector<int>& sites,
                      comm::Communicator& c, int exchanges) {
  c.sites = sites;
  const auto made = [&](const comm::HaloTags& tags) { return exchange::make_strategy(name, way, c, tags); };
  const auto& [tags, fluid, walls] = fixture::two_halos();
  exchange_at_random({made(fluid), c, 1}, {made(walls), c, 2}, exchanges);
}

}  // namespace

TEST(strategies_by_site_agree_with_the_model) {
  for (const std::string& name : strategies_inside())
    for (const auto& way : k_ways)
      for (const auto& sites : k_sites)
        fixture::on_ranks(static_cast<int>(sites.size()),
                          [&](comm::Communicator& c) { exchange_by_site(name, way, sites, c, 150 / k_slower); });
}

TEST(strategies_between_sites_tolerate_late_messages) {
  for (const std::string& name : strategies_inside())
    for (const auto& way : k_ways)
      fixture::on_delayed_ranks(5, 11,
                                [&](comm::Communicator& c) { exchange_by_site(name, way, {0, 0, 1, 1, 1}, c, 14); });
}

TEST(one_combined_message_per_direction_travels_between_sites) {
  fixture::on_ranks(4, [](comm::Communicator& c) {
    c.sites = {0, 0, 1, 1};
    std::vector<Neighbor> others;  // all other ranks, 10 bytes to each
    for (int rank = 0; rank < 4; ++rank)
      if (rank != c.rank()) others.push_back({rank, 10, 10});
    const auto sent = [&](exchange::BetweenSites between) {
      const auto strategy = exchange::make_strategy("nonblocking", between, c, fixture::two_halos().fluid);
      strategy->prepare(others);
      for (int n = 0; n < 3; ++n) {
        strategy->begin(others);
        for (std::size_t k = 0; k < others.size(); ++k) strategy->send(k);
        strategy->start();
        strategy->finish();
      }
      return strategy->sent() == nullptr ? exchange::Sent{} : *strategy->sent();
    };
    CHECK(sent({}).messages == 0);  // the caller counts these
    const exchange::Sent own = sent({.combine = true});
    constexpr std::int64_t k_sizes = 8;  // bytes that give the length of a message
    const std::int64_t to_leader = 2 * (k_sizes + 10), given = 20, between = 4 * (k_sizes + 10);
    if (c.rank() % 2 ==
        0) {  // a leader sends to its neighbour at the site, to the other leader, and relays what it received
      CHECK(own.messages == 3 * 3 && own.bytes == 3 * (10 + between + given));
      CHECK(own.messages_between == 3 && own.bytes_between == 3 * between);
    } else {
      CHECK(own.messages == 3 * 2 && own.bytes == 3 * (10 + to_leader));
      CHECK(own.messages_between == 0 && own.bytes_between == 0);
    }
    CHECK(own.sizes[static_cast<std::size_t>(std::bit_width(10u))] == 3);
  });
}

TEST(strategies_that_involve_all_sites_are_not_combined) {
  fixture::on_ranks(2, [](comm::Communicator& c) {
    c.sites = {0, 1};
    for (const char* name : {"alltoall", "onesided-fence", "auto"})
      CHECK_THROWS(exchange::make_strategy(name, {.combine = true}, c, fixture::two_halos().fluid),
                   "Choose one of: nonblocking, blocking, persistent, neighborhood, onesided-pscw, onesided-lock, "
                   "shared, threaded.");
  });
  CHECK(strategies_inside().size() == exchange::strategy_names().size() - 3);
}

TEST(a_leader_that_never_arrives_is_reported) {
  const auto wait_in_vain = [](comm::Communicator& c) {
    c.sites = {0, 1};
    const auto strategy = exchange::make_strategy("nonblocking", {.combine = true}, c, fixture::two_halos().fluid);
    const Neighbor other[] = {{1 - c.rank(), 100, 100}};
    strategy->prepare(other);
    c.patience = 0.05;
    if (c.is_root()) return;
    strategy->begin(other);
    strategy->send(0);
    strategy->start();
    CHECK(!strategy->arrived());
    strategy->finish();
  };
  CHECK_THROWS(fixture::on_ranks(2, wait_in_vain), "(halo exchange, combined by site)");
}

TEST(arrived_becomes_true_in_the_end) {
  const std::string silent[] = {"onesided-fence", "onesided-pscw"};  // strategies that cannot tell
  for (const std::string& name : exchange::strategy_names()) {
    if (std::find(std::begin(silent), std::end(silent), name) != std::end(silent)) continue;
    fixture::on_ranks(2, [&](comm::Communicator& c) {
      const auto strategy = exchange::make_strategy(name, c, fixture::two_halos().fluid.messages());
      const Neighbor other[] = {{1 - c.rank(), 100, 100}};
      strategy->prepare(other);
      strategy->begin(other);
      strategy->send(0);
      strategy->start();
      c.patience = 5;
      comm::wait_until(c, "test", [&] { return strategy->arrived(); });
      strategy->finish();
      CHECK(strategy->arrived());
    });
  }
}

TEST(strategies_tolerate_late_messages) {
  for (const std::string& name : exchange::strategy_names())
    fixture::on_delayed_ranks(4, 7, [&](comm::Communicator& c) { exchange_at_random(name, c, 40); });
}

TEST(every_strategy_reports_a_rank_that_never_arrives) {
  const auto wait_in_vain = [](const std::string& name, comm::Communicator& c) {
    const auto strategy = exchange::make_strategy(name, c, fixture::two_halos().fluid.messages());
    const Neighbor other[] = {{1 - c.rank(), 100, 100}};
    strategy->prepare(other);
    if (c.is_root()) {  // it learns of the other rank's end and of nothing else
      std::byte nothing{};
      const auto never = c.requests();
      never->receive({&nothing, 1}, 1, comm::Tag::state);
      return comm::wait(c, *never, "test");
    }
    c.patience = 0.05;
    strategy->begin(other);
    strategy->send(0);
    strategy->start();
    strategy->finish();
  };
  for (const std::string& name : exchange::strategy_names())
    CHECK_THROWS(fixture::on_ranks(2, [&](comm::Communicator& c) { wait_in_vain(name, c); }),
                 "(halo exchange, " + (name == "auto" ? "nonblocking" : name));
}

TEST(the_example_of_the_documentation_works) {
  fixture::on_ranks(4, [](comm::Communicator& c) {
    const auto checked = [&](comm::Tag tag) { return std::make_unique<exchange::Checked>(c, tag); };
    exchange_at_random({checked(fixture::two_halos().fluid.messages()), c, 1},
                       {checked(fixture::two_halos().walls.messages()), c, 2}, 300 / k_slower);
  });
}

TEST(a_single_process_exchanges_nothing_with_any_strategy) {
  const auto c = comm::single_process();
  for (const std::string& name : exchange::strategy_names()) {
    const auto strategy = exchange::make_strategy(name, *c, fixture::two_halos().fluid.messages());
    strategy->prepare({});
    strategy->begin({});
    strategy->start();
    strategy->finish();
  }
}

namespace {

/// A rank whose message passing supports one thread only.
class OneThread final : public fixture::ThreadRank {
 public:
  using ThreadRank::ThreadRank;
  bool supports_threads() const override { return false; }
};

}  // namespace

TEST(threaded_is_refused_without_support_for_threads) {
  fixture::Exchange ranks(2);
  OneThread c(ranks, 0);
  CHECK_THROWS(exchange::make_strategy("threaded", c, fixture::two_halos().fluid.messages()),
               "needs MPI_THREAD_MULTIPLE");
  CHECK(exchange::make_strategy("auto", c, fixture::two_halos().fluid.messages()) != nullptr);
}

TEST(an_unknown_name_is_refused_with_a_list_of_valid_names) {
  const auto c = comm::single_process();
  CHECK_THROWS(exchange::make_strategy("pigeons", *c, fixture::two_halos().fluid.messages()),
               "onesided-lock, shared, threaded, auto.");
}

TEST(auto_chooses_one_measured_strategy_on_all_ranks) {
  std::vector<std::string> taken(4);  // delays differ, and so do clocks
  fixture::on_delayed_ranks(4, 5, [&](comm::Communicator& c) {
    c.patience = 5;
    const auto strategy = exchange::make_strategy("auto", c, fixture::two_halos().fluid.messages());
    std::vector<Neighbor> others;
    for (int rank = 0; rank < c.size(); ++rank)
      if (rank != c.rank()) others.push_back({rank, 100, 100});
    strategy->prepare(others);
    for (int n = 0; n < 220; ++n) {
      strategy->begin(others);
      for (std::size_t k = 0; k < others.size(); ++k) strategy->send(k);
      strategy->start();
      strategy->finish();
    }
    const exchange::Trials trials = strategy->trials();
    CHECK(trials.measured.size() == exchange::strategy_names().size() - 1);
    for (const auto& [name, seconds] : trials.measured) CHECK(seconds > 0);
    taken[static_cast<std::size_t>(c.rank())] = trials.taken;
    double best = 1;
    for (const auto& [name, seconds] : trials.measured) best = std::min(best, seconds);
    for (const auto& [name, seconds] : trials.measured)
      if (c.is_root() && name == trials.taken) CHECK(seconds == best);
  });
  CHECK(!taken[0].empty() && std::count(taken.begin(), taken.end(), taken[0]) == 4);
}
