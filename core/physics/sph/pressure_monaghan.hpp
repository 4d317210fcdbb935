#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Pressure part of the momentum equation, symmetric form:
///   dv_i/dt = -sum_j m_j (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) grad_i W_ij
/// Source: Monaghan 1992. Antisymmetric after multiplication by m_i: conserves momentum.
/// Returns p_i/rho_i^2 + p_j/rho_j^2, given P = p/rho^2.
template <class S>
EDDYLINE_INLINE S pressure_monaghan(S P_i, S P_j) {
  return P_i + P_j;
}

}  // namespace eddyline::physics
