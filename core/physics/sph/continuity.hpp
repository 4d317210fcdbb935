#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Continuity equation:
///   d rho_i/dt = rho_i sum_j V_j (v_i - v_j) . grad_i W_ij
/// Source: Antuono, Colagrossi, Marrone & Molteni 2010; consistent with pressure_symmetric.
/// Returns V_j F (v_i - v_j) . r_ij, given v_r = (v_i - v_j) . r_ij.
template <class S>
EDDYLINE_INLINE S continuity(S volume_j, S F, S v_r) {
  return volume_j * F * v_r;
}

}  // namespace eddyline::physics
