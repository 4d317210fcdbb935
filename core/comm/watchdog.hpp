#pragma once
// Watches calls that should return quickly. A rank that stops in the middle of a queue shared by processes makes the
// MPI library of the other ranks spin in a loop of its own, where no timeout of Eddyline applies. Header-only, because
// each library that implements a Communicator needs its own copy.

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

/// A scope that a thread should leave at once, or as soon as all ranks have entered it. One scope at a time per thread.
class WatchedCall {
 public:
  WatchedCall() { count(); }
  WatchedCall(const WatchedCall&) = delete;
  WatchedCall& operator=(const WatchedCall&) = delete;
  ~WatchedCall() { count(); }

 private:
  friend class Watchdog;
  using Count = std::atomic<unsigned>;  // number of times a thread has entered or left a scope; odd inside one

  struct All {
    std::mutex mutex;
    std::list<Count> counts;

    Count& add() {
      const std::scoped_lock lock(mutex);
      return counts.emplace_back(0);
    }
  };
  static All& all() {
    static All& all = *new All;  // never destroyed: threads may outlive static objects
    return all;
  }
  static void count() {
    thread_local Count& own = all().add();
    own.store(own.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// A thread that watches all WatchedCall scopes of this process.
class Watchdog {
 public:
  /// `on_timeout` is called in the watchdog's thread, with the duration of the call [s], once a call takes longer than
  /// `patience` [s]; patience 0: never.
  Watchdog(const std::atomic<double>& patience, std::function<void(double seconds)> on_timeout)
      : patience_(patience), on_timeout_(std::move(on_timeout)) {
    sigset_t all, before;  // blocked here: signals must reach the threads that handle them
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
      ending_ = true;
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
    for (auto last = Clock::now(); !ended_.wait_for(lock, k_period, [&] { return ending_; });) {
      const auto now = Clock::now();
      check(std::min<Seconds>(now - last, 2 * k_period));  // time in which this process was stopped does not count
      last = now;
    }
  }

  void check(Seconds passed) {
    const double patience = patience_;
    auto& [mutex, counts] = WatchedCall::all();
    const std::scoped_lock lock(mutex);
    seen_.resize(counts.size());
    auto seen = seen_.begin();
    for (const auto& each : counts) {
      const unsigned count = each.load(std::memory_order_relaxed);
      *seen = {count, count == seen->count ? seen->since + passed : Seconds(0)};
      if (count % 2 == 1 && patience > 0 && seen->since.count() > patience) on_timeout_(seen->since.count());
      ++seen;
    }
  }

  const std::atomic<double>& patience_;
  std::function<void(double)> on_timeout_;
  std::vector<Seen> seen_;  // one per thread
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace eddyline::comm
