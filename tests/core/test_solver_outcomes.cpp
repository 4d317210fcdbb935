// Outcomes of linear solvers, for small systems with a known solution and for systems that have none.
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "comm/single_process.hpp"
#include "harness.hpp"
#include "linear/chebyshev.hpp"
#include "linear/conjugate_gradients.hpp"
#include "linear/diagonal.hpp"
#include "linear/multigrid.hpp"
#include "linear/stationary_iteration.hpp"

using namespace eddyline;
using linear::ConjugateGradients;
using linear::MultigridOptions;
using linear::Outcome;
using linear::Reason;
using linear::SolveOptions;

namespace {

/// A matrix of one rank, by its diagonal and the same number beside it.
struct Tridiagonal {
  std::vector<double> diagonal;
  double beside = 0;

  std::size_t size() const { return diagonal.size(); }
  std::size_t extent() const { return diagonal.size(); }
  void apply(std::span<double> x, std::span<double> y) const {
    for (std::size_t i = 0; i < size(); ++i) {
      y[i] = diagonal[i] * x[i];
      if (i > 0) y[i] += beside * x[i - 1];
      if (i + 1 < size()) y[i] += beside * x[i + 1];
    }
  }
};

Outcome outcome_of(Tridiagonal a, const std::vector<double>& b, const SolveOptions& options = {},
                   std::vector<double> x = {}) {
  const auto alone = comm::single_process();
  linear::NoPreconditioner m;
  x.resize(b.size());
  return ConjugateGradients(*alone, options).solve(a, m, b, x);
}

}  // namespace

TEST(conjugate_gradients_end_after_as_many_iterations_as_eigenvalues) {
  Tridiagonal a{std::vector<double>(60)};
  for (std::size_t i = 0; i < 60; ++i) a.diagonal[i] = 1 + static_cast<double>(i % 4);
  CHECK(outcome_of(a, std::vector<double>(60, 1.0), {.tolerance = 1e-13}).iterations == 4);
}

TEST(chebyshev_is_its_polynomial) {
  // The error along an eigenvector of D^-1 A is multiplied by T_k((theta - lambda) / delta) / T_k(theta / delta).
  const linear::ChebyshevOptions options{.degree = 3, .highest = 2, .lowest = 0.5};
  const double theta = 1.25, delta = 0.75;
  const auto T3 = [](double t) { return t * (4 * t * t - 3); };
  for (const double lambda : {0.1, 0.5, 1.0, 1.9}) {
    Tridiagonal a{{4 * lambda}};
    const std::vector<double> inverse{0.25}, b{4 * lambda * 7};
    linear::ChebyshevPreconditioner preconditioner(a, inverse, options);
    std::vector<double> x{5.0}, z{std::numeric_limits<double>::quiet_NaN()};
    linear::Chebyshev().smooth(options, a, inverse, b, x, linear::Chebyshev::Guess::given);
    preconditioner.apply(b, z);
    const double factor = T3((theta - lambda) / delta) / T3(theta / delta);
    CHECK_NEAR(x[0], 7 - 2 * factor, 1e-13);
    CHECK_NEAR(z[0], 7 - 7 * factor, 1e-13);
  }
}

TEST(a_right_side_of_zeros_gives_zero) {
  const auto alone = comm::single_process();
  Tridiagonal a{{2, 2}, -1};
  linear::NoPreconditioner m;
  std::vector<double> x{3, 4};
  const Outcome outcome = ConjugateGradients(*alone, {}).solve(a, m, std::vector<double>{0, -0.0}, x);
  CHECK(outcome.converged() && outcome.iterations == 0 && outcome.residual == 0 && x[0] == 0 && x[1] == 0);
}

TEST(a_constant_right_side_is_zero_where_constants_are_in_the_null_space) {
  Tridiagonal a{std::vector<double>(10, 2.0), -1};
  a.diagonal.front() = a.diagonal.back() = 1;
  const SolveOptions options{.constant_null_space = true};
  CHECK(outcome_of(a, std::vector<double>(10, 0.1), options).iterations == 0);
  CHECK(outcome_of(a, std::vector<double>(10, 0.1), options).converged());
  std::vector<double> b(10, 1000.0);
  b[3] += 1, b[7] -= 1;
  CHECK(outcome_of(a, b, options).converged());
}

TEST(a_constant_in_the_first_guess_does_no_harm) {
  Tridiagonal a{std::vector<double>(100, 2.0), -1};
  a.diagonal.front() = a.diagonal.back() = 1;
  std::vector<double> b(100, 0.0), x(100, 1e12);
  b[10] = 1, b[80] = -1;
  linear::NoPreconditioner m;
  const auto alone = comm::single_process();
  ConjugateGradients solver(*alone, {.tolerance = 1e-12, .constant_null_space = true});
  CHECK(solver.solve(a, m, b, x).converged());
  CHECK_NEAR(x[10] - x[80], 70, 1e-9);
  CHECK_NEAR(std::accumulate(x.begin(), x.end(), 0.0), 0, 1e-10);
}

