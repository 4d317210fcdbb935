#pragma once

#include <cstddef>
#include <span>

#include "base/arrays.hpp"
#include "linear/operator.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

/// A polynomial of D^-1 A with D the diagonal, and the interval of eigenvalues on which it is small. The interval
/// is fixed: an estimate from vectors would take dot products and iterations.
///
/// For an M-matrix (off-diagonal a_ij <= 0, row sums >= 0), Gershgorin's circles give eigenvalues of 2 at most; where
/// many neighbours contribute, as in particle methods, the largest is nearer to 1, and 1.6 is a sharper bound. A
/// smoother takes the upper part, for instance from 1/5 of the largest on; coarser levels take care of the rest.
struct ChebyshevOptions {
  int degree = 2;
  double highest = 2;  // eigenvalue of D^-1 A, an upper bound
  double lowest = 2 / 5.0;
};

/// Throws UserError for invalid options. `what` names the owner of the options in the message.
void check(const ChebyshevOptions& options, const char* what);

/// The factors of the lines of Chebyshev, one sweep after the other.
class ChebyshevSweeps {
 public:
  explicit ChebyshevSweeps(const ChebyshevOptions& options)
      : theta_((options.highest + options.lowest) / 2), delta_((options.highest - options.lowest) / 2) {}

  struct Factors {
    double step, keep;  // d = keep d + step D^-1 (b - A x)
  };
  Factors next() {
    const double sigma = theta_ / delta_, rho_old = rho_;
    rho_ = rho_old == 0 ? 1 / sigma : 1 / (2 * sigma - rho_old);
    if (rho_old == 0) return {1 / theta_, 0};
    return {2 * rho_ / delta_, rho_ * rho_old};
  }

 private:
  double theta_, delta_, rho_ = 0;
};

/// The Chebyshev iteration of fixed degree, as a smoother. With theta = (highest + lowest) / 2,
/// delta = (highest - lowest) / 2, sigma = theta / delta, rho_1 = 1 / sigma:
///   d_1 = D^-1 r_1 / theta,                                   x_2 = x_1 + d_1
///   rho_k = 1 / (2 sigma - rho_k-1),
///   d_k = rho_k rho_k-1 d_k-1 + 2 rho_k / delta D^-1 r_k,     x_k+1 = x_k + d_k,   r_k = b - A x_k
/// Source: Saad 2003, algorithm 12.1, with D^-1 A. It has no dot products, and is symmetric in the inner product of A.
/// An object holds nothing but memory, so that systems of any size may follow each other.
class Chebyshev {
 public:
  enum class Guess { zero, given };  // zero: whatever stands in x; takes one operator less

  /// Collective. Improves x for A x = b. inverse_diagonal, b: of a.size() numbers; x: of a.extent().
  template <Operator A>
  void smooth(const ChebyshevOptions& options, A& a, std::span<const double> inverse_diagonal,
              std::span<const double> b, std::span<double> x, Guess guess) {
    const std::size_t n = a.size();
    r_.resize(n);
    d_.resize(n);
    ChebyshevSweeps sweeps(options);
    for (int k = 1; k <= options.degree; ++k) {
      const auto [step, keep] = sweeps.next();
      if (k == 1 && guess == Guess::zero) {
        for_each_unknown(n, [&, step = step](std::size_t i) { x[i] = d_[i] = step * (inverse_diagonal[i] * b[i]); });
        continue;
      }
      a.apply(x, span_of(r_));
      for_each_unknown(n, [&, step = step, keep = keep](std::size_t i) {
        const double change = step * (inverse_diagonal[i] * (b[i] - r_[i]));
        d_[i] = k == 1 ? change : keep * d_[i] + change;
        x[i] += d_[i];
      });
    }
  }

 private:
  Array<double> r_, d_;
};

/// Chebyshev's iteration from z = 0 as a preconditioner. It is positive definite if no eigenvalue of D^-1 A exceeds
/// lowest + highest.
template <Operator A>
class ChebyshevPreconditioner {
 public:
  /// `a` and `inverse_diagonal` must outlive it.
  ChebyshevPreconditioner(A& a, std::span<const double> inverse_diagonal, const ChebyshevOptions& options)
      : a_(a), inverse_diagonal_(inverse_diagonal), options_((check(options, "Chebyshev"), options)) {}

  void apply(std::span<const double> r, std::span<double> z) {
    iteration_.smooth(options_, a_, inverse_diagonal_, r, z, Chebyshev::Guess::zero);
  }

 private:
  A& a_;
  std::span<const double> inverse_diagonal_;
  ChebyshevOptions options_;
  Chebyshev iteration_;
};

}  // namespace eddyline::linear
