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

/// The same in two sums, as p_i is the same for all neighbours: adds V_j F p_j r_ij, given VFr = V_j F r_ij;
template <int D, class S>
EDDYLINE_INLINE void pressure_of_neighbor(S* sum, S p_j, const S* VFr) {
  add_along<D>(sum, p_j, VFr);
}
/// and, once, p_i times the sum of V_j F r_ij.
template <int D, class S>
EDDYLINE_INLINE void pressure_of_itself(S* sum, S p_i, const S* sum_VFr) {
  add_along<D>(sum, p_i, sum_VFr);
}

}  // namespace eddyline::physics
