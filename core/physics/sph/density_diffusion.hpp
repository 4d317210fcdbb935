#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Density diffusion with a gradient that costs no sweep of its own:
///   d rho_i/dt += -2 delta h c0 sum_j V_j [(rho_j - rho_i) + (G_i + G_j) . r_ij / 2] (r_ij . grad_i W_ij) / r^2
///   G_i = -(rho_i / c0^2) a_p,i    (hydrostatic balance: grad p = -rho a_p, grad rho = grad p / c0^2)
/// Form of the sum: Antuono et al. 2010; gradient from the pressure acceleration of the last evaluation in
/// place of the renormalised one. Antisymmetric in i, j: conserves mass where volumes are equal.
/// Returns V_j F [...]; for a wall neighbour pass G_j = G_i.
template <int D, class S>
EDDYLINE_INLINE S density_diffusion(S volume_j, S F, S s_i, S s_j, const S* G_i, const S* G_j, const S* r) {
  S G_mean[D];
  for (int d = 0; d < D; ++d) G_mean[d] = (G_i[d] + G_j[d]) * S(0.5f);
  return volume_j * F * ((s_j - s_i) + dot<D>(G_mean, r));
}

}  // namespace eddyline::physics
