#pragma once
// Ranks whose messages take their time: sends leave late, what has completed is told of late, and who looks for a
// message does not see it at once. So messages of different tags and senders overtake each other wherever they may, as
// they do on a network. What must keep its order keeps it: messages from one rank to another with one tag, and
// collective operations.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "comm/communicator.hpp"
#include "thread_ranks.hpp"

namespace fixture {

/// Delays of one rank, by a counter: each is another one. Most are short; one in thirty is long enough for others to do
/// a step.
class Delays {
 public:
  using Clock = std::chrono::steady_clock;

  Delays(std::uint64_t seed, int rank) : seed_(seed), rank_(static_cast<std::uint64_t>(rank)) {}
  Clock::time_point next() {
    const double u = uniform_random(), v = uniform_random();
    const double microseconds = v < 1.0 / 30 ? 3000 * u : v < 0.5 ? 0 : 200 * u;
    return Clock::now() + std::chrono::nanoseconds(static_cast<std::int64_t>(1000 * microseconds));
  }

 private:
  double uniform_random() { return eddyline::uniform_random(seed_, rank_, ++drawn_); }

  std::uint64_t seed_, rank_, drawn_ = 0;
};

/// What a rank has begun and what has not left it yet. All of it makes progress whenever the rank tests anything.
class Departures {
 public:
  using Line = std::tuple<int, int>;  // receiver and tag: what leaves in order
  static constexpr Line k_collective{-1, -1};

  explicit Departures(Delays& delays) : delays_(delays) {}
  void add(const void* owner, Line line, std::function<void()> leave) {
    waiting_.push_back({owner, line, delays_.next(), std::move(leave)});
  }
  void progress() {
    const auto now = Delays::Clock::now();
    std::vector<Line> blocked;
    for (auto each = waiting_.begin(); each != waiting_.end();) {
      const bool free = std::find(blocked.begin(), blocked.end(), each->line) == blocked.end();
      if (free && each->when <= now) {
        each->leave();
        each = waiting_.erase(each);
      } else {
        if (free) blocked.push_back(each->line);
        ++each;
      }
    }
  }
  bool any_of(const void* owner) const {
    return std::any_of(waiting_.begin(), waiting_.end(), [&](const Departure& each) { return each.owner == owner; });
  }
  void forget(const void* owner) {
    waiting_.remove_if([&](const Departure& each) { return each.owner == owner; });
  }

 private:
  struct Departure {
    const void* owner;
    Line line;
    Delays::Clock::time_point when;
    std::function<void()> leave;
  };
  Delays& delays_;
  std::list<Departure> waiting_;
};

class DelayedRequests final : public comm::Requests {
 public:
  DelayedRequests(std::unique_ptr<comm::Requests> inner, Delays& delays, Departures& departures)
      : inner_(std::move(inner)), delays_(delays), departures_(departures) {}
  DelayedRequests(const DelayedRequests&) = delete;
  DelayedRequests& operator=(const DelayedRequests&) = delete;
  ~DelayedRequests() override { departures_.forget(this); }

  void send(std::span<const std::byte> from, int to, comm::Tag tag) override {
    later({to, static_cast<int>(tag)}, [=, this] { inner_->send(from, to, tag); });
  }
  void send_synchronously(std::span<const std::byte> from, int to, comm::Tag tag) override {
    later({to, static_cast<int>(tag)}, [=, this] { inner_->send_synchronously(from, to, tag); });
  }
  void receive(std::span<std::byte> into, int from, comm::Tag tag) override { inner_->receive(into, from, tag); }
  void maximum(std::span<double> values) override {
    later(Departures::k_collective, [=, this] { inner_->maximum(values); });
  }
  void minimum(std::span<std::int64_t> values) override {
    later(Departures::k_collective, [=, this] { inner_->minimum(values); });
  }
  void sum(std::span<std::int64_t> values) override {
    later(Departures::k_collective, [=, this] { inner_->sum(values); });
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    later(Departures::k_collective, [=, this] { inner_->broadcast(bytes, root); });
  }
  void barrier() override {
    later(Departures::k_collective, [this] { inner_->barrier(); });
  }

  bool test() override {
    departures_.progress();
    if (departures_.any_of(this)) return false;
    if (!told_) {
      if (!inner_->test()) return false;
      told_ = delays_.next();
    }
    if (Delays::Clock::now() < *told_) return false;
    told_.reset();
    return true;
  }

 private:
  void later(Departures::Line line, std::function<void()> leave) { departures_.add(this, line, std::move(leave)); }

  std::unique_ptr<comm::Requests> inner_;
  Delays& delays_;
  Departures& departures_;
  std::optional<Delays::Clock::time_point> told_;  // all has completed; said then
};

/// Another rank, slower. It gives up after a minute, so that a deadlock is a failure.
class DelayedRank final : public comm::Communicator {
 public:
  DelayedRank(comm::Communicator& inner, std::uint64_t seed)
      : inner_(inner), delays_(seed, inner.rank()), departures_(delays_) {
    patience = 60;
  }

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  std::unique_ptr<comm::Requests> requests() override {
    return std::make_unique<DelayedRequests>(inner_.requests(), delays_, departures_);
  }
  std::optional<comm::Incoming> probe(comm::Tag tag) override {
    departures_.progress();
    if (Delays::Clock::now() < blind_until_) return std::nullopt;
    blind_until_ = delays_.next();
    return inner_.probe(tag);
  }
  void disconnect() override { inner_.disconnect(); }
  [[noreturn]] void abort(int exit_code) override {
    inner_.abort(exit_code);
    std::abort();
  }
  std::string library() const override { return inner_.library(); }

 private:
  comm::Communicator& inner_;
  Delays delays_;
  Departures departures_;
  Delays::Clock::time_point blind_until_{};
};

/// on_ranks() with delays.
inline void on_delayed_ranks(int size, std::uint64_t seed, const std::function<void(comm::Communicator&)>& body) {
  on_ranks(size, [&](comm::Communicator& communicator) {
    DelayedRank delayed(communicator, seed);
    body(delayed);
  });
}

}  // namespace fixture
