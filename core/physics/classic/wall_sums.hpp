#pragma once

#include "physics/classic/states.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/pair.hpp"

namespace eddyline::physics::classic {

/// Sums of a dummy particle of a wall over the surrounding fluid.
template <class S, int D>
struct WallSums {
  S weight;       // sum_f V_f W
  S pressure;     // sum_f V_f W p_f
  S density;      // sum_f V_f W rho_f
  S lever[D];     // sum_f V_f W rho_f (r_w - r_f)
  S velocity[D];  // sum_f V_f W v_f
};

/// Extrapolation of the fluid to a dummy particle, as in walls/adami.hpp, for fluids of any density:
///   p_w = [sum_f p_f W + (g - a_w) . sum_f rho_f r_wf W] / sum_f W,   v_w = 2 v_wall - sum_f v_f W / sum_f W
/// Source: Adami, Hu & Adams 2012; sums weighted by volume.
template <class S, int D>
EDDYLINE_INLINE void extrapolate_to_wall(WallSums<S, D>& sum, const Fluid<S, D>& f, const Pair<S, D>& wf) {
  const S mW = f.m * CubicSpline::value(wf.rest, wf.q);
  const S VW = mW / f.rho;
  sum.weight = sum.weight + VW;
  sum.pressure = fma(VW, f.p, sum.pressure);
  sum.density = sum.density + mW;
  add_along<D>(sum.lever, mW, wf.r);
  add_along<D>(sum.velocity, VW, f.v);
}

}  // namespace eddyline::physics::classic
