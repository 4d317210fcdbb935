#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "comm/communicator.hpp"

namespace eddyline::sph {

/// Exact maxima over the particles at the end of a step: of this rank, until agreed on. They are the same for any
/// number of threads, boxes and ranks.
struct Extremes {
  double speed = 0;         // largest |v| [m/s]
  double corrected = 0;     // largest distance that shifting and contact have moved a particle in the step [m]
  bool bad = false;         // a value is not finite, too fast or has jumped
  double moved = 0;         // classic: the farthest that a particle has gone from the middle of the step [m]
  double signal = 0;        // classic: the highest signal speed [m/s]
  double acceleration = 0;  // classic: the largest of the last evaluation [m/s^2]
};

/// What decisions rest on: time step, rebuild, stop. The same on all ranks. What a step leaves is agreed on at the
/// control point of the next one, where all ranks meet anyway.
struct Control {
  double speed = 0;            // largest |v| when the last control point was passed [m/s]
  double relative_drift = 0;         // of particles in touching cells from where they were sorted, at the end of the step,
                               // in the first after that also in its middle [m]
  double relative_drift_before = 0;  // the same one step before; as much in the first
  double moved = 0;            // of any particle from where it was sorted, or more, at the end of the step [m]
  double lead = 0;             // how many steps after the last rebuild particles were expected where they were sorted
  double gone = 0;    // how far any particle has gone since the last rebuild, about, at the end of the last step [m]
  bool bad = false;   // the last step has gone wrong
  bool stop = false;  // somebody has asked for an end after this step
  Extremes latest;    // of the last step

  /// Whether cells are likely to hold for another step, if relative_drift goes on as it does.
  bool will_hold(double skin) const { return 2 * relative_drift - relative_drift_before <= skin; }
};

/// Makes what each rank has found of the last step that of all ranks, in two halves: what is computed in between gives
/// others time to come. Collective.
class Agreement {
 public:
  /// `own`: more numbers.
  void begin(comm::Communicator& communicator, const Control& control, const std::array<double, 3>& own);
  /// Whether end() would not wait.
  bool arrived() const { return !under_way_ || under_way_->test(); }
  /// The largest of these of all ranks. `what`: what is waited for, in words.
  std::array<double, 3> end(comm::Communicator& communicator, Control& control, std::string_view what);

 private:
  std::array<double, 10> values_{};
  std::unique_ptr<comm::Requests> under_way_;
};

}  // namespace eddyline::sph
