#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Particle shifting, towards where particles are fewer:
///   delta r_i ~ -sum_j V_j [1 + 0.2 (W_ij/W(dx))^4] grad_i W_ij
/// Source: Sun, Colagrossi, Marrone & Zhang 2017, R = 0.2, n = 4.
/// In two sums: adds V_j F W^4 r_ij, given VFr = V_j F r_ij, or with a share of W in its place;
template <int D, class S>
EDDYLINE_INLINE void shifting_pair(S* sum, S W, const S* VFr) {
  const S felt = max(W, S(1e-7f)), W2 = felt * felt;  // less would underflow, slowly, and be lost beside the 1
  add_along<D>(sum, W2 * W2, VFr);
}
/// and puts them together, once, given the sum of V_j F r_ij and crowding = 0.2 / W(dx)^4, W the same share.
template <int D, class S>
EDDYLINE_INLINE void shift_by(S* shift, S crowding, const S* sum_VFr) {
  for (int d = 0; d < D; ++d) shift[d] = fma(crowding, shift[d], sum_VFr[d]);
}

/// What a pair hands over because shifting moves it apart: a particle takes on the velocity of its new place, by
///   dv_i/dt = sum_j V_j (v_j - v_i) [(w_i - w_j) . grad_i W_ij]
/// with the velocity w of shifting. As only what neighbours shift against each other counts, it is antisymmetric and
/// conserves momentum. It has the form of Morris' viscosity: this is to be taken from 2 nu.
template <int D, class S>
EDDYLINE_INLINE S shifting_transport(const S* w_i, const S* w_j, const S* r) {
  S w_ij[D];
  for (int d = 0; d < D; ++d) w_ij[d] = w_i[d] - w_j[d];
  return dot<D>(w_ij, r);
}

}  // namespace eddyline::physics
