#pragma once
// Loops whose turns are shared out among threads: which thread takes which changes nothing.

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/arrays.hpp"

namespace eddyline {

/// Threads of this process, before anybody has asked for fewer.
inline int all_threads() {
  static const int all = omp_get_max_threads();
  return all;
}

/// Whether so many turns of a loop are worth waking the other threads for, which takes about a microsecond a thread.
inline bool pays_in_parallel(std::int64_t turns, double seconds_a_turn) {
  constexpr double k_waking = 1e-6;  // s a thread
  return static_cast<double>(turns) * seconds_a_turn > k_waking * omp_get_max_threads();
}

/// Turns [0, count) of a loop. Each thread begins with a share of its own, the same in every loop of as many turns:
/// what lies together is read through one cache, and often where it was read before. Who is done helps the others.
class WorkShares {
 public:
  /// Before the threads begin.
  explicit WorkShares(std::int64_t count) : shares_(std::clamp(omp_get_max_threads(), 1, k_most)) {
    for (int s = 0; s < shares_; ++s) {
      share(s).next.store(count * s / shares_, std::memory_order_relaxed);
      share(s).last = count * (s + 1) / shares_;
    }
  }

  /// By each of them: calls visit(turn) as long as there are any.
  template <class Visit>
  void take(Visit&& visit) {
    const int own = omp_get_thread_num();
    for (int k = 0; k < shares_; ++k) {
      Share& from = share((own + k) % shares_);
      for (;;) {
        const std::int64_t turn = from.next.fetch_add(1, std::memory_order_relaxed);
        if (turn >= from.last) break;
        visit(turn);
      }
    }
  }

 private:
  static constexpr int k_most = 64;
  struct alignas(64) Share {  // a cache line
    std::atomic<std::int64_t> next;
    std::int64_t last;
  };

  Share& share(int s) { return share_[static_cast<std::size_t>(s)]; }

  int shares_;
  std::array<Share, k_most> share_;
};

/// Calls visit(turn) for each turn of a loop, in parallel.
template <class Visit>
void parallel_for(std::int64_t count, Visit&& visit) {
  if (count <= 1) {
    if (count == 1) visit(std::int64_t{0});
    return;
  }
  WorkShares shares(count);
#pragma omp parallel
  shares.take(visit);
}

/// The same for portions of turns: visit(first, last).
template <class Visit>
void parallel_for(std::int64_t count, std::int64_t portion, Visit&& visit) {
  parallel_for((count + portion - 1) / portion,
            [&](std::int64_t p) { visit(p * portion, std::min((p + 1) * portion, count)); });
}

/// Where those few of many turns are of which something holds: found by all threads, so that one alone need not look at
/// all of them.
class SparseIterations {
 public:
  /// holds(turn), which may be called again for a turn, takes so many seconds, about.
  template <class Holds>
  void find(std::int64_t count, double seconds, Holds&& holds) {
    const std::int64_t blocks = (count + k_block - 1) / k_block;
    count_ = count, some_ = count > 0;
    block_.assign(static_cast<std::size_t>(blocks), some_);
    if (omp_get_max_threads() == 1 || !pays_in_parallel(count, seconds)) return;  // one thread looks once at all
    bool some = false;
#pragma omp parallel for schedule(static) reduction(|| : some)
    for (std::int64_t b = 0; b < blocks; ++b) {
      bool here = false;
      for (std::int64_t turn = b * k_block; turn < std::min((b + 1) * k_block, count); ++turn)
        here = here || holds(static_cast<std::size_t>(turn));
      block_[static_cast<std::size_t>(b)] = here;
      some = some || here;
    }
    some_ = some;
  }
  bool any() const { return some_; }
  /// Calls visit(turn) for those of which it holds and few others, in order, by one thread.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t b = 0; b < block_.size(); ++b) {
      if (!block_[b]) continue;
      const auto first = static_cast<std::int64_t>(b) * k_block;
      for (std::int64_t turn = first; turn < std::min(first + k_block, count_); ++turn)
        visit(static_cast<std::size_t>(turn));
    }
  }

 private:
  static constexpr std::int64_t k_block = 512;
  Array<bool> block_;
  std::int64_t count_ = 0;
  bool some_ = false;
};

}  // namespace eddyline
