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

/// The divergence that brings a particle to the density of no pressure in one step; both are sums without the kernel's
/// constant. diffusion: with its factor delta. per_step: 1 / (dt c0/R K).
template <class S>
EDDYLINE_INLINE S divergence_to_zero_pressure(S s, S diffusion, S per_step) {
  return fma(s, per_step, diffusion) / (S(1) + s);
}

/// With a free surface walls push fluid and never pull it. Then they do not draw it apart either: what they add to the
/// divergence counts until there is no pressure left. Beyond that, fluid that leaves a wall would gain elastic energy
/// for which nothing does work. of_fluid: the sum over the fluid alone. unpressed: divergence_to_zero_pressure.
template <class S>
EDDYLINE_INLINE S limit_wall_expansion(S divergence, S of_fluid, S unpressed) {
  const S most = max(of_fluid, unpressed);
  return select(divergence > most, most, divergence);
}

}  // namespace eddyline::physics
