#pragma once
// Detection of the free surface, and the limit of shifting there.

#include <cstdint>

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Kind of neighbourhood of a particle, as the sweeps detect it.
enum Surrounding : std::uint8_t {
  k_inside = 0,
  k_at_surface = 1,
  k_isolated = 2,
  k_sparse = 3,  // inside, with evenly distributed but too few neighbours
  k_deep = 4,    // inside, with fluid in the whole support of the kernel: see volume_fraction.hpp
};

constexpr bool is_inside(Surrounding surrounding) {
  return surrounding == k_inside || surrounding == k_sparse || surrounding == k_deep;
}

/// Sums that describe the neighbourhood of a particle.
template <class S, int D>
struct NeighborhoodSums {
  static constexpr int k_entries = D * (D + 1) / 2;
  S concentration[D];   // sum_j V_j F r_ij = -grad C, up to the kernel's constant
  S moment[k_entries];  // sum_j V_j F r_ij r_ij: renormalisation matrix; xx yy xy, or xx yy zz xy xz yz
};

/// Adds one neighbour to the moments: V_j F r_ij r_ij, given VFr = V_j F r_ij.
template <class S, int D>
EDDYLINE_INLINE void add_to_moments(NeighborhoodSums<S, D>& sum, const S* VFr, const S* r) {
  for (int d = 0; d < D; ++d) sum.moment[d] = fma(VFr[d], r[d], sum.moment[d]);
  sum.moment[D] = fma(VFr[0], r[1], sum.moment[D]);
  if constexpr (D == 3) {
    sum.moment[4] = fma(VFr[0], r[2], sum.moment[4]);
    sum.moment[5] = fma(VFr[1], r[2], sum.moment[5]);
  }
}

/// True if the smallest eigenvalue of the symmetric matrix exceeds t: all leading minors of M - t I are positive.
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

/// Detects the free surface by the smallest eigenvalue lambda of the renormalisation matrix and limits the shift there:
///   lambda <= 0.4          isolated: no shift
///   0.4 < lambda <= 0.95   at the surface: no shift along grad C; sparse instead if lambda > 0.6 and |grad C| R < 0.2
///   lambda > 0.95          inside: full shift
/// Source: Marrone et al. 2010. If particles have separated, lambda is low inside as well, but grad C is small.
/// |grad C| R is 1.5 at a flat surface, and below 0.2 from 0.54 R under it on; it is 0 in the middle of a small drop,
/// but lambda is low there. scale: unit of r, divided by R; kernel_constant includes its square. Changes `shift` and
/// returns a Surrounding.
template <class S, int D>
EDDYLINE_INLINE S limit_at_surface(const NeighborhoodSums<S, D>& sum, S kernel_constant, S scale, S* shift) {
  constexpr float k_even = 0.2f;
  S moment[NeighborhoodSums<S, D>::k_entries];
  for (int k = 0; k < NeighborhoodSums<S, D>::k_entries; ++k) moment[k] = sum.moment[k] * kernel_constant;
  const auto attached = smallest_eigenvalue_exceeds<D>(moment, S(0.4f));
  const auto inside = smallest_eigenvalue_exceeds<D>(moment, S(0.95f));
  const S* n = sum.concentration;
  const S along = dot<D>(shift, n) / max(dot<D>(n, n), S(1e-30f));
  for (int d = 0; d < D; ++d) {
    const S tangential = fma(S(0) - along, n[d], shift[d]);
    shift[d] = select(inside, shift[d], select(attached, tangential, S(0)));
  }
  const S slope = S(k_even) * scale / kernel_constant;  // limit of |grad C|, in units of n
  const auto even = smallest_eigenvalue_exceeds<D>(moment, S(0.6f)) & (slope * slope > dot<D>(n, n));
  const S outside = select(attached, select(even, S(k_sparse), S(k_at_surface)), S(k_isolated));
  return select(inside, S(k_inside), outside);
}

}  // namespace eddyline::physics
