#include "comm/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace eddyline::comm {

namespace {

constexpr int k_tests = 200;    // without a pause: a message that is about to arrive
constexpr int k_yields = 2000;  // then others on this core go first
constexpr auto k_longest_sleep = std::chrono::microseconds(200);

std::string describe(int rank, std::string_view phase, double seconds) {
  std::ostringstream text;
  text << "rank " << rank << " has waited for other ranks for " << seconds << " s (" << phase
       << "). One of them hangs, or is far slower: see what ran on its machine, or raise --patience.";
  return text.str();
}

}  // namespace

Unresponsive::Unresponsive(int rank, std::string_view phase, double seconds)
    : std::runtime_error(describe(rank, phase, seconds)) {}

void Pauses::next() {
  ++count_;
  if (count_ <= k_tests) return;
  if (count_ <= k_yields) {
    sched_yield();
    return;
  }
  std::this_thread::sleep_for(std::min(k_longest_sleep, std::chrono::microseconds(10 + (count_ - k_yields) / 10)));
  const double waited = std::chrono::duration<double>(Clock::now() - start_).count();
  if (communicator_.patience > 0 && waited > communicator_.patience)
    throw Unresponsive(communicator_.rank(), phase_, waited);
}

}  // namespace eddyline::comm
