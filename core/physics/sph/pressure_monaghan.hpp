#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Pressure part of the momentum equation, symmetric form:
///   dv_i/dt = -sum_j m_j (p_i/rho_i^2 + p_j/rho_j^2 + Pi_ij) grad_i W_ij
/// Source: Monaghan 1992. Antisymmetric after multiplication by m_i: conserves momentum.
/// Returns p_i/rho_i^2 + p_j/rho_j^2, given 1/(rho_i rho_j).
template <class S>
EDDYLINE_INLINE S pressure_monaghan(S p_i, S p_j, S rho_i, S rho_j, S per_densities) {
  return (p_i * (rho_j * rho_j) + p_j * (rho_i * rho_i)) * (per_densities * per_densities);
}

/// Pressure part of the momentum equation for particles of different mass, as in a gas at a density jump, where the
/// form above makes light particles unstable:
///   dv_i/dt = -sum_j m_j [(p_i + p_j)/(rho_i rho_j) + Pi_ij] grad_i W_ij
/// Source: Colagrossi & Landrini 2003. Antisymmetric after multiplication by m_i: conserves momentum.
/// Returns (p_i + p_j)/(rho_i rho_j), given 1/(rho_i rho_j).
template <class S>
EDDYLINE_INLINE S pressure_by_volume(S p_i, S p_j, S per_densities) {
  return (p_i + p_j) * per_densities;
}

}  // namespace eddyline::physics
