#pragma once

namespace eddyline::integrate {

/// What observers look at when a step is done.
struct Wanted {
  bool reactions = false;  // the forces on every wall particle
  bool state = false;      // the rows, as show_state() makes them
};

}  // namespace eddyline::integrate
