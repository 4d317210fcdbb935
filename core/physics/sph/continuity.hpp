#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Continuity equation:
///   d rho_i/dt = rho_i sum_j V_j (v_i - v_j) . grad_i W_ij
/// Source: Antuono, Colagrossi, Marrone & Molteni 2010; consistent with pressure_symmetric.
/// Adds V_j F v_ij . r_ij.
template <class S>
EDDYLINE_INLINE void continuity(S& sum, S VF, S v_r) {
  sum = fma(VF, v_r, sum);
}

}  // namespace eddyline::physics
