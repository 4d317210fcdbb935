#include "integrate/flow/control.hpp"

#include "comm/collectives.hpp"

namespace eddyline::integrate {

void Control::agree(comm::Communicator& communicator) {
  double all[] = {speed, corrected, moved, signal, acceleration, bad ? 1.0 : 0, stop ? 1.0 : 0};
  comm::maximum(communicator, all, "control point at the end of a step");
  speed = all[0], corrected = all[1], moved = all[2], signal = all[3];
  acceleration = all[4], bad = all[5] > 0, stop = all[6] > 0;
}

}  // namespace eddyline::integrate
