#pragma once
// Waiting without occupying a core that another rank may need.

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "comm/communicator.hpp"

namespace eddyline::comm {

/// A rank has waited for other ranks longer than its patience allows.
struct Unresponsive : std::runtime_error {
  Unresponsive(int rank, std::string_view phase, double seconds) : std::runtime_error(text(rank, phase, seconds)) {}

  static std::string text(int rank, std::string_view phase, double seconds) {
    std::ostringstream text;
    text << "rank " << rank << " has waited for other ranks for " << seconds << " s (" << phase
         << "). One of them hangs or is much slower: check the load of its machine, or raise --patience.";
    return text.str();
  }
};

/// Growing pauses: first none, then sleeps that are a fixed fraction of the time waited so far.
class Backoff {
 public:
  Backoff(const Communicator& communicator, std::string_view phase)
      : communicator_(communicator), phase_(phase), start_(Clock::now()), last_(start_) {}
  /// Pauses. Throws Unresponsive once the wait is longer than the communicator's patience.
  void next();

 private:
  using Clock = std::chrono::steady_clock;
  const Communicator& communicator_;
  std::string_view phase_;
  Clock::time_point start_, last_;  // last: when it last looked at the clock
  int count_ = 0;
};

/// Waits until done() is true. `phase`: a description of what is waited for.
template <class Done>
void wait_until(const Communicator& communicator, std::string_view phase, Done&& done) {
  for (Backoff backoff(communicator, phase); !done();) backoff.next();
}

inline void wait(const Communicator& communicator, Requests& requests, std::string_view phase) {
  wait_until(communicator, phase, [&] { return requests.test(); });
}

}  // namespace eddyline::comm
