#pragma once
// What the last step leaves for decisions.

#include "comm/communicator.hpp"

namespace eddyline::integrate {

/// What the last step leaves for decisions: time step, rebuild, stop. Maxima are exact and over all ranks, so they are
/// the same for any number of threads, boxes and ranks.
struct Control {
  double speed = 0;         // largest |v| [m/s]
  double corrected = 0;     // largest distance that shifting and contact have moved a particle in the step [m]
  double approach = 0;      // of particles in touching cells since the last rebuild, at the end of the step [m]
  double moved = 0;         // of any particle since the last rebuild, at the end of the step [m]
  bool bad = false;         // a value is not finite, too fast or has jumped
  bool stop = false;        // somebody has asked for an end after this step
  double signal = 0;        // classic: the highest signal speed [m/s]
  double acceleration = 0;  // classic: the largest of the last evaluation [m/s^2]

  /// Makes what this rank has found at the end of a step that of all ranks; `approach` is so already. Collective.
  void agree(comm::Communicator& communicator);
};

}  // namespace eddyline::integrate
