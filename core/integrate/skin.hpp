#pragma once
// How long neighbour lists hold, from the exact extremes of the last step.

#include <cmath>
#include <limits>

#include "integrate/flow.hpp"

namespace eddyline::integrate {

/// The longest step [s] in which no two particles can approach by more than the skin [m]: v dt + a dt^2/2 <= 0.98 skin.
inline double longest_step(const Control& control, double skin) {
  const double reach = 0.98 * skin, v = control.velocity.spread(), a = control.acceleration.spread();
  const double rate = v + std::sqrt(v * v + 2 * a * reach);
  return rate > 0 ? 2 * reach / rate : std::numeric_limits<double>::infinity();
}

/// Lists hold as long as no two particles can have come nearer than the skin allows, a step of dt included.
inline bool rebuild_is_due(const Control& control, double dt, double skin) {
  const double approach =
      control.moved.spread() + dt * (control.velocity.spread() + 0.5 * dt * control.acceleration.spread());
  return approach > 0.999 * skin;
}

}  // namespace eddyline::integrate
