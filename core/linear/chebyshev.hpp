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

/// The Chebyshev iteration of fixed degree, as a smoother. With theta = (highest + lowest) / 2,
/// delta = (highest - lowest) / 2, sigma = theta / delta, rho_1 = 1 / sigma:
///   d_1 = D^-1 r_1 / theta,                                   x_2 = x_1 + d_1
///   rho_k = 1 / (2 sigma - rho_k-1),
///   d_k = rho_k rho_k-1 d_k-1 + 2 rho_k / delta D^-1 r_k,     x_k+1 = x_k + d_k,   r_k = b - A x_k
/// Source: Saad 2003, algorithm 12.1, with D^-1 A. It has no dot products, and is symmetric in the inner product of A.
/// An operator may offer the last line, but for the residual, as one loop:
///   a.relax(x, b, step, keep, d, next):  d = keep d + step D^-1 (b - A x),  next = x + d
/// with d not read where keep is 0.
/// An object holds nothing but memory, so that systems of any size may follow each other.
class Chebyshev {
 public:
  enum class Guess { zero, given };  // zero: whatever stands in x; takes one operator less

  /// Collective. Improves x for A x = b. inverse_diagonal, b: of a.size() numbers; x: of a.extent().
  template <Operator A>
  void smooth(const ChebyshevOptions& options, A& a, std::span<const double> inverse_diagonal,
              std::span<const double> b, std::span<double> x, Guess guess) {
    const double theta = (options.highest + options.lowest) / 2, delta = (options.highest - options.lowest) / 2;
    const double sigma = theta / delta;
    const std::size_t n = a.size();
    r_.resize(n);
    d_.resize(n);
    double rho = 1 / sigma, keep = 0, step = 1 / theta;
    constexpr bool k_fused = requires(std::span<double> y) { a.relax(y, b, step, keep, y, y); };
    std::span<double> from = x;
    if constexpr (k_fused) other_.resize(a.extent());
    for (int k = 1; k <= options.degree; ++k) {
      if (k > 1) {
        const double rho_old = rho;
        rho = 1 / (2 * sigma - rho_old);
        keep = rho * rho_old, step = 2 * rho / delta;
      }
      if (k == 1 && guess == Guess::zero) {
        for_each_unknown(n, [&](std::size_t i) { x[i] = d_[i] = step * (inverse_diagonal[i] * b[i]); });
        continue;
      }
      if constexpr (k_fused) {
        const std::span<double> next = from.data() == x.data() ? span_of(other_) : x;
        a.relax(from, b, step, keep, span_of(d_), next);
        from = next;
        continue;
      }
      a.apply(x, span_of(r_));
      for_each_unknown(n, [&](std::size_t i) {
        const double change = step * (inverse_diagonal[i] * (b[i] - r_[i]));
        d_[i] = k == 1 ? change : keep * d_[i] + change;
        x[i] += d_[i];
      });
    }
    if (from.data() != x.data()) for_each_unknown(n, [&](std::size_t i) { x[i] = from[i]; });
  }

 private:
  Array<double> r_, d_, other_;
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
