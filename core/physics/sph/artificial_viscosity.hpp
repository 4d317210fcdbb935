#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Approach speed of a pair, regularised at small distances:
///   mu_ij = h v_ij . r_ij / (r^2 + 0.01 h^2)    where v_ij . r_ij < 0, else 0
/// Source: Monaghan 1992. Dimensionless: lengths by R, so h = 1/2.
/// Returns -mu_ij, which is never negative, given v_r = v_ij . r_ij.
template <class S>
EDDYLINE_INLINE S closing_speed(S v_r, S r2) {
  return max(S(-0.5f) * v_r / (r2 + S(0.0025f)), S(0));
}

/// Artificial viscosity, which turns the kinetic energy that shocks dissipate into heat:
///   Pi_ij = (-alpha c_ij mu_ij + beta mu_ij^2) / rho_ij    with the means c_ij and rho_ij of the pair
/// Source: Monaghan 1992. Symmetric in i, j and central: conserves linear and angular momentum.
/// Returns Pi_ij, given closing = -mu_ij and 1/rho_ij.
template <class S>
EDDYLINE_INLINE S artificial_viscosity(S alpha, S beta, S closing, S c_i, S c_j, S per_density) {
  return fma(alpha * S(0.5f), c_i + c_j, beta * closing) * closing * per_density;
}

}  // namespace eddyline::physics
