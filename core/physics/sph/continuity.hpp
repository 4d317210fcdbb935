#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Continuity equation:
///   d rho_i/dt = rho_i sum_j V_j (v_i - v_j) . grad_i W_ij
/// Source: Antuono, Colagrossi, Marrone & Molteni 2010; consistent with pressure_symmetric.
/// rho [kg/m^3], V [m^D], v [m/s]; the sum is dimensionless. Adds V_j F v_ij . r_ij.
template <class S>
EDDYLINE_INLINE void continuity(S& sum, S VF, S v_r) {
  sum = fma(VF, v_r, sum);
}

/// The same, given the product VFv_r = V_j F v_ij . r_ij.
template <class S>
EDDYLINE_INLINE void continuity(S& sum, S VFv_r) {
  sum = sum + VFv_r;
}

/// The divergence that brings a particle to zero pressure (s = 0) in one step:
///   div_0 = (s / (dt c0/R K) + diffusion) / (1 + s)
/// div_0 and diffusion (with its factor delta) are sums without the kernel's constant K. per_step: 1 / (dt c0/R K).
template <class S>
EDDYLINE_INLINE S divergence_to_zero_pressure(S s, S diffusion, S per_step) {
  return fma(s, per_step, diffusion) / (S(1) + s);
}

/// Limit of the expansion that walls cause, for flows with a free surface:
///   div <= max(div_fluid, div_0)
/// Walls push fluid and never pull it, so they must not expand it below zero pressure either: fluid that leaves a wall
/// would gain elastic energy without work. of_fluid: div_fluid, the sum over fluid neighbours. at_zero_pressure: div_0,
/// see divergence_to_zero_pressure().
template <class S>
EDDYLINE_INLINE S limit_wall_expansion(S divergence, S of_fluid, S at_zero_pressure) {
  const S most = max(of_fluid, at_zero_pressure);
  return select(divergence > most, most, divergence);
}

}  // namespace eddyline::physics
