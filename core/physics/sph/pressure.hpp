#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Pressure part of the momentum equation, symmetric form:
///   dv_i/dt = -(1/rho_i) sum_j V_j (p_i + p_j) grad_i W_ij
/// Source: Antuono et al. 2010. Antisymmetric after multiplication by m_i: conserves momentum.
/// Adds V_j F (p_i + p_j) r_ij.
template <int D, class S>
EDDYLINE_INLINE void pressure_symmetric(S* sum, S VF, S p_i, S p_j, const S* r) {
  add_along<D>(sum, VF * (p_i + p_j), r);
}

}  // namespace eddyline::physics
