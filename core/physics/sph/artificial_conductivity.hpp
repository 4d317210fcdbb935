#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Artificial conductivity, which smooths jumps of thermal energy as artificial viscosity smooths jumps of velocity:
///   du_i/dt = sum_j m_j alpha_u (s_ij / rho_ij) (u_i - u_j) grad_i W_ij . r_ij/|r_ij|
///   s_ij = sqrt(|p_i - p_j| / rho_ij)
/// Source: Price 2008. Antisymmetric after multiplication by m_i: conserves energy.
/// Returns m_j F q (s_ij / rho_ij) (u_i - u_j) (gamma - 1), given 1/rho_ij and 1/(rho_i rho_j): the thermal energy of
/// an ideal gas is u = p / ((gamma - 1) rho).
template <class S>
EDDYLINE_INLINE S artificial_conductivity(S m_j, S F, S q, S p_i, S p_j, S rho_i, S rho_j, S per_density,
                                          S per_densities) {
  const S signal = sqrt(max(p_i - p_j, p_j - p_i) * per_density);
  return m_j * F * q * signal * per_density * ((p_i * rho_j - p_j * rho_i) * per_densities);
}

}  // namespace eddyline::physics
