#pragma once

namespace eddyline::sph {

/// Exact maxima over the particles at the end of a step: those of this rank, or of all ranks once they have agreed.
/// They are the same for any number of threads, boxes and ranks.
struct Extremes {
  double speed = 0;          // largest |v| [m/s]
  double corrected = 0;      // largest distance that shifting and contact have moved a particle in the step [m]
  bool bad = false;          // a value is not finite, too fast or has jumped
  double from_midpoint = 0;  // classic: largest distance of a particle from its place at the midpoint [m]
  double signal = 0;         // classic: the highest signal speed [m/s]
  double acceleration = 0;   // classic: the largest of the last evaluation [m/s^2]
};

/// Values that decisions rest on: time step, rebuild, stop. They are the same on all ranks. Ranks agree on the results
/// of a step at the control point of the next one, where all ranks meet anyway.
struct Control {
  double speed = 0;                  // largest |v| at the last control point [m/s]
  double relative_drift = 0;         // decrease of distances in touching cells since the sort, at the end of the step;
                                     // in the first step after it also at its midpoint [m]
  double relative_drift_before = 0;  // the value one step before; in the first step the same value
  /// Upper bound of any particle's distance from where it was sorted, at the end of the step [m].
  double max_displacement = 0;
  /// Steps after the last rebuild at which particles are expected at the places that they were sorted by.
  double sort_ahead_steps = 0;
  /// Estimate of the longest path of a particle from the last rebuild to the end of the last step [m].
  double path_since_rebuild = 0;
  bool bad = false;   // a value of the last step is invalid
  bool stop = false;  // a rank has requested an end after this step
  Extremes latest;    // of the last step

  /// Tells whether cells are likely to hold for another step, if relative_drift grows as in the last step.
  bool will_hold(double skin) const { return 2 * relative_drift - relative_drift_before <= skin; }
};

}  // namespace eddyline::sph
