// OpenMP for builds with the thread sanitizer. The compiler's own runtime is not instrumented: the sanitizer sees
// neither where its teams begin and end nor its barriers, and takes for a race whatever they keep apart. These are the
// functions that the core refers to, made of what the sanitizer does see. They order what OpenMP says is ordered and
// nothing else: chunks of a loop are handed out without any order between them, so that a race of two chunks shows. A
// construct that is missing here does not link.
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

/// Threads that run one parallel region together.
struct Team {
  explicit Team(int size) : size(size), barrier(size) {}

  const int size;
  std::barrier<> barrier;
  std::array<std::atomic<long>, 8> taken{};  // of each loop of the region with a dynamic schedule: chunks
};

/// A loop as one thread sees it.
struct Loop {
  long start, end, step, chunk;
};

/// A thread's place in its team, and what it has been told.
struct Member {
  Team* team = nullptr;
  int number = 0;
  std::size_t loops = 0;  // that it has begun
  Loop loop{};
};
thread_local Member self;

int default_threads() {
  const char* wanted = std::getenv("OMP_NUM_THREADS");
  const int number = wanted != nullptr ? std::atoi(wanted) : 0;
  return number > 0 ? number : static_cast<int>(std::thread::hardware_concurrency());
}
thread_local int most_threads = default_threads();

void work(Team& team, int number, void (*region)(void*), void* data) {
  const Member outside = self;
  self = {&team, number, 0, {}};
  region(data);
  self = outside;
}

std::mutex critical, atomic;

}  // namespace

extern "C" {

int omp_get_thread_num() { return self.number; }
int omp_get_num_threads() { return self.team != nullptr ? self.team->size : 1; }
int omp_get_max_threads() { return most_threads; }
void omp_set_num_threads(int number) { most_threads = number; }

void GOMP_parallel(void (*region)(void*), void* data, unsigned wanted, unsigned) {
  Team team(self.team != nullptr ? 1 : wanted > 0 ? static_cast<int>(wanted) : most_threads);
  std::vector<std::thread> others;
  for (int number = 1; number < team.size; ++number) others.emplace_back(work, std::ref(team), number, region, data);
  work(team, 0, region, data);
  for (auto& other : others) other.join();
}

void GOMP_barrier() {
  if (self.team != nullptr) self.team->barrier.arrive_and_wait();
}

bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* last) {
  const Loop& loop = self.loop;
  const long chunk = self.team->taken[self.loops - 1].fetch_add(1, std::memory_order_relaxed);
  *first = loop.start + chunk * loop.chunk * loop.step;
  *last = *first + loop.chunk * loop.step;
  const bool upwards = loop.step > 0;
  if (upwards ? *last > loop.end : *last < loop.end) *last = loop.end;
  return upwards ? *first < loop.end : *first > loop.end;
}
bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long* first, long* last) {
  if (self.team == nullptr || self.loops == self.team->taken.size()) {
    std::fputs("visible_openmp: a dynamic loop outside of a region, or too many in one\n", stderr);
    std::abort();
  }
  ++self.loops;
  self.loop = {start, end, step, chunk};
  return GOMP_loop_nonmonotonic_dynamic_next(first, last);
}
void GOMP_loop_end_nowait() {}

void GOMP_critical_start() { critical.lock(); }
void GOMP_critical_end() { critical.unlock(); }
void GOMP_atomic_start() { atomic.lock(); }
void GOMP_atomic_end() { atomic.unlock(); }
}
