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

/// First of two sums that together give the same force, because p_i is common to all neighbours:
///   sum_j V_j p_j grad_i W_ij
/// Adds V_j F p_j r_ij, given VFr = V_j F r_ij.
template <int D, class S>
EDDYLINE_INLINE void pressure_of_neighbor(S* sum, S p_j, const S* VFr) {
  add_along<D>(sum, p_j, VFr);
}

/// Second of the two sums: p_i sum_j V_j grad_i W_ij. Adds p_i times the sum of V_j F r_ij, once for each particle.
template <int D, class S>
EDDYLINE_INLINE void pressure_of_itself(S* sum, S p_i, const S* sum_VFr) {
  add_along<D>(sum, p_i, sum_VFr);
}

}  // namespace eddyline::physics
