#include "linear/conjugate_gradients.hpp"

namespace eddyline::linear {

ConjugateGradients::Sums ConjugateGradients::reduce() {
  const DotTerm terms[] = {{r_.data(), u_.data()}, {w_.data(), u_.data()}, {r_.data(), r_.data()}, {r_.data()}};
  const auto sums = residuals_.dots().of(std::span(terms).first(options_.constant_null_space ? 4 : 3), size_);
  const double sum_r = options_.constant_null_space ? sums[3] : 0;
  history_.back() = residuals_.norm(sums[2], sum_r);
  return {sums[0], sums[1], residuals_.mean_of(sum_r)};
}

/// Returns true if gamma and p.A p are positive, as they must be; otherwise nothing changes.
bool ConjugateGradients::update(const Sums& sums, std::span<double> x) {
  const bool first = gamma_ == 0;
  const double beta = first ? 0 : sums.gamma / gamma_;
  const double curvature = first ? sums.delta : sums.delta - beta * sums.gamma / alpha_;  // (p, A p)
  const double alpha = sums.gamma / curvature;
  if (!(sums.gamma > 0 && curvature > 0 && std::isfinite(alpha) && std::isfinite(beta))) return false;
  for_each_unknown(size_, [&](std::size_t i) {
    p_[i] = u_[i] + beta * p_[i];
    s_[i] = w_[i] + beta * s_[i];
    x[i] += alpha * p_[i];
    r_[i] = (r_[i] - sums.mean_r) - alpha * s_[i];
  });
  gamma_ = sums.gamma, alpha_ = alpha;
  return true;
}

/// Returns true if the residual of the last iteration may be below the tolerance, assuming the reduction of the
/// iteration before it (1/100 in the first), or if no further iteration is allowed.
bool ConjugateGradients::expects_end() const {
  if (iterations() >= options_.max_iterations) return true;
  const double last = history_[history_.size() - 2];
  const double factor = iterations() < 2 ? 0.1 : std::min(1.0, last / history_[history_.size() - 3]);
  return last * factor * factor <= options_.tolerance;
}

}  // namespace eddyline::linear
