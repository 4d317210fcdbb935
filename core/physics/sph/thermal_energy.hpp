#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Thermal energy equation:
///   du_i/dt = 1/2 sum_j m_j (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) v_ij . grad_i W_ij
/// Source: Monaghan 1992. With the momentum equation of the same pairs it conserves the total energy: each
/// particle of a pair gets half of the kinetic energy that the pair loses as heat.
/// Returns 1/2 f v_ij . r_ij, given the pair's f = m_j F (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) and v_r = v_ij . r_ij.
template <class S>
EDDYLINE_INLINE S thermal_energy(S f, S v_r) {
  return S(0.5f) * f * v_r;
}

/// The same for a pair with a wall particle. The wall stores no heat, so the fluid gets all of it. v_r is relative to
/// the wall's own velocity.
template <class S>
EDDYLINE_INLINE S thermal_energy_at_wall(S f, S v_r) {
  return f * v_r;
}

}  // namespace eddyline::physics
