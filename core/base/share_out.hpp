#pragma once
// Distributes loop iterations among threads. Results must not depend on the thread that runs an iteration.

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/arrays.hpp"

namespace eddyline {

/// Number of threads of this process before any caller asked for fewer.
inline int all_threads() {
  static const int all = omp_get_max_threads();
  return all;
}

/// Whether a loop is long enough to wake the other threads, which costs about a microsecond per thread.
inline bool are_worth_sharing(std::int64_t turns, double seconds_a_turn) {
  constexpr double k_waking = 1e-6;  // s a thread
  return static_cast<double>(turns) * seconds_a_turn > k_waking * omp_get_max_threads();
}

/// Iterations [0, count) of a loop. Each thread starts with its own share, which is the same in every loop of equal
/// length: neighbouring iterations use one cache, often the one that holds their data already. A thread that has
/// finished its share helps with the others.
class Shares {
 public:
  /// To be called before the parallel region.
  explicit Shares(std::int64_t count) : shares_(std::clamp(omp_get_max_threads(), 1, k_most)) {
    for (int s = 0; s < shares_; ++s) {
      share(s).next.store(count * s / shares_, std::memory_order_relaxed);
      share(s).last = count * (s + 1) / shares_;
    }
  }

  /// To be called by each thread of the team: calls visit(i) for iterations until none is left.
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

/// Calls visit(i) for each iteration of a loop, in parallel.
template <class Visit>
void share_out(std::int64_t count, Visit&& visit) {
  if (count <= 1) {
    if (count == 1) visit(std::int64_t{0});
    return;
  }
  Shares shares(count);
#pragma omp parallel
  shares.take(visit);
}

/// Calls visit(first, last) for blocks of iterations, in parallel.
template <class Visit>
void share_out(std::int64_t count, std::int64_t portion, Visit&& visit) {
  share_out((count + portion - 1) / portion,
            [&](std::int64_t p) { visit(p * portion, std::min((p + 1) * portion, count)); });
}

/// Finds, in parallel, the few iterations of a loop for which a condition holds, so that one thread need not test all
/// of them.
class FewTurns {
 public:
  /// `seconds`: approximate cost of holds(i) [s], which may be called more than once for an iteration.
  template <class Holds>
  void find(std::int64_t count, double seconds, Holds&& holds) {
    const std::int64_t blocks = (count + k_block - 1) / k_block;
    count_ = count, some_ = count > 0;
    block_.assign(static_cast<std::size_t>(blocks), some_);
    if (omp_get_max_threads() == 1 || !are_worth_sharing(count, seconds)) return;  // a single thread tests all iterations in for_each()
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
  bool are_some() const { return some_; }
  /// Calls visit(i), in order and from one thread, for the iterations for which the condition holds and for few others.
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
