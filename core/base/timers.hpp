#pragma once

#include <array>
#include <chrono>
#include <string_view>

namespace eddyline {

/// Phases of a step, in the order in which they are reported.
enum class Phase { sort, migrate, lists, exchange, wait, rates, walls, forces, fringe, integrate, observe, count };

inline constexpr std::array<std::string_view, static_cast<std::size_t>(Phase::count)> k_phase_names{
    "sort", "migrate", "lists", "exchange", "wait", "rates", "walls", "forces", "fringe", "integrate", "observe"};

/// Wall-clock seconds by phase: lap(phase) charges the time since the last lap.
class Timers {
 public:
  void start() { last_ = Clock::now(); }
  void lap(Phase phase) {
    const auto now = Clock::now();
    seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Of all phases but those in which a rank waits for others or deals with them.
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
  Clock::time_point last_ = Clock::now();
  std::array<double, static_cast<std::size_t>(Phase::count)> seconds_{};
};

}  // namespace eddyline
