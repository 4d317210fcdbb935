#pragma once
// Pairs of particles and their terms, as the sweeps of the solver mps sum them. S is a SIMD pack of floats.

#include "base/pack.hpp"
#include "physics/mps/weights.hpp"

namespace eddyline::physics::mps {

template <class S, int D>
struct Fluid {
  S x[D];  // fixed point
  S u[D];
  S p;
  S share;  // 1, or 0 if it takes no part
};

template <class S, int D>
struct Wall {
  S x[D];
  S V;
  S v[D], mirrored[D], drive[D];
  S no_slip;
};

template <class S, int D>
struct Pair {
  S r[D];  // r_j - r_i, in units of R
  S r2;
  Radial<S> w;
};

template <int D, class S>
EDDYLINE_INLINE S dot(const S* a, const S* b) {
  S sum = a[0] * b[0];
  for (int d = 1; d < D; ++d) sum = fma(a[d], b[d], sum);
  return sum;
}

/// scale: a quantum over R.
template <class W, class S, int D>
EDDYLINE_INLINE Pair<S, D> make_pair(const S* x_i, const S* x_j, S scale, S cut) {
  Pair<S, D> ij;
  for (int d = 0; d < D; ++d) ij.r[d] = fixed_difference(x_j[d], x_i[d]) * scale;
  ij.r2 = dot<D>(ij.r, ij.r);
  ij.w = W::template at<S>(ij.r2, cut);
  return ij;
}

/// (u_j - u_i) . r
template <int D, class S>
EDDYLINE_INLINE S along(const S* u_j, const S* u_i, const S* r) {
  S sum = (u_j[0] - u_i[0]) * r[0];
  for (int d = 1; d < D; ++d) sum = fma(u_j[d] - u_i[d], r[d], sum);
  return sum;
}

template <int D, class S>
EDDYLINE_INLINE void add_moments(S* moment, S VB, const S* r) {
  S VBr[D];
  for (int d = 0; d < D; ++d) {
    VBr[d] = VB * r[d];
    moment[d] = fma(VBr[d], r[d], moment[d]);
  }
  moment[D] = fma(VBr[0], r[1], moment[D]);
  if constexpr (D == 3) {
    moment[4] = fma(VBr[0], r[2], moment[4]);
    moment[5] = fma(VBr[1], r[2], moment[5]);
  }
}

/// 2 (D + 2) sum B (u . r) r / r^2, without its factor: conserves angular momentum. Source: Monaghan & Gingold 1983.
template <int D, class S>
EDDYLINE_INLINE void viscosity_central(S* sum, S VB, const S* u, const Pair<S, D>& ij) {
  constexpr float k_least = 1e-12f;
  const S factor = VB * dot<D>(u, ij.r) / max(ij.r2, S(k_least));
  for (int d = 0; d < D; ++d) sum[d] = fma(factor, ij.r[d], sum[d]);
}

/// sum A u
template <int D, class S>
EDDYLINE_INLINE void viscosity_laplacian(S* sum, S VA, const S* u) {
  for (int d = 0; d < D; ++d) sum[d] = fma(VA, u[d], sum[d]);
}

}  // namespace eddyline::physics::mps
