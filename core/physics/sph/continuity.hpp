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

/// Adds VFv_r, which is that.
template <class S>
EDDYLINE_INLINE void continuity(S& sum, S VFv_r) {
  sum = sum + VFv_r;
}

}  // namespace eddyline::physics
