#pragma once

#include <algorithm>

#include "base/vec.hpp"
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

/// Pressure of a dummy particle from its sums; g: acceleration that drives the fluid there, relative to the wall
/// [c0^2/R]. 0 where no fluid is near; otherwise at least `least`.
template <int D, class T>
EDDYLINE_INLINE T wall_pressure(T weight, T pressure, const T* g, const T* lever, T least) {
  for (int d = 0; d < D; ++d) pressure += g[d] * lever[d];
  return weight > T(0) ? std::max(pressure / weight, least) : T(0);
}

/// Changes the sums of velocities of a dummy particle with fluid near it as if the wall's rotation [c0/R] had carried
/// the fluid to the wall: fluid that turns with a body does not slide along it.
template <int D, class T>
EDDYLINE_INLINE void turn_velocity(Vec3 angular_velocity, T weight, T pressure, const T* lever, T* velocity) {
  Vec3 arm;
  for (int d = 0; d < D; ++d) arm[d] = static_cast<double>(lever[d]);
  const double per_density = static_cast<double>(weight / (weight + pressure));
  const Vec3 turned = per_density * cross_product(angular_velocity, arm);
  for (int d = 0; d < D; ++d) velocity[d] += static_cast<T>(turned[d]);
}

/// Velocity of a dummy particle for viscous terms, from its sums: that of the wall, or the fluid's velocity mirrored at
/// a wall to which it sticks.
template <class T>
EDDYLINE_INLINE T mirrored_velocity(T weight, T velocity, T v_wall, bool no_slip) {
  const T mean = weight > T(0) ? velocity / weight : v_wall;
  return no_slip ? T(2) * v_wall - mean : v_wall;
}

}  // namespace eddyline::physics
