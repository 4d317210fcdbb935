#pragma once

namespace eddyline {

/// Binds each thread of the caller's team to its own core if there are as many threads as cores that the process may
/// use. Memory that a thread touches first then stays near that thread. The calling thread itself is not bound, because
/// threads and programs that it starts inherit its cores. The system places the threads if there are fewer threads than
/// cores (other runs may need the cores), if there are more, or if OMP_PROC_BIND is set.
void place_threads(int threads);

}  // namespace eddyline
