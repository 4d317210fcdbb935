#pragma once
// When the domain is shared out anew among the ranks.

#include <cstdint>

#include "comm/communicator.hpp"

namespace eddyline::integrate {

/// Compares what ranks have computed since the domain was last shared out: if the slowest keeps the others waiting for
/// longer than sharing out anew takes, that is worth its price. Clocks decide, so that it happens at other steps in
/// every run; no bit of the result depends on it.
class Balance {
 public:
  /// Asked at rebuilds. busy: seconds that this rank has spent computing since the run began, waiting apart. The same
  /// answer on all ranks. Collective.
  bool is_due(comm::Communicator& communicator, double busy, std::int64_t step);
  /// The domain has been shared out anew, which took this rank so long [s]. Collective.
  void done(comm::Communicator& communicator, double seconds, double busy, std::int64_t step);

  /// Seconds that this rank has computed since the last time, and in how many steps.
  double busy_since(double busy) const { return busy - busy_then_; }
  std::int64_t steps_since(std::int64_t step) const { return step - step_then_; }

  std::int64_t times() const { return times_; }
  /// Of the busiest rank over the mean, when it was last looked at.
  double imbalance() const { return imbalance_; }
  /// The longest that any rank took [s], all times together.
  double seconds() const { return seconds_; }

 private:
  std::int64_t times_ = 0, step_then_ = 0, step_looked_ = 0;
  double busy_then_ = 0, seconds_ = 0, price_ = 0, imbalance_ = 1;
};

}  // namespace eddyline::integrate
