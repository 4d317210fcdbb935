#pragma once

#include <algorithm>
#include <chrono>

#include "comm/collectives.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Tries all other strategies in turn, a few exchanges each, in three rounds, and keeps the one for which rank 0 waited
/// least: the smallest median of the time spent in its calls. Transfers that overlap with computation cost nothing and
/// do not count. All ranks switch at the same exchange; rank 0's clock decides, and its choice is broadcast. Results do
/// not depend on the choice, and the next run may choose differently.
class Automatic final : public Strategy {
 public:
  Automatic(comm::Communicator& communicator, comm::Tag tag) : communicator_(communicator) {
    for (const std::string& name : strategy_names()) {
      if (name == "auto" || (name == "threaded" && !communicator.supports_threads())) continue;
      trials_.measured.emplace_back(name, 0.0);
      candidates_.push_back({make_strategy(name, communicator, tag), {}});
    }
  }

  Trials trials() const override { return trials_; }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int k_settle = 20;                  // exchanges before the first trial, in which buffers grow
  static constexpr int k_ignored = 2, k_measured = 4;  // exchanges per trial
  static constexpr int k_trial = k_ignored + k_measured, k_rounds = 3;

  struct Candidate {
    std::unique_ptr<Strategy> strategy;
    std::vector<double> seconds;  // duration of each measured exchange [s]
  };

  void on_prepare(bool) override { prepare(); }
  void on_begin() override {
    if (trials_.taken.empty() && exchange_++ >= k_settle) change();
    timed([&] { current().begin(neighbors(&Channel::sent, &Channel::received)); });
    for (std::size_t k = 0; k < channels().size(); ++k) {
      channels()[k].out = current().outgoing(k).data();
      channels()[k].in = const_cast<std::byte*>(current().incoming(k).data());  // this class never writes to it
    }
  }
  void on_send(Channel& channel) override {
    timed([&] { current().send(static_cast<std::size_t>(&channel - channels().data())); });
  }
  void on_start() override {
    timed([&] { current().start(); });
  }
  bool on_test() override {
    bool done = false;
    timed([&] { done = current().arrived(); });
    return done;
  }
  void on_finish() override {
    timed([&] { current().finish(); });
    const double duration = std::exchange(seconds_, 0);
    if (trials_.taken.empty() && (exchange_ - 1 - k_settle) % k_trial >= k_ignored)
      candidates_[current_].seconds.push_back(duration);
  }

  Strategy& current() { return *candidates_[current_].strategy; }
  void prepare() { current().prepare(neighbors(&Channel::out_room, &Channel::in_room)); }

  /// Starts the next trial at the end of a trial, or decides. Collective.
  void change() {
    const int done = exchange_ - 1 - k_settle;
    if (done % k_trial != 0) return;
    const auto trial = static_cast<std::size_t>(done / k_trial);
    current_ = trial % candidates_.size();
    if (trial == k_rounds * candidates_.size()) decide();
    prepare();
  }
  void decide() {
    std::size_t best = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      auto& seconds = candidates_[k].seconds;
      const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
      std::nth_element(seconds.begin(), middle, seconds.end());
      trials_.measured[k].second = *middle;
      if (*middle < trials_.measured[best].second) best = k;
    }
    best = comm::broadcast(communicator_, best, 0, "choice of an exchange");
    trials_.taken = trials_.measured[best].first;
    std::swap(candidates_[0], candidates_[best]);
    candidates_.resize(1);
    current_ = 0;
  }
  std::span<const Neighbor> neighbors(std::size_t Channel::* sent, std::size_t Channel::* received) {
    neighbors_.clear();
    for (const Channel& channel : channels()) neighbors_.push_back({channel.rank, channel.*sent, channel.*received});
    return neighbors_;
  }
  template <class Call>
  void timed(Call&& call) {
    const auto begin = Clock::now();
    call();
    seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  comm::Communicator& communicator_;
  std::vector<Candidate> candidates_;
  std::size_t current_ = 0;
  Trials trials_;
  int exchange_ = 0;
  double seconds_ = 0;  // in the current exchange [s]
  std::vector<Neighbor> neighbors_;
};

}  // namespace eddyline::exchange
