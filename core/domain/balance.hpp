#pragma once
// Decides when the domain is partitioned again among the ranks.

#include <array>
#include <cstddef>
#include <cstdint>

#include "comm/communicator.hpp"

namespace eddyline::domain {

/// Compares what a step costs the ranks. A new partition pays if the slowest rank would otherwise keep the other ranks
/// waiting for longer than partitioning takes. A cost is the median of the latest few measurements, so that a core that
/// was disturbed for a moment changes nothing. The decision depends on clocks and therefore falls on other steps in
/// every run; no bit of the result depends on it.
class Balance {
 public:
  /// Returns whether to partition again; called at rebuilds. busy: seconds that this rank has spent computing since the
  /// run began, without waiting. The answer is the same on all ranks. Collective.
  bool is_due(comm::Communicator& communicator, double busy, std::int64_t step);
  /// Records that the domain was partitioned again, which took this rank `seconds` [s]. Collective.
  void done(comm::Communicator& communicator, double seconds, double busy, std::int64_t step);

  /// Cost of a step on this rank [s].
  double cost(double busy, std::int64_t step) const;

  std::int64_t times() const { return times_; }
  /// Cost of the busiest rank over the mean cost, at the last measurement.
  double imbalance() const { return imbalance_; }
  /// Time that the slowest rank has spent on all partitions together [s].
  double seconds() const { return seconds_; }

 private:
  void begin(double busy, std::int64_t step);

  static constexpr std::size_t k_looks = 3;
  static constexpr std::int64_t k_never = -1;

  std::int64_t times_ = 0, step_then_ = k_never, step_looked_ = k_never;
  double busy_then_ = 0, busy_looked_ = 0, seconds_ = 0, price_ = 0, imbalance_ = 1;
  std::array<double, k_looks> costs_{};  // of a step, between measurements [s]
  std::size_t looks_ = 0;                // since the domain was last partitioned
};

}  // namespace eddyline::domain
