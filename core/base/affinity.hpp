#pragma once

namespace eddyline {

/// Gives each thread of the caller's team a core of its own if there are as many as cores that the process may use:
/// what a thread has touched first stays near it. The caller stays free, as threads and programs that it starts may use
/// the cores that it may use. With fewer threads, which may have to make room for other runs, with more, and where
/// OMP_PROC_BIND is set, all is left to the system.
void place_threads(int threads);

}  // namespace eddyline
