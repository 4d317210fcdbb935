#include "solvers/sph/step/agreement.hpp"

#include "comm/wait.hpp"

namespace eddyline::sph {

void Agreement::begin(comm::Communicator& communicator, const Control& control, const std::array<double, 3>& own) {
  const Extremes& latest = control.latest;
  values_ = {latest.speed,
             latest.corrected,
             latest.from_midpoint,
             latest.signal,
             latest.acceleration,
             latest.bad ? 1.0 : 0.0,
             control.stop ? 1.0 : 0.0,
             own[0],
             own[1],
             own[2]};
  if (communicator.is_alone()) return;
  under_way_ = communicator.requests();
  under_way_->maximum(values_);
}

std::array<double, 3> Agreement::end(comm::Communicator& communicator, Control& control, std::string_view what) {
  if (!communicator.is_alone()) comm::wait(communicator, *under_way_, what);
  control.latest = {.speed = values_[0],
                    .corrected = values_[1],
                    .bad = values_[5] > 0,
                    .from_midpoint = values_[2],
                    .signal = values_[3],
                    .acceleration = values_[4]};
  control.bad = control.latest.bad;
  control.stop = values_[6] > 0;
  return {values_[7], values_[8], values_[9]};
}

}  // namespace eddyline::sph
