#pragma once
// Calls that should return at once, and what happens if one does not: a rank that stops in the middle of a queue that
// processes share keeps the library behind the others turning in a loop of its own, where no patience is counted.
// In a header, as each library behind a Communicator has its own.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace eddyline::comm {

/// A scope that should be left at once, or as soon as all ranks have come to it; one at a time in each thread.
class WatchedCall {
 public:
  WatchedCall() { count(); }
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  ~WatchedCall() { count(); }

 private:
  friend class Watchdog;
  using Count = std::atomic<unsigned>;  // of scopes entered and left by a thread: odd within one

  struct All {
    std::mutex mutex;
    std::list<Count> counts;

    Count& add() {
      const std::scoped_lock lock(mutex);
      return counts.emplace_back(0);
    }
  };
  static All& all() {
    static All& all = *new All;  // for good: threads may outlive what is static
    return all;
  }
  static void count() {
    thread_local Count& own = all().add();
    own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// A thread that looks after all prompt calls of this process.
class Watchdog {
 public:
  /// `bark` is called in the watchdog's thread with the seconds that a call has taken, once that is more than
  /// `patience` [s]; 0: never.
  Watchdog(const std::atomic<double>& patience, std::function<void(double seconds)> bark)
      : patience_(patience), bark_(std::move(bark)) {
    sigset_t all, before;  // signals are for the threads of those who handle them
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    ended_.notify_one();
    thread_.join();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds k_period{0.05};

  struct Seen {
    unsigned count = 0;
    Seconds since{0};
  };

  void watch() {
    std::unique_lock lock(mutex_);
    for (auto last = Clock::now(); !ended_.wait_for(lock, k_period, [&] { return over_; });) {
      const auto now = Clock::now();
      look(std::min<Seconds>(now - last, 2 * k_period));  // while this process was stopped, nobody waited
      last = now;
    }
  }

  void look(Seconds passed) {
    const double patience = patience_;
    auto& [mutex, counts] = WatchedCall::all();
    const std::scoped_lock lock(mutex);
    seen_.resize(counts.size());
    auto seen = seen_.begin();
    for (const auto& each : counts) {
      const unsigned count = each.load(std::memory_order_relaxed);
      *seen = {count, count == seen->count ? seen->since + passed : Seconds(0)};
      if (count % 2 == 1 && patience > 0 && seen->since.count() > patience) bark_(seen->since.count());
      ++seen;
    }
  }

  const std::atomic<double>& patience_;
  std::function<void(double)> bark_;
  std::vector<Seen> seen_;  // of each thread
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace eddyline::comm
