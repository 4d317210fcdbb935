#pragma once
// When the domain is shared out anew among the ranks.

#include <array>
#include <cstddef>
#include <cstdint>

#include "comm/communicator.hpp"

namespace eddyline::sph {

/// Compares what a step costs the ranks: if the slowest keeps the others waiting for longer than sharing out anew
/// takes, that is worth its price. A cost is the median of the latest few looks, so that a core that was disturbed for
/// a moment moves nothing. Clocks decide, so that it happens at other steps in every run; no bit of the result depends
/// on it.
class Balance {
 public:
  /// Asked at rebuilds. busy: seconds that this rank has spent computing since the run began, waiting apart. The same
  /// answer on all ranks. Collective.
  bool is_due(comm::Communicator& communicator, double busy, std::int64_t step);
  /// The domain has been shared out anew, which took this rank so long [s]. Collective.
  void done(comm::Communicator& communicator, double seconds, double busy, std::int64_t step);

  /// What a step costs this rank [s].
  double cost(double busy, std::int64_t step) const;

  std::int64_t times() const { return times_; }
  /// Of the busiest rank over the mean, when it was last looked at.
  double imbalance() const { return imbalance_; }
  /// The longest that any rank took [s], all times together.
  double seconds() const { return seconds_; }

 private:
  void begin(double busy, std::int64_t step);

  static constexpr std::size_t k_looks = 3;
  static constexpr std::int64_t k_never = -1;

  std::int64_t times_ = 0, step_then_ = k_never, step_looked_ = k_never;
  double busy_then_ = 0, busy_looked_ = 0, seconds_ = 0, price_ = 0, imbalance_ = 1;
  std::array<double, k_looks> costs_{};  // of a step, between looks [s]
  std::size_t looks_ = 0;                // since the domain was last shared out
};

}  // namespace eddyline::sph
