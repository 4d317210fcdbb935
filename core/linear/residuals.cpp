#include "linear/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"

namespace eddyline::linear {

Residuals::Residuals(comm::Communicator& communicator, const SolveOptions& options)
    : communicator_(communicator),
      dots_(communicator, options.instructions),
      constant_null_space_(options.constant_null_space) {}

std::optional<Outcome> Residuals::begin(std::span<const double> b, std::span<double> x, std::span<double> scratch) {
  constexpr double k_unknown = std::numeric_limits<double>::quiet_NaN();
  b_ = b, mean_b_ = 0;
  if (constant_null_space_) {
    std::int64_t unknowns[] = {static_cast<std::int64_t>(b.size())};
    comm::sum(communicator_, unknowns, "linear solver");
    unknowns_ = static_cast<double>(unknowns[0]);
    const DotTerm terms[] = {{b.data()}, {x.data()}};
    const auto sums = dots_.of(terms, b.size());
    mean_b_ = mean_of(sums[0]);
    subtract(mean_of(sums[1]), x);
  }
  for_each_unknown(b.size(), [&](std::size_t i) { scratch[i] = b[i] - mean_b_; });
  const DotTerm squares[] = {{scratch.data(), scratch.data()}};
  squares_b_ = dots_.of(squares, b.size())[0];
  if (!std::isfinite(squares_b_)) return Outcome{Reason::not_finite, 0, k_unknown};
  if (is_zero(scratch.first(b.size()))) {
    std::fill_n(x.begin(), b.size(), 0.0);
    return Outcome{Reason::converged, 0, 0};
  }
  constexpr double k_least_squares = 0x1p-900;  // below it, squares lose digits to underflow
  if (squares_b_ < k_least_squares) return Outcome{Reason::out_of_range, 0, k_unknown};
  return std::nullopt;
}

bool Residuals::is_zero(std::span<const double> b) {
  // If b is constant, only rounding errors remain after its mean is subtracted.
  const double rounding = 0x1p-51 * std::abs(mean_b_);
  if (squares_b_ > unknowns_ * (rounding * rounding) && squares_b_ > 0) return false;
  double largest[] = {0};
  for (const double each : b) largest[0] = std::max(largest[0], std::abs(each));
  comm::maximum(communicator_, largest, "linear solver");
  return largest[0] <= rounding;
}

double Residuals::norm(std::span<const double> r) {
  const DotTerm terms[] = {{r.data(), r.data()}, {r.data()}};
  const auto sums = dots_.of({terms, constant_null_space_ ? std::size_t{2} : std::size_t{1}}, b_.size());
  return norm(sums[0], constant_null_space_ ? sums[1] : 0);
}

double Residuals::norm(double squares, double sum) const {
  if (constant_null_space_) squares -= sum * mean_of(sum);
  return squares < 0 ? 0 : std::sqrt(squares / squares_b_);
}

void Residuals::remove_constant(std::span<double> x) {
  if (!constant_null_space_) return;
  const DotTerm sum[] = {{x.data()}};
  subtract(mean_of(dots_.of(sum, b_.size())[0]), x);
}

void Residuals::subtract(double constant, std::span<double> x) const {
  for_each_unknown(b_.size(), [&](std::size_t i) { x[i] -= constant; });
}

}  // namespace eddyline::linear
