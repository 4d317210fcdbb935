#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Laminar viscosity between fluid particles:
///   dv_i/dt = 2 (D + 2) (mu / rho_i) sum_j V_j [(v_i - v_j) . r_ij / r^2] grad_i W_ij
/// Source: Monaghan & Cleary 1999 form, with the factor of Monaghan 2005, eq. (8.11), without the eta^2 term, which
/// weakens viscosity. Antisymmetric and central: conserves linear and angular momentum.
/// Returns the factor of r_ij: V_j F (v_ij . r_ij) / r^2, given v_r = v_ij . r_ij.
template <class S>
EDDYLINE_INLINE S viscosity_monaghan_cleary(S volume_j, S F, S v_r, S r2) {
  return volume_j * F * (v_r / max(r2, S(1e-12f)));  // a pair at one place exerts no force
}

/// Laminar viscosity at a no-slip wall:
///   dv_i/dt = (2 mu / rho_i) sum_w V_w (v_i - v_w) (r_iw . grad_i W_iw) / r^2
/// Source: Morris, Fox & Zhu 1997, eq. (22), without the eta^2 term; v_w is the wall's mirrored velocity.
/// Returns the factor of v_i - v_w: V_w F, or 0 at a slip wall.
template <class S>
EDDYLINE_INLINE S viscosity_morris(S volume_w, S F, S no_slip) {
  return volume_w * F * no_slip;
}

}  // namespace eddyline::physics
