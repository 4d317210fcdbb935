#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace eddyline {

/// Phases of a step, in reporting order.
enum class Phase { sort, migrate, lists, pack, wait, rates, walls, forces, fringe, integrate, observe, count };

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Phase::count)> k_phase_names{
    "sort", "migrate", "lists", "pack", "wait", "rates", "walls", "forces", "fringe", "integrate", "observe"};

/// One phase from its begin to its end, in seconds since keep_timeline() was called.
struct Lap {
  double begin, end;
  std::int32_t phase;
};

/// Wall-clock seconds per phase: lap(phase) charges the time since the last lap.
class Timers {
 public:
  /// The phase that lap() charges.
  Phase current = Phase::observe;

  void start() { last_ = Clock::now(); }
  void lap() { lap(current); }
  void lap(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    if (timeline_.size() < max_laps_) keep({since_zero(last_), since_zero(now), static_cast<std::int32_t>(phase)});
    last_ = now;
  }
  /// Records the next `laps` laps.
  void keep_timeline(std::size_t laps) {
    timeline_.reserve(laps);
    max_laps_ = laps;
    zero_ = Clock::now();
  }
  const std::vector<Lap>& timeline() const { return timeline_; }
  /// Seconds of all phases except those in which a rank waits for or communicates with other ranks.
  double busy() const {
    double sum = 0;
    for (std::size_t p = 0; p < seconds_.size(); ++p)
      if (p != static_cast<std::size_t>(Phase::wait) && p != static_cast<std::size_t>(Phase::migrate))
        sum += seconds_[p];
    return sum;
  }
  double seconds(Phase phase) const { return seconds_[static_cast<std::size_t>(phase)]; }

 private:
  using Clock = std::chrono::steady_clock;

  double since_zero(Clock::time_point t) const { return std::chrono::duration<double>(t - zero_).count(); }
  /// Consecutive laps of the same phase are merged.
  void keep(const Lap& lap) {
    const bool continues =
        !timeline_.empty() && timeline_.back().phase == lap.phase && timeline_.back().end == lap.begin;
    if (continues)
      timeline_.back().end = lap.end;
    else
      timeline_.push_back(lap);
  }

  Clock::time_point last_ = Clock::now();
  std::array<double, static_cast<std::size_t>(Phase::count)> seconds_{};
  std::vector<Lap> timeline_;
  std::size_t max_laps_ = 0;
  Clock::time_point zero_;
};

}  // namespace eddyline
