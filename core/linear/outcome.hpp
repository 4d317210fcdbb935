#pragma once

#include <string>

namespace eddyline::linear {

/// Reason why a solver has stopped.
enum class Reason {
  converged,
  too_many_iterations,
  breakdown,     // the operator or the preconditioner is not positive definite
  not_finite,    // a number is infinite or NaN, or its square overflows
  out_of_range,  // the squares of the right side underflow: scale the system
  stagnated,     // rounding keeps b - A x above the tolerance
};

/// Outcome of a solve: the same on all ranks, for any decomposition.
struct Outcome {
  Reason reason = Reason::too_many_iterations;
  int iterations = 0;
  double residual = 0;  // |b - A x| / |b|, Euclidean; NaN if the squares of b underflow or overflow

  bool converged() const { return reason == Reason::converged; }
};

/// "converged after 8 iterations, relative residual 4.2e-07".
std::string describe(const Outcome& outcome);

/// When a solver stops, and what it knows of the system.
struct SolveOptions {
  double tolerance = 1e-8;  // of |b - A x| / |b|
  int max_iterations = 1000;
  /// A 1 = 0, as with Neumann conditions alone: the mean of b is removed, and x has the mean 0.
  bool constant_null_space = false;
  /// Conjugate gradients: whether b - A x is computed at the end, which takes one operator. What the recurrence says
  /// differs from it by rounding, about 2^-53 times the condition number.
  bool confirm = true;
  /// As choose_instructions() takes it. Changes no bit.
  std::string instructions = "auto";
};

/// Throws UserError for options that make no sense.
void check(const SolveOptions& options);

}  // namespace eddyline::linear
