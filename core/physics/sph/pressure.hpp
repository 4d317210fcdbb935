#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Pressure part of the momentum equation, symmetric form:
///   dv_i/dt = -(1/rho_i) sum_j V_j (p_i + p_j) grad_i W_ij
/// Source: Antuono et al. 2010. Antisymmetric after multiplication by m_i: conserves momentum.
/// Returns the factor of r_ij: V_j F (p_i + p_j).
template <class S>
EDDYLINE_INLINE S pressure_symmetric(S volume_j, S F, S p_i, S p_j) {
  return volume_j * F * (p_i + p_j);
}

}  // namespace eddyline::physics
