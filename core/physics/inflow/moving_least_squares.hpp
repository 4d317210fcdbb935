#pragma once
// First-order moving least squares: a linear function fitted to the fluid particles around a point.

#include <array>
#include <cmath>

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Sums of a point n over the surrounding fluid, with weights w_f = V_f W_nf and basis (1, r), r = (r_f - r_n)/R.
template <class S, int D>
struct LinearFitSums {
  static constexpr int k_basis = D + 1;
  static constexpr int k_moments = k_basis * (k_basis + 1) / 2;  // upper triangle of sum_f w b b^T, row by row
  static constexpr int k_fields = D + 1;                         // p and the components of v
  static constexpr int k_values = k_moments + k_fields * k_basis;
  S value[k_values];  // moments, then sum_f w b p, sum_f w b v_x, ...
};

/// These sums for each node, one array for each value.
template <class T, int D>
struct NodeResults {
  T* value[LinearFitSums<T, D>::k_values];
};

/// Calls term(k, a, b) for each of the sums: a particle adds a b to the sum k. r: vector from the particle to the
/// point; W: kernel of the pair.
template <int D, class S, class Term>
EDDYLINE_INLINE void for_each_fit_term(const SampledFluid<S, D>& f, const S* r, S W, Term&& term) {
  constexpr int k_basis = D + 1;
  const S w = f.V * W;
  S basis[k_basis], weighted[k_basis];
  basis[0] = S(1);
  for (int d = 0; d < D; ++d) basis[d + 1] = S(0) - r[d];
  for (int k = 0; k < k_basis; ++k) weighted[k] = w * basis[k];
  int at = 0;
  for (int k = 0; k < k_basis; ++k)
    for (int l = k; l < k_basis; ++l, ++at) term(at, weighted[k], basis[l]);
  for (int field = 0; field < k_basis; ++field)
    for (int k = 0; k < k_basis; ++k, ++at) term(at, weighted[k], field == 0 ? f.p : f.v[field - 1]);
}

/// Adds one particle:  M += w b b^T,  B_phi += w b phi  for phi = p, v_x, v_y(, v_z).
/// First-order moving least squares: from  sum_f w (phi_f - c . b)^2 = min  follows  M c = B_phi.
template <class S, int D>
EDDYLINE_INLINE void add_to_fit(LinearFitSums<S, D>& sum, const SampledFluid<S, D>& f, const Pair<S, D>& nf) {
  const S W = WendlandC2::value(nf.rest, nf.F, nf.q);
  for_each_fit_term<D>(f, nf.r, W, [&](int k, const S& a, const S& b) __attribute__((always_inline)) {
    sum.value[k] = fma(a, b, sum.value[k]);
  });
}

/// The fitted functions of p and the components of v, dimensionless: value at the point and gradient.
/// `weight` is sum_f w.
template <int D>
struct LinearFunctions {
  double weight = 0;
  std::array<std::array<double, D + 1>, D + 1> of{};  // [field][basis]
};

/// The part of the fit that openings use.
template <int D>
struct LinearFit {
  double weight = 0;
  double p = 0;
  std::array<double, D> v{};
  std::array<double, D> gradient_p{};
};

/// Solves M c = B. Where the particles do not determine a gradient (too few, or all on a line: a pivot of M / sum w
/// below 0.005; a full neighbourhood has 0.07), the mean  sum w phi / sum w  is taken (Shepard).
template <int D>
LinearFunctions<D> fit_functions(
    const std::array<double, static_cast<std::size_t>(LinearFitSums<double, D>::k_values)>& sums) {
  constexpr std::size_t n = D + 1;
  LinearFunctions<D> fit;
  fit.weight = sums[0];
  if (!(fit.weight > 0)) return fit;
  std::array<std::array<double, n>, n> m{};
  auto& b = fit.of;
  std::size_t at = 0;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = k; l < n; ++l, ++at) m[k][l] = m[l][k] = sums[at] / fit.weight;
  for (std::size_t field = 0; field < n; ++field)
    for (std::size_t k = 0; k < n; ++k, ++at) b[field][k] = sums[at] / fit.weight;

  // Decomposition L D L^T of the scaled matrix; its first pivot is 1.
  constexpr double k_least_pivot = 0.005;
  bool regular = true;
  const auto mean = b;
  for (std::size_t k = 0; k < n && regular; ++k) {
    regular = m[k][k] > (k == 0 ? 0.5 : k_least_pivot);
    for (std::size_t row = k + 1; row < n && regular; ++row) {
      const double factor = m[row][k] / m[k][k];
      for (std::size_t l = k; l < n; ++l) m[row][l] -= factor * m[k][l];
      for (auto& right : b) right[row] -= factor * right[k];
    }
  }
  if (!regular) {
    for (std::size_t field = 0; field < n; ++field) b[field] = {mean[field][0]};
    return fit;
  }
  for (auto& right : b)
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t l = k + 1; l < n; ++l) right[k] -= m[k][l] * right[l];
      right[k] /= m[k][k];
    }
  return fit;
}

template <int D>
LinearFit<D> solve_fit(const std::array<double, static_cast<std::size_t>(LinearFitSums<double, D>::k_values)>& sums) {
  const LinearFunctions<D> functions = fit_functions<D>(sums);
  LinearFit<D> fit;
  fit.weight = functions.weight;
  fit.p = functions.of[0][0];
  for (std::size_t d = 0; d < D; ++d) {
    fit.v[d] = functions.of[d + 1][0];
    fit.gradient_p[d] = functions.of[0][d + 1];
  }
  return fit;
}

}  // namespace eddyline::physics
