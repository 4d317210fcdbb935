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

/// True if a loop is long enough to wake the other threads, which costs about a microsecond per thread.
inline bool pays_in_parallel(std::int64_t iterations, double seconds_each) {
  constexpr double k_wake_up = 1e-6;  // s per thread
  return static_cast<double>(iterations) * seconds_each > k_wake_up * omp_get_max_threads();
}

/// Iterations [0, count) of a loop. Each thread starts with its own share, which is the same in every loop of equal
/// length: neighbouring iterations use one cache, often the one that holds their data already. A thread that has
/// finished its share helps with the others.
class WorkShares {
 public:
  /// Call this before the parallel region.
  explicit WorkShares(std::int64_t count) : shares_(std::clamp(omp_get_max_threads(), 1, k_most)) {
    for (int s = 0; s < shares_; ++s) {
      share(s).next.store(count * s / shares_, std::memory_order_relaxed);
      share(s).last = count * (s + 1) / shares_;
    }
  }

  /// Each thread of the team calls this: it calls visit(i) for iterations until none is left.
  template <class Visit>
  void take(Visit&& visit) {
    const int own = omp_get_thread_num();
    for (int k = 0; k < shares_; ++k) {
      Share& from = share((own + k) % shares_);
      for (;;) {
        const std::int64_t i = from.next.fetch_add(1, std::memory_order_relaxed);
        if (i >= from.last) break;
        visit(i);
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
void parallel_for(std::int64_t count, Visit&& visit) {
  if (count <= 1) {
    if (count == 1) visit(std::int64_t{0});
    return;
  }
  WorkShares shares(count);
#pragma omp parallel
  shares.take(visit);
}

/// Calls visit(first, last) for blocks of iterations, in parallel.
template <class Visit>
void parallel_for(std::int64_t count, std::int64_t block_size, Visit&& visit) {
  parallel_for((count + block_size - 1) / block_size,
               [&](std::int64_t p) { visit(p * block_size, std::min((p + 1) * block_size, count)); });
}

/// Finds, in parallel, the few iterations of a loop for which a condition holds, so that one thread need not test all
/// of them.
class SparseIterations {
 public:
  /// `seconds`: approximate cost of holds(i) [s], which may be called more than once for an iteration.
  template <class Holds>
  void find(std::int64_t count, double seconds, Holds&& holds) {
    const std::int64_t blocks = (count + k_block - 1) / k_block;
    count_ = count, any_ = count > 0;
    block_.assign(static_cast<std::size_t>(blocks), any_);
    if (omp_get_max_threads() == 1 || !pays_in_parallel(count, seconds))
      return;  // a single thread tests all iterations in for_each()
    bool some = false;
#pragma omp parallel for schedule(static) reduction(|| : some)
    for (std::int64_t b = 0; b < blocks; ++b) {
      bool here = false;
      for (std::int64_t i = b * k_block; i < std::min((b + 1) * k_block, count); ++i)
        here = here || holds(static_cast<std::size_t>(i));
      block_[static_cast<std::size_t>(b)] = here;
      some = some || here;
    }
    any_ = some;
  }
  bool any() const { return any_; }
  /// Calls visit(i), in order and from one thread, for the iterations for which the condition holds and for few others.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t b = 0; b < block_.size(); ++b) {
      if (!block_[b]) continue;
      const auto first = static_cast<std::int64_t>(b) * k_block;
      for (std::int64_t i = first; i < std::min(first + k_block, count_); ++i) visit(static_cast<std::size_t>(i));
    }
  }

 private:
  static constexpr std::int64_t k_block = 512;
  Array<bool> block_;
  std::int64_t count_ = 0;
  bool any_ = false;
};

}  // namespace eddyline
