#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
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

/// x += M (b - A x) until the residual is below the tolerance; with a multigrid cycle as M, the multigrid solver. One
/// reduction an iteration, for the norm of the residual. M need not be symmetric.
class StationaryIteration {
 public:
  StationaryIteration(comm::Communicator& communicator, const SolveOptions& options)
      : options_((check(options), options)), residuals_(communicator, options) {}

  /// Collective. Arguments, x and history as of ConjugateGradients::solve.
  template <Operator A, Preconditioner M>
  Outcome solve(A& a, M& m, std::span<const double> b, std::span<double> x) {
    if (b.size() != a.size() || x.size() < a.extent())
      throw std::logic_error("stationary iteration: vectors do not have the size of the operator");
    r_.resize(a.size());
    z_.resize(a.extent());
    history_.clear();
    if (const auto known = residuals_.begin(b, x, span_of(r_))) return *known;
    for (;;) {
      history_.push_back(residuals_.compute(a, x, span_of(r_)));
      if (const auto reason = end()) {
        residuals_.remove_constant(x);
        return {*reason, iterations(), history_.back()};
      }
      m.apply(std::span<const double>(r_.data(), r_.size()), span_of(z_));
      for_each_unknown(r_.size(), [&](std::size_t i) { x[i] += z_[i]; });
    }
  }

  std::span<const double> history() const { return history_; }

 private:
  int iterations() const { return static_cast<int>(history_.size()) - 1; }
  std::optional<Reason> end() const {
    if (!std::isfinite(history_.back())) return Reason::not_finite;
    if (history_.back() <= options_.tolerance) return Reason::converged;
    if (iterations() >= options_.max_iterations) return Reason::too_many_iterations;
    return std::nullopt;
  }

  SolveOptions options_;
  Residuals residuals_;
  Array<double> r_, z_;
  std::vector<double> history_;
};

}  // namespace eddyline::linear
