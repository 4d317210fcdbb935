#pragma once
// The turbulence model of Spalart and Allmaras without trip, in the variant SA-neg, for nu~ [m^2/s]:
//   d nu~/dt + u . grad nu~ = P - D + 1/sigma [ (1 + cb2) div(k grad nu~) - cb2 k lap nu~ ],   k = nu + fn nu~
// Eddy viscosity: mu_t = rho nu~ fv1. Sources: Spalart & Allmaras 1994; nu~ < 0, and the limit of S~: Allmaras, Johnson
// & Spalart 2012. With k = nu + nu~ the bracket is div(k grad nu~) + cb2 |grad nu~|^2 where nu is uniform.

#include <algorithm>
#include <cmath>

#include "base/pack.hpp"
#include "base/portable_math.hpp"

namespace eddyline::physics::turbulence {

using std::max;
using std::min;

inline constexpr double k_cb1 = 0.1355, k_cb2 = 0.622, k_sigma = 2.0 / 3, k_kappa = 0.41;
inline constexpr double k_cw1 = k_cb1 / (k_kappa * k_kappa) + (1 + k_cb2) / k_sigma, k_cw2 = 0.3, k_cw3 = 2;
inline constexpr double k_cv1 = 7.1, k_cv2 = 0.7, k_cv3 = 0.9;
inline constexpr double k_ct3 = 1.2, k_ct4 = 0.5;
inline constexpr double k_cn1 = 16;
inline constexpr double k_most_r = 10;
inline constexpr double k_prandtl = 0.9;  // of the heat that eddies carry

/// fv1 = chi^3 / (chi^3 + cv1^3); 0 for chi < 0.
template <class S>
EDDYLINE_INLINE S fv1(S chi) {
  const S positive = max(chi, S(0)), cube = positive * positive * positive;
  return cube / (cube + S(k_cv1 * k_cv1 * k_cv1));
}

/// k = nu + fn nu~ with fn = (cn1 + chi^3) / (cn1 - chi^3) for chi < 0, else 1: always positive.
template <class S>
EDDYLINE_INLINE S diffusivity(S nu, S nu_tilde) {
  const S chi = min(nu_tilde / nu, S(0)), cube = chi * chi * chi;
  return nu + (S(k_cn1) + cube) / (S(k_cn1) - cube) * nu_tilde;
}

/// Diffusion through a face is this times its area squared per volume times nu~_other - nu~_here [m^2/s].
template <class S>
EDDYLINE_INLINE S diffusion(S k_here, S k_other) {
  const S mean = S(0.5 * (1 + k_cb2)) * (k_here + k_other);
  return S(1 / k_sigma) * max(mean - S(k_cb2) * k_here, S(0));
}

/// P - D [m^2/s^2], and the part of its derivative that makes nu~ decay [1/s]: at least 0.
struct Source {
  double rate, decay;
};

/// S~ = Omega + S', S' = nu~ fv2 / (kappa d)^2, limited so that it stays positive.
inline double modified_vorticity(double vorticity, double extra) {
  if (extra >= -k_cv2 * vorticity) return vorticity + extra;
  const double over = vorticity * (k_cv2 * k_cv2 * vorticity + k_cv3 * extra);
  return vorticity + over / ((k_cv3 - 2 * k_cv2) * vorticity - extra);
}

/// fw = g ((1 + cw3^6) / (g^6 + cw3^6))^(1/6), g = r + cw2 (r^6 - r).
inline double wall_function(double r) {
  constexpr double k_sixth = k_cw3 * k_cw3 * k_cw3 * k_cw3 * k_cw3 * k_cw3;
  const double r2 = r * r, g = r + k_cw2 * (r2 * r2 * r2 - r), g2 = g * g;
  return g * portable::pow((1 + k_sixth) / (g2 * g2 * g2 + k_sixth), 1.0 / 6);
}

/// nu: laminar; vorticity: |curl u| [1/s]; d: distance from the nearest wall [m], infinite without walls.
inline Source source(double nu, double nu_tilde, double vorticity, double d) {
  const double per_square = 1 / (d * d);
  if (nu_tilde < 0) {
    const double production = k_cb1 * (1 - k_ct3) * vorticity, destruction = -k_cw1 * nu_tilde * per_square;
    return {(production - destruction) * nu_tilde, 2 * destruction - production};
  }
  const double chi = nu_tilde / nu, ft2 = k_ct3 * portable::exp(-k_ct4 * chi * chi);
  const double fv2 = 1 - chi / (1 + chi * fv1(chi)), by_wall = nu_tilde * per_square / (k_kappa * k_kappa);
  const double modified = modified_vorticity(vorticity, by_wall * fv2);
  const double r = by_wall < k_most_r * modified ? by_wall / modified : k_most_r;
  const double production = k_cb1 * (1 - ft2) * modified;
  const double destruction = (k_cw1 * wall_function(r) - k_cb1 / (k_kappa * k_kappa) * ft2) * nu_tilde * per_square;
  return {(production - destruction) * nu_tilde, std::max(2 * destruction - production, 0.0)};
}

}  // namespace eddyline::physics::turbulence