/// Leaves a mean in A x, as rounding does, but more of it.
struct Drifting : Tridiagonal {
  void apply(std::span<double> x, std::span<double> y) const {
    Tridiagonal::apply(x, y);
    for (double& each : y) each += 1e-6 * x[0];
  }
};

TEST(rounding_does_not_pile_up_along_the_null_space) {
  Drifting a{{std::vector<double>(100, 2.0), -1}};
  a.diagonal.front() = a.diagonal.back() = 1;
  std::vector<double> b(100, 0.0), x(100, 0.0);
  b[10] = 1, b[80] = -1;
  linear::NoPreconditioner m;
  const auto alone = comm::single_process();
  ConjugateGradients solver(*alone, {.tolerance = 1e-10, .constant_null_space = true});
  CHECK(solver.solve(a, m, b, x).converged());
  CHECK_NEAR(x[10] - x[80], 70, 1e-6);
}

TEST(a_solution_as_first_guess_takes_no_iteration) {
  const Outcome outcome = outcome_of({{2, 2}, -1}, {1, 1}, {}, {1, 1});
  CHECK(outcome.converged() && outcome.iterations == 0);
}

TEST(too_few_iterations_are_reported) {
  const Tridiagonal a{std::vector<double>(100, 2.0), -1};
  const std::vector<double> b(100, 1.0);
  const Outcome none = outcome_of(a, b, {.max_iterations = 0}), some = outcome_of(a, b, {.max_iterations = 7});
  CHECK(none.reason == Reason::too_many_iterations && none.iterations == 0 && none.residual == 1);
  CHECK(some.reason == Reason::too_many_iterations && some.iterations == 7 && some.residual > 0);
  CHECK(linear::describe(some).find("too many iterations after 7 iterations, relative residual ") != std::string::npos);
}

TEST(a_matrix_that_is_not_positive_definite_breaks_down) {
  CHECK(outcome_of({{1, -1}}, {1, 2}).reason == Reason::breakdown);
  CHECK(outcome_of({{0, 0}}, {1, 2}).reason == Reason::breakdown);
  const auto alone = comm::single_process();
  Tridiagonal a{{1, 1}};
  const linear::DiagonalPreconditioner negative(std::vector<double>{-1, -1});
  std::vector<double> x{0, 0};
  const Outcome outcome = ConjugateGradients(*alone, {}).solve(a, negative, std::vector<double>{1, 2}, x);
  CHECK(outcome.reason == Reason::breakdown && outcome.residual == 1 && x[0] == 0);
}

TEST(numbers_that_are_none_or_too_large_end_a_solve) {
  constexpr double k_nan = std::numeric_limits<double>::quiet_NaN(),
                   k_infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {k_nan, k_infinity, 1e200})
    CHECK(outcome_of({{1, 1}}, {1, bad}).reason == Reason::not_finite);
  for (const double bad : {k_nan, k_infinity}) CHECK(outcome_of({{1, bad}}, {1, 2}).reason == Reason::not_finite);
  CHECK(outcome_of({{1, 1}}, {1, 2}, {}, {0, k_nan}).reason == Reason::not_finite);
  const auto alone = comm::single_process();
  Tridiagonal a{{1, 1}};
  const linear::DiagonalPreconditioner steep(std::vector<double>{0.1, 0.1});  // each step is 9 times too long
  std::vector<double> x{0, 0};
  linear::StationaryIteration diverging(*alone, {});
  CHECK(diverging.solve(a, steep, std::vector<double>{1, 2}, x).reason == Reason::not_finite);
  CHECK(diverging.history()[1] > 8);
}

TEST(numbers_too_small_to_be_squared_are_reported) {
  CHECK(outcome_of({{1, 1}}, {1e-200, 0}).reason == Reason::out_of_range);
  CHECK(outcome_of({{1, 1}}, {1e-130, 0}).converged());
}

TEST(a_tolerance_below_rounding_stagnates) {
  Tridiagonal a{std::vector<double>(200, 2.0), -1};
  const std::vector<double> b(200, 1.0);
  const Outcome outcome = outcome_of(a, b, {.tolerance = 1e-17, .max_iterations = 10'000});
  CHECK(outcome.reason == Reason::stagnated && outcome.residual > 1e-17 && outcome.residual < 1e-11);
  CHECK(outcome.iterations < 2000);
  CHECK(outcome_of(a, b, {.tolerance = 1e-17, .confirm = false}).converged());  // says the recurrence
}

TEST(options_that_make_no_sense_are_refused) {
  const auto alone = comm::single_process();
  CHECK_THROWS(ConjugateGradients(*alone, {.tolerance = -1}), "tolerance = -1; it must be 0 or more");
  CHECK_THROWS(linear::StationaryIteration(*alone, {.max_iterations = -2}), "max_iterations = -2");
  CHECK_THROWS(linear::check(linear::ChebyshevOptions{.degree = 0}, "smoother"), "smoother: degree = 0");
  CHECK_THROWS(linear::check(MultigridOptions{.smoother = {.lowest = 3}}), "eigenvalues from 3 to 2");
  CHECK_THROWS(linear::check(MultigridOptions{.correction = 0}), "correction = 0");
  CHECK_THROWS(outcome_of({{1, 1}}, {1}), "vectors do not have the size of the operator");
}
