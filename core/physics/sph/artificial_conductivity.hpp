#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Artificial conductivity, which spreads jumps of thermal energy over a smoothing length and so takes the spike of
/// pressure from contact discontinuities:
///   du_i/dt = sum_j m_j alpha_u (s_ij / rho_ij) (u_i - u_j) grad_i W_ij . r_ij/|r_ij|,    s_ij = sqrt(|p_i - p_j| / rho_ij)
/// Source: Price 2008. Antisymmetric after multiplication by m_i: conserves energy.
/// Returns alpha_u m_j F q (s_ij / rho_ij) (u_i - u_j) without alpha_u/(gamma - 1), given P = p/rho^2 and
/// u = P rho/(gamma - 1) of an ideal gas, and 1/rho_ij.
template <class S>
EDDYLINE_INLINE S artificial_conductivity(S m_j, S F, S q, S P_i, S P_j, S rho_i, S rho_j, S per_density) {
  const S e_i = P_i * rho_i, e_j = P_j * rho_j;
  const S p_i = e_i * rho_i, p_j = e_j * rho_j;
  const S signal = sqrt(max(p_i - p_j, p_j - p_i) * per_density);
  return m_j * F * q * signal * per_density * (e_i - e_j);
}

}  // namespace eddyline::physics
