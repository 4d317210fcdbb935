#pragma once
// Compressible flow of an ideal gas: fluxes through a face between two cells, and what follows from them.
//   d rho/dt + div(rho u) = 0
//   d(rho u)/dt + div(rho u u) + grad p = div tau + rho f
//   d(rho E)/dt + div(rho H u) = div(tau u + k grad T) + rho u.f
// tau = mu (grad u + grad u^T - 2/3 div u), rho E = p / (gamma - 1) + rho u^2 / 2, rho H = rho E + p. The temperature
// is theta = p / rho [m^2/s^2]; heat flows with mu gamma / ((gamma - 1) Pr) grad theta. Source of the fluxes and of
// scalar dissipation: Jameson, Schmidt & Turkel 1981; of matrix dissipation: Swanson & Turkel 1992.

#include <array>
#include <cmath>
#include <cstddef>

#include "base/pack.hpp"

namespace eddyline::physics::compressible {

using std::abs;
using std::sqrt;

template <class S, std::size_t D>
using Vector = std::array<S, D>;
/// Densities of mass, momentum and energy: rho, rho u, rho E.
template <class S, std::size_t D>
using Densities = std::array<S, D + 2>;
/// Gradients of u and of theta: [v][c] = du_v / dx_c, [D][c] = d theta / dx_c.
template <class S, std::size_t D>
using Gradient = std::array<Vector<S, D>, D + 1>;

template <class S, std::size_t D>
EDDYLINE_INLINE S dot(const Vector<S, D>& a, const Vector<S, D>& b) {
  S sum = a[0] * b[0];
  for (std::size_t d = 1; d < D; ++d) sum = sum + a[d] * b[d];
  return sum;
}

/// A cell: density, velocity, pressure, theta = p / rho.
template <class S, std::size_t D>
struct Cell {
  S rho;
  Vector<S, D> u;
  S p, theta;
};

/// Constants of a gas.
template <class S>
struct Constants {
  S gamma, less_one, ratio;  // gamma, gamma - 1, gamma / (gamma - 1)
  explicit Constants(double value) : gamma(value), less_one(value - 1), ratio(value / (value - 1)) {}
};

template <class S, std::size_t D>
EDDYLINE_INLINE S total_enthalpy(const Cell<S, D>& c, const Constants<S>& gas) {
  return gas.ratio * c.theta + S(0.5) * dot(c.u, c.u);
}
/// rho, rho u, rho H: what scalar dissipation acts on, so that a uniform total enthalpy stays uniform.
template <class S, std::size_t D>
EDDYLINE_INLINE Densities<S, D> with_enthalpy(const Cell<S, D>& c, const Constants<S>& gas) {
  Densities<S, D> w;
  w[0] = c.rho;
  for (std::size_t d = 0; d < D; ++d) w[1 + d] = c.rho * c.u[d];
  w[D + 1] = c.rho * total_enthalpy(c, gas);
  return w;
}
template <class S, std::size_t D>
EDDYLINE_INLINE Densities<S, D> densities(const Cell<S, D>& c, const Constants<S>& gas) {
  Densities<S, D> w = with_enthalpy(c, gas);
  w[D + 1] = w[D + 1] - c.p;
  return w;
}

/// Flux from cell a to cell b through the face vector `face` [m^(D-1)], by products of averages. Antisymmetric when a
/// and b are exchanged and the face is turned.
template <class S, std::size_t D>
EDDYLINE_INLINE Densities<S, D> convective_flux(const Cell<S, D>& a, const Cell<S, D>& b, const Vector<S, D>& face,
                                                const Constants<S>& gas) {
  const S half(0.5);
  Vector<S, D> u;
  for (std::size_t d = 0; d < D; ++d) u[d] = half * (a.u[d] + b.u[d]);
  const S p = half * (a.p + b.p), mass = half * (a.rho + b.rho) * dot(u, face);
  Densities<S, D> flux;
  flux[0] = mass;
  for (std::size_t d = 0; d < D; ++d) flux[1 + d] = mass * u[d] + p * face[d];
  flux[D + 1] = mass * (half * (total_enthalpy(a, gas) + total_enthalpy(b, gas)));
  return flux;
}

/// Largest speed of a signal through a face, times its area: |u.S| + c |S|.
template <class S, std::size_t D>
EDDYLINE_INLINE S spectral_radius(const Cell<S, D>& c, const Vector<S, D>& face, const Constants<S>& gas) {
  return abs(dot(c.u, face)) + sqrt(gas.gamma * c.theta * dot(face, face));
}

/// Second difference of the pressure over its sum, of three cells in a row: large at shocks.
template <class S>
EDDYLINE_INLINE S pressure_switch(S before, S here, S after) {
  return abs((after - here) - (here - before)) / ((after + before) + (here + here));
}

/// Coefficients of the dissipation at a face: of first and of third differences.
template <class S>
struct Coefficients {
  S first, third;
};
/// Coefficients from the pressures of four cells in a row.
template <class S>
EDDYLINE_INLINE Coefficients<S> coefficients(const std::array<S, 4>& p, S k2, S k4) {
  const S first = k2 * max(pressure_switch(p[0], p[1], p[2]), pressure_switch(p[1], p[2], p[3]));
  return {first, max(S(0), k4 - first)};
}

/// first (w_b - w_a) - third (w_bb - 3 w_b + 3 w_a - w_aa)
template <class S, std::size_t N>
EDDYLINE_INLINE std::array<S, N> differences(const std::array<S, N>& aa, const std::array<S, N>& a,
                                             const std::array<S, N>& b, const std::array<S, N>& bb,
                                             const Coefficients<S>& by) {
  std::array<S, N> sum;
  for (std::size_t v = 0; v < N; ++v) {
    const S first = b[v] - a[v];
    sum[v] = by.first * first - by.third * ((bb[v] - aa[v]) - S(3) * first);
  }
  return sum;
}

/// |A| x for the Jacobian A of the flux through a face between a and b, in closed form. `least`: smallest eigenvalues
/// over the largest one, of sound and of entropy and shear.
template <class S, std::size_t D>
EDDYLINE_INLINE Densities<S, D> times_matrix(const Densities<S, D>& x, const Cell<S, D>& a, const Cell<S, D>& b,
                                             const Vector<S, D>& face, const Constants<S>& gas, S least) {
  const S half(0.5);
  Vector<S, D> u, n;
  for (std::size_t d = 0; d < D; ++d) u[d] = half * (a.u[d] + b.u[d]);
  const S area = sqrt(dot(face, face)), per_area = S(1) / area;
  for (std::size_t d = 0; d < D; ++d) n[d] = face[d] * per_area;
  const S c2 = gas.gamma * ((a.p + b.p) / (a.rho + b.rho)), c = sqrt(c2), un = dot(u, n);
  const S largest = abs(un) + c, lowest = least * largest;
  const S ahead = max(abs(un + c), lowest), behind = max(abs(un - c), lowest), slow = max(abs(un), lowest);
  S ux = u[0] * x[1], nx = n[0] * x[1];
  for (std::size_t d = 1; d < D; ++d) ux = ux + u[d] * x[1 + d], nx = nx + n[d] * x[1 + d];
  const S dp = gas.less_one * ((half * dot(u, u) * x[0] - ux) + x[D + 1]), dun = nx - un * x[0];
  const S even = half * (ahead + behind) - slow, odd = half * (ahead - behind) / c;
  const S mass = even * dp / c2 + odd * dun, along = even * dun + odd * dp;
  const S enthalpy = half * (total_enthalpy(a, gas) + total_enthalpy(b, gas));
  Densities<S, D> product;
  product[0] = area * (slow * x[0] + mass);
  for (std::size_t d = 0; d < D; ++d) product[1 + d] = area * (slow * x[1 + d] + mass * u[d] + along * n[d]);
  product[D + 1] = area * (slow * x[D + 1] + mass * enthalpy + along * un);
  return product;
}

/// mu / mu_0 by Sutherland's law: (1 + s) t^(3/2) / (t + s), t = theta / theta_0, s = S / T_0. s < 0: constant.
template <class S>
EDDYLINE_INLINE S relative_viscosity(S t, double s) {
  if (s < 0) return S(1);
  return S(1 + s) * t * sqrt(t) / (t + S(s));
}

/// Stress on a face, tau . S, and the flux of heat.
template <class S, std::size_t D>
struct Friction {
  Vector<S, D> stress;
  S heat;
};

/// Friction in the thin-layer approximation: all gradients along the face vector. `conductivity`: over mu, of theta.
template <class S, std::size_t D>
EDDYLINE_INLINE Friction<S, D> thin_layer_friction(const Cell<S, D>& a, const Cell<S, D>& b, const Vector<S, D>& face,
                                                   S per_volume, S mu, S conductivity) {
  const S square = dot(face, face), scale = mu * per_volume;
  Vector<S, D> du;
  for (std::size_t d = 0; d < D; ++d) du[d] = b.u[d] - a.u[d];
  const S third = dot(du, face) * S(1.0 / 3);
  Friction<S, D> friction;
  for (std::size_t d = 0; d < D; ++d) friction.stress[d] = scale * (square * du[d] + third * face[d]);
  friction.heat = conductivity * scale * square * (b.theta - a.theta);
  return friction;
}

/// Friction with the mean gradients of both cells, corrected so that their part along the line between the cell
/// centres, `line`, is the difference of the cells.
template <class S, std::size_t D>
EDDYLINE_INLINE Friction<S, D> full_friction(const Cell<S, D>& a, const Cell<S, D>& b, Gradient<S, D> mean,
                                             const Vector<S, D>& line, const Vector<S, D>& face, S mu, S conductivity) {
  const S per_line = S(1) / dot(face, line);
  for (std::size_t v = 0; v <= D; ++v) {
    const S difference = v < D ? b.u[v < D ? v : 0] - a.u[v < D ? v : 0] : b.theta - a.theta;
    const S missing = (difference - dot(mean[v], line)) * per_line;
    for (std::size_t c = 0; c < D; ++c) mean[v][c] = mean[v][c] + missing * face[c];
  }
  S divergence = mean[0][0];
  for (std::size_t d = 1; d < D; ++d) divergence = divergence + mean[d][d];
  divergence = divergence * S(2.0 / 3);
  Friction<S, D> friction;
  for (std::size_t v = 0; v < D; ++v) {
    S sum = (mean[v][0] + mean[0][v]) * face[0];
    for (std::size_t c = 1; c < D; ++c) sum = sum + (mean[v][c] + mean[c][v]) * face[c];
    friction.stress[v] = mu * (sum - divergence * face[v]);
  }
  friction.heat = mu * conductivity * dot(mean[D], face);
  return friction;
}

}  // namespace eddyline::physics::compressible
