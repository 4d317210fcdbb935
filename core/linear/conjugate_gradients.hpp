#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "linear/operator.hpp"
#include "linear/outcome.hpp"
#include "linear/residuals.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

/// Preconditioned conjugate gradients for A x = b with one reduction an iteration, A symmetric and positive definite,
/// or semidefinite with constants as its null space.
///
///   u = M r,  w = A u;  gamma = (r, u),  delta = (w, u),  (r, r)      one reduction
///   beta = gamma / gamma_old,  alpha = gamma / (delta - beta gamma / alpha_old)
///   p = u + beta p,  s = w + beta s;  x += alpha p,  r -= alpha s     s = A p
/// Source: Chronopoulos & Gear 1989, with a preconditioner as in Ghysels & Vanroose 2014, section 2; beta = 0 in the
/// first iteration.
///
/// Two additions to the published algorithm:
/// - (r, r) arrives after M and A have been applied to r, so an end would be noticed one iteration late. Where the
///   convergence of the last iteration lets expect the end, (r, r) is summed right after the update, by one more
///   reduction.
/// - The residual of the recurrence drifts from b - A x by rounding. When it says converged, b - A x is computed; if
///   that is still above the tolerance, the iteration starts again from it, unless that has not halved since the last
///   time: then it has stagnated. Breakdowns are treated likewise, as rounding may cause them.
///
/// With constants in the null space, r has the mean 0 but for rounding, which would grow: its sum travels in the same
/// reduction, and the mean is taken out. What p and x collect of constants changes nothing else, and is taken out of x
/// at the end.
///
/// All decisions rest on exact sums: they are the same on all ranks and for any cut.
class ConjugateGradients {
 public:
  ConjugateGradients(comm::Communicator& communicator, const SolveOptions& options)
      : options_((check(options), options)), residuals_(communicator, options) {}

  /// Collective. x: the first guess, becomes the solution; a vector of a.extent() numbers. b: a.size() numbers.
  /// After not_finite, x may hold anything.
  template <Operator A, Preconditioner M>
  Outcome solve(A& a, M& m, std::span<const double> b, std::span<double> x);

  /// Relative residuals of the last solve: of the first guess, then after each iteration. Empty if the right side has
  /// decided the outcome.
  std::span<const double> history() const { return history_; }

 private:
  struct Sums {
    double gamma, delta;
    double mean_r;  // 0 without a null space
  };

  template <Operator A>
  void resize(const A& a, std::span<const double> b, std::span<double> x);
  template <Operator A, Preconditioner M>
  Reason iterate(A& a, M& m, std::span<double> x);
  Sums reduce();
  bool update(const Sums& sums, std::span<double> x);
  bool expects_end() const;
  int iterations() const { return static_cast<int>(history_.size()) - 1; }

  SolveOptions options_;
  Residuals residuals_;
  std::size_t size_ = 0;
  Array<double> r_, u_, w_, p_, s_;
  std::vector<double> history_;   // the last is NaN until (r, r) of the iteration is known
  double gamma_ = 0, alpha_ = 0;  // of the iteration before; gamma_ = 0: there is none
};

template <Operator A, Preconditioner M>
Outcome ConjugateGradients::solve(A& a, M& m, std::span<const double> b, std::span<double> x) {
  resize(a, b, x);
  history_.clear();
  if (const auto known = residuals_.begin(b, x, span_of(r_))) return *known;
  double residual = residuals_.compute(a, x, span_of(r_));
  history_.push_back(residual);
  Reason reason = std::isfinite(residual) ? Reason::converged : Reason::not_finite;
  while (reason == Reason::converged && residual > options_.tolerance) {
    const double before = residual;
    reason = iterate(a, m, x);
    residual = history_.back();
    const bool doubtful = reason == Reason::breakdown || (reason == Reason::converged && options_.confirm);
    if (!doubtful) continue;
    residual = residuals_.compute(a, x, span_of(r_));
    history_.back() = residual;
    if (!std::isfinite(residual)) {
      reason = Reason::not_finite;
    } else if (residual <= options_.tolerance || residual <= 0.5 * before) {
      reason = Reason::converged;  // or goes on from here
    } else if (reason == Reason::converged) {
      reason = Reason::stagnated;
    }
  }
  residuals_.remove_constant(x);
  return {reason, iterations(), residual};
}

template <Operator A>
void ConjugateGradients::resize(const A& a, std::span<const double> b, std::span<double> x) {
  size_ = a.size();
  if (b.size() != size_ || x.size() < a.extent())
    throw std::logic_error("conjugate gradients: vectors do not have the size of the operator");
  u_.resize(a.extent());
  for (Array<double>* each : {&r_, &w_, &p_, &s_}) each->resize(size_);
}

/// Iterates from the residual r_. Returns converged if the recurrence of the residual says so.
template <Operator A, Preconditioner M>
Reason ConjugateGradients::iterate(A& a, M& m, std::span<double> x) {
  gamma_ = 0;
  std::fill_n(p_.data(), size_, 0.0);
  std::fill_n(s_.data(), size_, 0.0);
  while (iterations() < options_.max_iterations) {
    m.apply(std::span<const double>(r_.data(), size_), span_of(u_));
    a.apply(span_of(u_), span_of(w_));
    const Sums sums = reduce();
    if (!std::isfinite(history_.back() + sums.gamma + sums.delta)) return Reason::not_finite;
    if (history_.back() <= options_.tolerance) return Reason::converged;
    if (!update(sums, x)) return Reason::breakdown;
    history_.push_back(std::numeric_limits<double>::quiet_NaN());
    if (!expects_end()) continue;
    history_.back() = residuals_.norm(span_of(r_));
    if (history_.back() <= options_.tolerance) return Reason::converged;
  }
  return std::isfinite(history_.back()) ? Reason::too_many_iterations : Reason::not_finite;
}

}  // namespace eddyline::linear
