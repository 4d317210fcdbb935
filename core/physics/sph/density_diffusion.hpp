#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Density diffusion with a gradient that needs no extra sweep:
///   d rho_i/dt += -2 delta h c0 sum_j V_j [(rho_j - rho_i) + (G_i + G_j) . r_ij / 2] (r_ij . grad_i W_ij) / r^2
///   G_i = -(rho_i / c0^2) a_p,i    (hydrostatic balance: grad p = -rho a_p, grad rho = grad p / c0^2)
/// Form of the sum: Antuono et al. 2010; gradient from the pressure acceleration of the last evaluation in
/// place of the renormalised one. Antisymmetric in i, j: conserves mass where volumes are equal.
/// delta: dimensionless; G [kg/m^4]. Adds V_j F [...], given G/2; for a wall neighbour pass G_j = G_i.
template <int D, class S>
EDDYLINE_INLINE void density_diffusion(S& sum, S VF, S s_i, S s_j, const S* half_g_i, const S* half_g_j, const S* r) {
  S excess = s_j - s_i;
  for (int d = 0; d < D; ++d) excess = fma(half_g_i[d] + half_g_j[d], r[d], excess);
  sum = fma(VF, excess, sum);
}

}  // namespace eddyline::physics
