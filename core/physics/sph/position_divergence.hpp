#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Divergence of the position, which detects the free surface:
///   div r_i = -sum_j (m_j / rho_ij) r_ij . grad_i W_ij    (D inside the fluid, about half of that at a flat surface)
/// Source: Lee et al. 2008.
/// Returns (m_j / rho_ij) F r^2.
template <class S>
EDDYLINE_INLINE S position_divergence(S m_j, S F, S r2, S per_density) {
  return m_j * F * r2 * per_density;
}

}  // namespace eddyline::physics
