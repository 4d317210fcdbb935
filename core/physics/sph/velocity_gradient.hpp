#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Velocity gradient, for what shifting must carry along:
///   (dv_a/dx_b)_i = sum_j V_j (v_j - v_i)_a (grad_i W_ij)_b
/// Adds V_j F (v_ij)_a (r_ij)_b to sum[a D + b]; pass the mirrored velocity of a no-slip wall.
template <int D, class S>
EDDYLINE_INLINE void velocity_gradient(S* sum, S VF, const S* v_ij, const S* r) {
  for (int a = 0; a < D; ++a) add_along<D>(sum + a * D, VF * v_ij[a], r);
}

}  // namespace eddyline::physics
