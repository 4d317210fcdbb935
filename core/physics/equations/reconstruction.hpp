#pragma once
// Values at a face from the means of cells beside it.

#include <array>
#include <cstddef>

#include "base/pack.hpp"
#include "physics/equations/kernels.hpp"

namespace eddyline::physics {

/// Van Leer's limited slope.
/// Source: van Leer 1974.
template <class Q>
EDDYLINE_INLINE Q limited_slope(Q a, Q b) {
  const Q product = a * b;
  return select(product > Q(0.0), (product + product) / (a + b), Q(0.0));
}

/// The value at the face between c and d, as cells a to e on the side of c say; c is the cell at the face.
/// Source: Borges et al. 2008 (WENO-Z of order 5).
template <class Q>
EDDYLINE_INLINE Q weno_z(Q a, Q b, Q c, Q d, Q e) {
  const Q p0 = (Q(2.0) * a - Q(7.0) * b + Q(11.0) * c), p1 = (Q(5.0) * c - b + Q(2.0) * d),
          p2 = (Q(2.0) * c + Q(5.0) * d - e);  // six times the values of the three parabolas
  const auto square = [](Q v) { return v * v; };
  const Q s0 = Q(13.0 / 12) * square(a - Q(2.0) * b + c) + Q(0.25) * square(a - Q(4.0) * b + Q(3.0) * c);
  const Q s1 = Q(13.0 / 12) * square(b - Q(2.0) * c + d) + Q(0.25) * square(b - d);
  const Q s2 = Q(13.0 / 12) * square(c - Q(2.0) * d + e) + Q(0.25) * square(Q(3.0) * c - Q(4.0) * d + e);
  const Q tau = abs(s0 - s2), tiny(1e-40);
  const Q w0 = Q(1.0) + square(tau / (s0 + tiny)), w1 = Q(6.0) * (Q(1.0) + square(tau / (s1 + tiny))),
          w2 = Q(3.0) * (Q(1.0) + square(tau / (s2 + tiny)));
  return (w0 * p0 + w1 * p1 + w2 * p2) / (Q(6.0) * (w0 + w1 + w2));
}

template <class Q, std::size_t N>
struct FaceValues {
  ValuesOf<Q, N> left, right;
};

/// Both sides of the face between the cell at `q` and the next one; `step`: distance to that. Where a side is not valid
/// it takes the value of its cell.
template <Reconstruction R>
struct Reconstruct;

template <>
struct Reconstruct<Reconstruction::muscl> {
  static constexpr std::int32_t k_ghosts = 2;

  template <class Q, class Model>
  static EDDYLINE_INLINE FaceValues<Q, Model::k_fields> face(const Model&, const double* q, std::ptrdiff_t field,
                                                             std::ptrdiff_t step) {
    FaceValues<Q, Model::k_fields> face;
    for (std::size_t f = 0; f < Model::k_fields; ++f, q += field) {
      const Q a = Q::load(q - step), b = Q::load(q), c = Q::load(q + step), d = Q::load(q + 2 * step);
      const Q jump = c - b;
      face.left[f] = b + Q(0.5) * limited_slope(b - a, jump);
      face.right[f] = c - Q(0.5) * limited_slope(jump, d - c);
    }
    return face;
  }
};

template <>
struct Reconstruct<Reconstruction::weno> {
  static constexpr std::int32_t k_ghosts = 3;

  template <class Q, class Model>
  static EDDYLINE_INLINE FaceValues<Q, Model::k_fields> face(const Model& model, const double* q, std::ptrdiff_t field,
                                                             std::ptrdiff_t step) {
    constexpr std::size_t N = Model::k_fields;
    FaceValues<Q, N> face, cell;
    for (std::size_t f = 0; f < N; ++f, q += field) {
      const Q a = Q::load(q - 2 * step), b = Q::load(q - step), c = Q::load(q), d = Q::load(q + step),
              e = Q::load(q + 2 * step), g = Q::load(q + 3 * step);
      face.left[f] = weno_z(a, b, c, d, e);
      face.right[f] = weno_z(g, e, d, c, b);
      cell.left[f] = c, cell.right[f] = d;
    }
    const auto left = model.margin_of_primitive(face.left) > Q(0.0),
               right = model.margin_of_primitive(face.right) > Q(0.0);
    for (std::size_t f = 0; f < N; ++f) {
      face.left[f] = select(left, face.left[f], cell.left[f]);
      face.right[f] = select(right, face.right[f], cell.right[f]);
    }
    return face;
  }
};

}  // namespace eddyline::physics
