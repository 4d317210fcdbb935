#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Sums of a dummy particle of a wall over the surrounding fluid.
template <class S, int D>
struct WallSums {
  S weight;       // sum_f V_f W/4
  S pressure;     // sum_f V_f W/4 p_f
  S lever[D];     // sum_f V_f W/4 rho_f (r_w - r_f)
  S velocity[D];  // sum_f V_f W/4 v_f
};

/// Extrapolation of the fluid to a dummy particle:
///   p_w = [sum_f p_f W + (g - a_w) . sum_f rho_f r_wf W] / sum_f W,   v_w = 2 v_wall - sum_f v_f W / sum_f W
/// Source: Adami, Hu & Adams 2012; sums weighted by volume. rho_f = rho0 (1 + p_f) in dimensionless variables. At a
/// rotating wall v_f is first turned by the rotation, see WallBlock::turn_velocities.
template <class S, int D>
EDDYLINE_INLINE void extrapolate_to_wall(WallSums<S, D>& sum, const SampledFluid<S, D>& f, const Pair<S, D>& wf) {
  const S VW = f.V * WendlandC2::quarter(wf.rest);
  sum.weight = sum.weight + VW;
  sum.pressure = fma(VW, f.p, sum.pressure);
  add_along<D>(sum.lever, VW * (f.p + S(1)), wf.r);
  add_along<D>(sum.velocity, VW, f.v);
}

}  // namespace eddyline::physics
