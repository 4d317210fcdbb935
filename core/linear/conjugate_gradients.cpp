#include "linear/conjugate_gradients.hpp"

namespace eddyline::linear {

ConjugateGradients::Sums ConjugateGradients::reduce() {
  const DotTerm terms[] = {
      {r_.data(), u_.data()}, {w_.data(), u_.data()}, {r_.data(), r_.data()}, {r_.data()}, {u_.data()}, {w_.data()}};
  if (!options_.constant_null_space) {
    const auto sums = residuals_.dots().of(std::span(terms).first(3), size_);
    history_.back() = residuals_.norm(sums[2], 0);
    return {sums[0], sums[1], 0, 0, 0};
  }
  const auto sums = residuals_.dots().of(terms, size_);
  history_.back() = residuals_.norm(sums[2], sums[3]);
  const double mean_r = residuals_.mean_of(sums[3]), mean_u = residuals_.mean_of(sums[4]);
  const double mean_w = residuals_.mean_of(sums[5]);
  return {sums[0] - sums[3] * mean_u, sums[1] - sums[5] * mean_u, mean_r, mean_u, mean_w};
}

/// Whether gamma and p.A p are positive, as they must be; otherwise nothing changes.
bool ConjugateGradients::update(const Sums& sums, std::span<double> x) {
  const bool first = gamma_ == 0;
  const double beta = first ? 0 : sums.gamma / gamma_;
  const double curvature = first ? sums.delta : sums.delta - beta * sums.gamma / alpha_;  // (p, A p)
  const double alpha = sums.gamma / curvature;
  if (!(sums.gamma > 0 && curvature > 0 && std::isfinite(alpha) && std::isfinite(beta))) return false;
  for_each_unknown(size_, [&](std::size_t i) {
    p_[i] = (u_[i] - sums.mean_u) + beta * p_[i];
    s_[i] = (w_[i] - sums.mean_w) + beta * s_[i];
    x[i] += alpha * p_[i];
    r_[i] = (r_[i] - sums.mean_r) - alpha * s_[i];
  });
  gamma_ = sums.gamma, alpha_ = alpha;
  return true;
}

/// Whether the residual of the iteration that has just ended may be below the tolerance, if it has fallen as in the one
/// before, or by 1/100 in the first; also whether it is the last that is allowed.
bool ConjugateGradients::expects_end() const {
  if (iterations() >= options_.max_iterations) return true;
  const double last = history_[history_.size() - 2];
  const double factor = iterations() < 2 ? 0.1 : std::min(1.0, last / history_[history_.size() - 3]);
  return last * factor * factor <= options_.tolerance;
}

}  // namespace eddyline::linear
