#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Particle shifting, towards where particles are fewer:
///   delta r_i ~ -sum_j V_j [1 + 0.2 (W_ij/W(dx))^4] grad_i W_ij
/// Source: Sun, Colagrossi, Marrone & Zhang 2017, R = 0.2, n = 4.
/// Adds V_j F [1 + ...] r_ij, given crowding = 0.2 / W(dx)^4.
template <int D, class S>
EDDYLINE_INLINE void shifting(S* sum, S VF, S W, S crowding, const S* r) {
  const S W2 = W * W;
  add_along<D>(sum, VF * fma(crowding, W2 * W2, S(1)), r);
}

}  // namespace eddyline::physics
