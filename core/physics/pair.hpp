#pragma once
// States of two particles and their geometry, as terms of pair sums read them. Dimensionless: lengths by R, speeds
// by c0, densities by rho0, pressures by rho0 c0^2, volumes by dx^D. S is a float, a double or a SIMD pack of floats.

#include "base/pack.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::physics {

/// A fluid particle at the midpoint of a step, for the rates of density and viscosity.
template <class S, int D>
struct MidpointFluid {
  S x[D];  // fixed point
  S v[D];
  S s;          // density excess rho/rho0 - 1
  S V;          // volume
  S half_g[D];  // half the density gradient, from the last pressure acceleration; per quantum
  S w[D];       // shifting velocity, confined flows only; by R/quantum, because it is multiplied by r
};

/// A fluid particle at the end of a step, for the pressure force and shifting.
template <class S, int D>
struct EndFluid {
  S x[D];
  S p;
  S V;
};

/// A fluid particle at the end of a step with its velocity, for extrapolation to walls and openings.
template <class S, int D>
struct SampledFluid {
  S x[D];
  S p;
  S V;
  S v[D];
};

/// A dummy particle of a wall or a body.
template <class S, int D>
struct Wall {
  S x[D];
  S p;
  S V;
  S v_mirror[D];  // the mirrored velocity that viscous terms use (Adami)
  S v[D];         // the wall's own velocity
  S no_slip;      // 1 or 0
};

/// Geometry of a pair. The sums are multiplied by the constants of the kernel's gradient afterwards, and by the quantum
/// if r is in quanta.
template <class S, int D>
struct Pair {
  S r[D];  // r_i - r_j, by R or in quanta
  S r2;
  S q;     // |r| / R
  S rest;  // max(0, 1 - q)
  S F;     // (1 - q)^3: grad W = -20 sigma F r
};

template <int D, class S>
EDDYLINE_INLINE S dot(const S* a, const S* b) {
  S sum = a[0] * b[0];
  for (int d = 1; d < D; ++d) sum = fma(a[d], b[d], sum);
  return sum;
}

/// Completes a pair from q^2; r and r2 are already known.
template <class S, int D>
EDDYLINE_INLINE void find_kernel(Pair<S, D>& ij, S q_squared) {
  ij.q = sqrt(q_squared);
  ij.rest = max(S(1) - ij.q, S(0));
  ij.F = WendlandC2::gradient(ij.rest);
}

/// Makes a pair with r divided by R; scale: quantum / R.
template <class S, int D>
EDDYLINE_INLINE Pair<S, D> make_pair(const S* x_i, const S* x_j, S scale) {
  Pair<S, D> ij;
  for (int d = 0; d < D; ++d) ij.r[d] = fixed_difference(x_i[d], x_j[d]) * scale;
  ij.r2 = dot<D>(ij.r, ij.r);
  find_kernel(ij, ij.r2);
  return ij;
}

/// Makes a pair with r in quanta: one multiplication instead of D. squared_scale: (quantum / R)^2.
template <class S, int D>
EDDYLINE_INLINE Pair<S, D> make_quanta_pair(const S* x_i, const S* x_j, S squared_scale) {
  Pair<S, D> ij;
  for (int d = 0; d < D; ++d) ij.r[d] = fixed_difference(x_i[d], x_j[d]);
  ij.r2 = dot<D>(ij.r, ij.r);
  find_kernel(ij, ij.r2 * squared_scale);
  return ij;
}

/// Adds factor r to the sum: central forces and gradients.
template <int D, class S>
EDDYLINE_INLINE void add_along(S* sum, S factor, const S* r) {
  for (int d = 0; d < D; ++d) sum[d] = fma(factor, r[d], sum[d]);
}

}  // namespace eddyline::physics
