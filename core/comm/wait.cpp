#include "comm/wait.hpp"

#include <algorithm>
#include <thread>

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace eddyline::comm {

namespace {

using namespace std::chrono_literals;

constexpr int k_tests = 400;  // tests without a pause, for a message that is about to arrive
constexpr std::chrono::nanoseconds k_shortest_sleep = 5us, k_longest_sleep = 1ms;
constexpr std::chrono::nanoseconds k_longest_pause =
    100ms;                   // after a longer pause, this process must have been stopped, as by SIGSTOP
constexpr int k_share = 16;  // a sleep is at most 1/k_share of the time waited

/// Makes this thread wake up as soon as a sleep ends; by default the system may add ten times as much.
void wake_on_time() {
#ifdef __linux__
  thread_local const bool done = prctl(PR_SET_TIMERSLACK, 1000ul) == 0;
  static_cast<void>(done);
#endif
}

}  // namespace

/// Sleeps instead of yielding: a thread that yields gets its core back only after the other work on it has had its time
/// slice, milliseconds later, while a thread that wakes up has priority.
void Backoff::next() {
  ++count_;
  if (count_ <= k_tests) return;
  wake_on_time();
  std::this_thread::sleep_for(
      std::clamp<std::chrono::nanoseconds>((last_ - start_) / k_share, k_shortest_sleep, k_longest_sleep));
  const auto now = Clock::now();
  const std::chrono::nanoseconds passed = now - last_;  // since the call before: the process may stop at any place
  if (passed > k_longest_pause) start_ += passed - k_longest_pause;
  last_ = now;
  const std::chrono::nanoseconds waited = now - start_;
  const double seconds = std::chrono::duration<double>(waited).count(), patience = communicator_.patience;
  if (patience > 0 && seconds > patience) throw Unresponsive(communicator_.rank(), phase_, seconds);
}

}  // namespace eddyline::comm
