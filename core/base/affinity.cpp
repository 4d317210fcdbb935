#include "base/affinity.hpp"

#ifdef __linux__

#include <omp.h>
#include <sched.h>

#include <cstdlib>

namespace eddyline {

namespace {

/// The number of the core in the set that has `n` cores of the set ahead of it.
int nth_core(const cpu_set_t& cores, int n) {
  int core = 0;
  while (!CPU_ISSET(core, &cores) || n-- > 0) ++core;
  return core;
}

}  // namespace

void place_threads(int threads) {
  cpu_set_t allowed;
  if (std::getenv("OMP_PROC_BIND") != nullptr || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const bool one_each = threads > 1 && threads == CPU_COUNT(&allowed);
#pragma omp parallel num_threads(threads)
  if (const int thread = omp_get_thread_num(); thread > 0) {
    cpu_set_t cores = allowed;
    if (one_each) {
      CPU_ZERO(&cores);
      CPU_SET(nth_core(allowed, thread), &cores);
    }
    sched_setaffinity(0, sizeof cores, &cores);  // if the system refuses, only speed is lost
  }
}

}  // namespace eddyline

#else

namespace eddyline {

void place_threads(int) {}

}  // namespace eddyline

#endif
