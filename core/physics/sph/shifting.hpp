#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Particle shifting, towards lower particle concentration:
///   delta r_i ~ -sum_j V_j [1 + 0.2 (W_ij/W(dx))^4] grad_i W_ij
/// Source: Sun, Colagrossi, Marrone & Zhang 2017, R = 0.2, n = 4.
/// Second part of the sum: adds V_j F W^4 r_ij, given VFr = V_j F r_ij. W may be given times a constant factor.
template <int D, class S>
EDDYLINE_INLINE void shifting_pair(S* sum, S W, const S* VFr) {
  const S limited = max(W, S(1e-7f)), W2 = limited * limited;  // avoids slow denormals; less is lost beside the 1
  add_along<D>(sum, W2 * W2, VFr);
}

/// Combines both parts, once for each particle, given the sum of V_j F r_ij and crowding = 0.2 / W(dx)^4, with the same
/// factor of W as in shifting_pair().
template <int D, class S>
EDDYLINE_INLINE void shift_by(S* shift, S crowding, const S* sum_VFr) {
  for (int d = 0; d < D; ++d) shift[d] = fma(crowding, shift[d], sum_VFr[d]);
}

/// Velocity transport by shifting: a shifted particle takes on the velocity at its new position,
///   dv_i/dt = sum_j V_j (v_j - v_i) [(w_i - w_j) . grad_i W_ij]
/// with the shifting velocity w = delta r / dt [m/s]. It depends on relative shifts only, so that it is antisymmetric
/// and conserves momentum. It has the form of Morris' viscosity: subtract the result from 2 nu.
/// Returns (w_i - w_j) . r_ij.
template <int D, class S>
EDDYLINE_INLINE S shifting_transport(const S* w_i, const S* w_j, const S* r) {
  S w_ij[D];
  for (int d = 0; d < D; ++d) w_ij[d] = w_i[d] - w_j[d];
  return dot<D>(w_ij, r);
}

}  // namespace eddyline::physics
