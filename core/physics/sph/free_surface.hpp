#pragma once
// Where the free surface is, and what shifting may do there.

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Sums that describe the neighbourhood of a particle.
template <class S, int D>
struct Arrangement {
  static constexpr int k_entries = D * (D + 1) / 2;
  S concentration[D];   // sum_j V_j F r_ij: minus grad C, up to the kernel's constant
  S moment[k_entries];  // sum_j V_j F r_ij r_ij: renormalisation matrix; xx yy xy, or xx yy zz xy xz yz
};

/// Adds one neighbour to the moments, given VFr = V_j F r_ij.
template <class S, int D>
EDDYLINE_INLINE void arrange(Arrangement<S, D>& sum, const S* VFr, const S* r) {
  for (int d = 0; d < D; ++d) sum.moment[d] = fma(VFr[d], r[d], sum.moment[d]);
  sum.moment[D] = fma(VFr[0], r[1], sum.moment[D]);
  if constexpr (D == 3) {
    sum.moment[4] = fma(VFr[0], r[2], sum.moment[4]);
    sum.moment[5] = fma(VFr[1], r[2], sum.moment[5]);
  }
}

/// Whether the smallest eigenvalue of the symmetric matrix exceeds t: all leading minors of M - t 1 are positive.
template <int D, class S>
EDDYLINE_INLINE auto smallest_eigenvalue_exceeds(const S* m, S t) {
  const S xx = m[0] - t, yy = m[1] - t;
  if constexpr (D == 2) {
    const S minor = fma(xx, yy, S(0) - m[2] * m[2]);
    return (xx > S(0)) & (minor > S(0));
  } else {
    const S zz = m[2] - t, xy = m[3], xz = m[4], yz = m[5];
    const S minor = fma(xx, yy, S(0) - xy * xy);
    const S first = xx * fma(yy, zz, S(0) - yz * yz);
    const S second = xy * fma(xy, zz, S(0) - yz * xz);
    const S third = xz * fma(xy, yz, S(0) - yy * xz);
    return (xx > S(0)) & (minor > S(0)) & ((first - second) + third > S(0));
  }
}

/// Free surface by the smallest eigenvalue lambda of the renormalisation matrix (Marrone et al. 2010): below 0.4 a
/// particle is not shifted; to 0.95 it is not shifted along grad C; above, it is inside the fluid.
/// Changes `shift` accordingly and returns 2 (isolated), 1 (surface) or 0 (inside).
template <class S, int D>
EDDYLINE_INLINE S limit_at_surface(const Arrangement<S, D>& sum, S kernel_constant, S* shift) {
  S moment[Arrangement<S, D>::k_entries];
  for (int k = 0; k < Arrangement<S, D>::k_entries; ++k) moment[k] = sum.moment[k] * kernel_constant;
  const auto attached = smallest_eigenvalue_exceeds<D>(moment, S(0.4f));
  const auto inside = smallest_eigenvalue_exceeds<D>(moment, S(0.95f));
  const S* n = sum.concentration;
  const S along = dot<D>(shift, n) / max(dot<D>(n, n), S(1e-30f));
  for (int d = 0; d < D; ++d) {
    const S tangential = fma(S(0) - along, n[d], shift[d]);
    shift[d] = select(inside, shift[d], select(attached, tangential, S(0)));
  }
  return select(inside, S(0), select(attached, S(1), S(2)));
}

}  // namespace eddyline::physics
