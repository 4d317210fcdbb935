#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "comm/communicator.hpp"
#include "linear/dots.hpp"
#include "linear/operator.hpp"
#include "linear/outcome.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

/// Residuals r = b - A x and their norms relative to |b|, from exact sums. If constants are in the null space of A, the
/// means of b and of r are left out: b - mean(b) is what A x can reach.
class Residuals {
 public:
  Residuals(comm::Communicator& communicator, const SolveOptions& options);

  /// Collective. Takes a right side, which must stay until the end, and, with a null space, the mean out of x. Returns
  /// an outcome if nothing is left to do: if b is 0, or constant within rounding with a null space, x becomes 0;
  /// otherwise x stays as it is. `scratch`: as long as b.
  std::optional<Outcome> begin(std::span<const double> b, std::span<double> x, std::span<double> scratch);

  /// Collective. r = b - A x; the relative norm, which may be NaN or infinite.
  template <Operator A>
  double compute(A& a, std::span<double> x, std::span<double> r) {
    a.apply(x, r);
    for_each_unknown(b_.size(), [&](std::size_t i) { r[i] = (b_[i] - mean_b_) - r[i]; });
    return norm(r);
  }
  /// Collective. The relative norm of a residual.
  double norm(std::span<const double> r);
  /// The same, from the sums of r_i r_i and of r_i, which is not used without a null space.
  double norm(double squares, double sum) const;

  /// Collective. Removes the mean of x where constants are in the null space.
  void remove_constant(std::span<double> x);

  Dots& dots() { return dots_; }
  /// Returns the mean of all unknowns, given their sum.
  double mean_of(double sum) const { return unknowns_ > 0 ? sum / unknowns_ : 0; }

 private:
  bool is_zero(std::span<const double> b);
  void subtract(double constant, std::span<double> x) const;

  comm::Communicator& communicator_;
  Dots dots_;
  bool constant_null_space_;
  std::span<const double> b_;
  double mean_b_ = 0, squares_b_ = 0, unknowns_ = 0;
};

}  // namespace eddyline::linear
