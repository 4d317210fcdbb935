#pragma once
// Incompressible flow by artificial compressibility: fluxes through a face between two cells, and what follows from
// them.
//   dp/dtau + beta div u = 0,   du/dtau + du/dt + div(u u) + grad p = div(nu (grad u + grad u^T)) + f
// p is the pressure over the density [m^2/s^2]; beta [m^2/s^2]. Source: Chorin 1967; Jameson, Schmidt & Turkel 1981.

#include <array>
#include <cstddef>

#include "base/pack.hpp"

namespace eddyline::physics::artificial_compressibility {

template <class S, std::size_t D>
using Vector = std::array<S, D>;
/// p, and the components of u.
template <class S, std::size_t D>
using Unknowns = std::array<S, D + 1>;

template <class S, std::size_t D>
EDDYLINE_INLINE S dot(const Vector<S, D>& a, const Vector<S, D>& b) {
  S sum = a[0] * b[0];
  for (std::size_t d = 1; d < D; ++d) sum = sum + a[d] * b[d];
  return sum;
}

/// Flux from cell a to cell b through the face vector `face` [m^(D-1)], by products of averages:
///   (beta u.S, (u.S) u + p S),  u = (u_a + u_b)/2, p = (p_a + p_b)/2
/// Antisymmetric when a and b are exchanged and the face is turned.
template <class S, std::size_t D>
EDDYLINE_INLINE Unknowns<S, D> convective_flux(const Unknowns<S, D>& a, const Unknowns<S, D>& b,
                                               const Vector<S, D>& face, S beta) {
  const S half(0.5);
  Vector<S, D> u;
  for (std::size_t d = 0; d < D; ++d) u[d] = half * (a[1 + d] + b[1 + d]);
  const S p = half * (a[0] + b[0]), through = dot(u, face);
  Unknowns<S, D> flux;
  flux[0] = beta * through;
  for (std::size_t d = 0; d < D; ++d) flux[1 + d] = through * u[d] + p * face[d];
  return flux;
}

/// Largest speed of a signal through a face, times its area: |u.S| + sqrt((u.S)^2 + beta S.S).
template <class S, std::size_t D>
EDDYLINE_INLINE S spectral_radius(const Unknowns<S, D>& w, const Vector<S, D>& face, S beta) {
  S through = w[1] * face[0];
  for (std::size_t d = 1; d < D; ++d) through = through + w[1 + d] * face[d];
  return abs(through) + sqrt(through * through + beta * dot(face, face));
}

/// Scalar dissipation of third differences, -k4 lambda (w_bb - 3 w_b + 3 w_a - w_aa), with the cells aa, a, b, bb in a
/// row.
template <class S, std::size_t D>
EDDYLINE_INLINE Unknowns<S, D> third_differences(const Unknowns<S, D>& aa, const Unknowns<S, D>& a,
                                                 const Unknowns<S, D>& b, const Unknowns<S, D>& bb, S lambda, S k4) {
  const S scale = S(0) - k4 * lambda;
  Unknowns<S, D> flux;
  for (std::size_t v = 0; v <= D; ++v) flux[v] = scale * ((bb[v] - aa[v]) - S(3) * (b[v] - a[v]));
  return flux;
}

/// |A| x for the Jacobian A of the flux through a face between a and b, in closed form. `least`: smallest eigenvalue of
/// shear over the largest of all. Source of the form: Swanson & Turkel 1992.
template <class S, std::size_t D>
EDDYLINE_INLINE Unknowns<S, D> times_matrix(const Unknowns<S, D>& x, const Unknowns<S, D>& a, const Unknowns<S, D>& b,
                                            const Vector<S, D>& face, S beta, S least) {
  const S half(0.5), area = sqrt(dot(face, face)), per_area = S(1) / area;
  Vector<S, D> u, n;
  for (std::size_t d = 0; d < D; ++d) u[d] = half * (a[1 + d] + b[1 + d]), n[d] = face[d] * per_area;
  const S un = dot(u, n), c = sqrt(un * un + beta), ahead = un + c, behind = un - c;
  const S slow = max(abs(un), least * (abs(un) + c));
  S normal = n[0] * x[1];
  for (std::size_t d = 1; d < D; ++d) normal = normal + n[d] * x[1 + d];
  // x = sum of both waves of pressure, (beta, m (u + (m - 2 un) n) / (m - un)) with speeds m = un +- c, and of shear,
  // which changes neither p nor u.n.
  const S both = x[0] / beta;
  const S first = (normal - behind * both) / (c + c), second = both - first;
  const S more = (abs(ahead) - slow) * first, less = (abs(behind) - slow) * second;
  const S up = more * ahead / c, down = less * behind / c;
  const S with_u = up - down, with_n = up * (c - un) + down * (c + un);
  Unknowns<S, D> product;
  product[0] = area * (slow * x[0] + beta * (more + less));
  for (std::size_t d = 0; d < D; ++d) product[1 + d] = area * (slow * x[1 + d] + with_u * u[d] + with_n * n[d]);
  return product;
}

/// Dissipation of first differences on coarse levels of multigrid, kc lambda (w_b - w_a).
template <class S, std::size_t D>
EDDYLINE_INLINE Unknowns<S, D> first_differences(const Unknowns<S, D>& a, const Unknowns<S, D>& b, S lambda, S kc) {
  const S scale = kc * lambda;
  Unknowns<S, D> flux;
  for (std::size_t v = 0; v <= D; ++v) flux[v] = scale * (b[v] - a[v]);
  return flux;
}

/// Friction through a face in the thin-layer approximation: nu (S.S) / V (u_b - u_a), V the mean volume.
template <class S, std::size_t D>
EDDYLINE_INLINE Vector<S, D> thin_layer_friction(const Unknowns<S, D>& a, const Unknowns<S, D>& b,
                                                 const Vector<S, D>& face, S per_volume, S nu) {
  const S scale = nu * per_volume * dot(face, face);
  Vector<S, D> friction;
  for (std::size_t d = 0; d < D; ++d) friction[d] = scale * (b[1 + d] - a[1 + d]);
  return friction;
}

/// Gradient of the velocity: [v][c] = du_v / dx_c.
template <class S, std::size_t D>
using Gradient = std::array<Vector<S, D>, D>;

/// Friction nu (grad u + grad u^T) . S, with the mean gradient of both cells, corrected so that its part along the line
/// between the cell centres, `line`, is the difference of their velocities.
template <class S, std::size_t D>
EDDYLINE_INLINE Vector<S, D> full_friction(const Unknowns<S, D>& a, const Unknowns<S, D>& b, Gradient<S, D> mean,
                                           const Vector<S, D>& line, const Vector<S, D>& face, S nu) {
  const S per_line = S(1) / dot(face, line);
  for (std::size_t v = 0; v < D; ++v) {
    const S missing = ((b[1 + v] - a[1 + v]) - dot(mean[v], line)) * per_line;
    for (std::size_t c = 0; c < D; ++c) mean[v][c] = mean[v][c] + missing * face[c];
  }
  Vector<S, D> friction;
  for (std::size_t v = 0; v < D; ++v) {
    S sum = (mean[v][0] + mean[0][v]) * face[0];
    for (std::size_t c = 1; c < D; ++c) sum = sum + (mean[v][c] + mean[c][v]) * face[c];
    friction[v] = nu * sum;
  }
  return friction;
}

}  // namespace eddyline::physics::artificial_compressibility
