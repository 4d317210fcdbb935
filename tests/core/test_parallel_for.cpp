// Loops distributed among threads: each iteration runs once, and threads that finish help others.
#include "base/parallel_for.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "harness.hpp"

using namespace eddyline;

TEST(every_iteration_runs_once) {
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3, 7, 70}) {
    omp_set_num_threads(threads);
    for (const std::int64_t count : {0, 1, 2, 6, 1000}) {
      std::vector<std::atomic<int>> taken(static_cast<std::size_t>(count));
      parallel_for(count, [&](std::int64_t i) { ++taken.at(static_cast<std::size_t>(i)); });
      for (const auto& times : taken) CHECK(times == 1);
    }
  }
  omp_set_num_threads(before);
}

TEST(fewer_threads_than_shares_run_all_iterations) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  WorkShares shares(1000);
  std::int64_t sum = 0;
  shares.take([&](std::int64_t i) { sum += i; });  // a single thread
  CHECK(sum == 999 * 1000 / 2);
  omp_set_num_threads(before);
}

TEST(a_thread_that_finishes_early_helps_the_others) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(2);
  constexpr std::int64_t k_count = 100;
  std::atomic<std::int64_t> others = 0;
  std::atomic<bool> waited_in_vain = false;
  parallel_for(k_count, [&](std::int64_t i) {
    if (i != 0) return void(++others);
    // The thread with the first iteration holds it until all others are done, which are not all in the other thread's
    // share.
    const auto start = std::chrono::steady_clock::now();
    while (others < k_count - 1 && !waited_in_vain)
      waited_in_vain = std::chrono::steady_clock::now() - start > std::chrono::seconds(20);
  });
  CHECK(!waited_in_vain);
  omp_set_num_threads(before);
}

TEST(sparse_iterations_are_visited_in_order) {
  const int before = omp_get_max_threads();
  const auto holds = [](std::size_t i) { return i == 700 || i == 99'999; };
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    SparseIterations few;
    few.find(100'000, 1e-8, holds);
    std::vector<std::size_t> visited;
    few.for_each([&](std::size_t i) { visited.push_back(i); });
    CHECK(std::is_sorted(visited.begin(), visited.end()));
    CHECK(std::count_if(visited.begin(), visited.end(), holds) == 2);
    CHECK(few.any() && (threads == 1 || visited.size() < 2000));
    few.find(100'000, 1e-8, [](std::size_t) { return false; });
    CHECK(threads == 1 || !few.any());
    few.find(0, 1e-8, holds);
    CHECK(!few.any());
  }
  omp_set_num_threads(before);
}
