#pragma once

#include <cstddef>
#include <span>

#include "base/arrays.hpp"
#include "linear/operator.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

/// A polynomial of D^-1 A with D the diagonal, and the interval of its eigenvalues on which it is to be small. The
/// interval is fixed: an estimate from vectors would take dot products and iterations.
///
/// For an M-matrix, whose rows have a_ij <= 0 and sums >= 0, Gershgorin's circles give eigenvalues of 2 at most; where
/// many neighbours contribute, as in particle methods, the largest is nearer to 1, and 1.6 is a sharper bound. A
/// smoother takes the upper part, for instance from 1/5 of the largest on; coarser levels take care of the rest.
struct ChebyshevOptions {
  int degree = 2;
  double highest = 2;  // eigenvalue of D^-1 A, an upper bound
  double lowest = 2 / 5.0;
};

/// Throws UserError for options that make no sense. `what`: whose options, for the message.
void check(const ChebyshevOptions& options, const char* what);

/// The Chebyshev iteration of fixed degree, as a smoother or a preconditioner. With theta = (highest + lowest) / 2,
/// delta = (highest - lowest) / 2, sigma = theta / delta, rho_1 = 1 / sigma:
///   d_1 = D^-1 r_1 / theta,                                   x_2 = x_1 + d_1
///   rho_k = 1 / (2 sigma - rho_k-1),
///   d_k = rho_k rho_k-1 d_k-1 + 2 rho_k / delta D^-1 r_k,     x_k+1 = x_k + d_k,   r_k = b - A x_k
/// Source: Saad 2003, algorithm 12.1, with D^-1 A. It has no dot products, and is symmetric in the inner product of A.
/// As a preconditioner it is positive definite if no eigenvalue exceeds lowest + highest.
template <Operator A>
class Chebyshev {
 public:
  /// `a` and `inverse_diagonal` must outlive it; the latter's values may change.
  Chebyshev(A& a, std::span<const double> inverse_diagonal, const ChebyshevOptions& options)
      : a_(a), inverse_diagonal_(inverse_diagonal), options_((check(options, "Chebyshev"), options)) {
    r_.resize(a.size());
    d_.resize(a.size());
  }

  /// Improves x. b: of size() numbers; x: of extent().
  void smooth(std::span<const double> b, std::span<double> x) { iterate(b, x, false); }
  /// The same from x = 0, whatever stands there: one operator less.
  void smooth_from_zero(std::span<const double> b, std::span<double> x) { iterate(b, x, true); }
  /// As a preconditioner.
  void apply(std::span<const double> r, std::span<double> z) { iterate(r, z, true); }

 private:
  void iterate(std::span<const double> b, std::span<double> x, bool from_zero) {
    const double theta = (options_.highest + options_.lowest) / 2, delta = (options_.highest - options_.lowest) / 2;
    const double sigma = theta / delta;
    const double first = 1 / theta;
    double rho = 1 / sigma;
    const std::size_t n = a_.size();
    if (from_zero) {
      for_each_unknown(n, [&](std::size_t i) { x[i] = d_[i] = first * (inverse_diagonal_[i] * b[i]); });
    } else {
      a_.apply(x, span_of(r_));
      for_each_unknown(n, [&](std::size_t i) {
        d_[i] = first * (inverse_diagonal_[i] * (b[i] - r_[i]));
        x[i] += d_[i];
      });
    }
    for (int k = 1; k < options_.degree; ++k) {
      const double rho_old = rho;
      rho = 1 / (2 * sigma - rho_old);
      const double keep = rho * rho_old, step = 2 * rho / delta;
      a_.apply(x, span_of(r_));
      for_each_unknown(n, [&](std::size_t i) {
        d_[i] = keep * d_[i] + step * (inverse_diagonal_[i] * (b[i] - r_[i]));
        x[i] += d_[i];
      });
    }
  }

  A& a_;
  std::span<const double> inverse_diagonal_;
  ChebyshevOptions options_;
  Array<double> r_, d_;
};

}  // namespace eddyline::linear
