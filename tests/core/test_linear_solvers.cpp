// Conjugate gradients, Chebyshev and multigrid on Poisson problems: the same bits for any cut.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/instructions.hpp"
#include "base/random.hpp"
#include "comm/single_process.hpp"
#include "harness.hpp"
#include "linear/chebyshev.hpp"
#include "linear/conjugate_gradients.hpp"
#include "linear/diagonal.hpp"
#include "linear/multigrid.hpp"
#include "linear/stationary_iteration.hpp"
#include "poisson.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;
using linear::ConjugateGradients;
using linear::MultigridOptions;
using linear::Outcome;
using linear::Reason;
using linear::SolveOptions;

namespace {

/// Sets one thread for tests without ranks of their own; the others set the number of threads of a rank.
const bool k_one_thread = (omp_set_num_threads(1), true);

enum class Method { diagonal, chebyshev, multigrid, cycles };

struct Way {
  Method method = Method::multigrid;
  MultigridOptions multigrid{};
  SolveOptions options{};
  int threads = 1;
};

struct Solved {
  std::vector<double> x, history;  // x by the number of the cell
  Outcome outcome;

  bool operator==(const Solved& other) const {
    const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double p, double q) {
        return std::bit_cast<std::uint64_t>(p) == std::bit_cast<std::uint64_t>(q);
      });
    };
    return same(x, other.x) && same(history, other.history) && outcome.reason == other.outcome.reason &&
           outcome.iterations == other.outcome.iterations && same({outcome.residual}, {other.outcome.residual});
  }
};

template <class Solver, class M>
void solve_with(Solver&& solver, PoissonLevels& levels, M&& m, Solved& solved) {
  auto& a = levels.level(0);
  const std::vector<double> b = levels.right_side();
  std::vector<double> x(a.extent());
  solved.outcome = solver.solve(a, m, b, x);
  solved.history.assign(solver.history().begin(), solver.history().end());
  for (std::size_t i = 0; i < a.size(); ++i) solved.x[static_cast<std::size_t>(levels.layout().own[i])] = x[i];
}

void solve_on_rank(comm::Communicator& c, const Poisson& problem, const Cut& cut, const Way& way, Solved& solved) {
  PoissonLevels levels(c, problem, cut);
  SolveOptions options = way.options;
  options.constant_null_space = problem.neumann;
  auto& a = levels.level(0);
  switch (way.method) {
    case Method::diagonal: {
      std::vector<double> diagonal(a.size());
      for (std::size_t i = 0; i < a.size(); ++i) diagonal[i] = a.coefficient(i, i);
      return solve_with(ConjugateGradients(c, options), levels, linear::DiagonalPreconditioner(diagonal), solved);
    }
    case Method::chebyshev:
      return solve_with(ConjugateGradients(c, options), levels,
                        linear::ChebyshevPreconditioner(a, levels.inverse_diagonal(0), {.degree = 4, .lowest = 0.1}),
                        solved);
    case Method::multigrid:
      return solve_with(ConjugateGradients(c, options), levels, linear::Multigrid(levels, way.multigrid), solved);
    case Method::cycles:
      return solve_with(linear::StationaryIteration(c, options), levels, linear::Multigrid(levels, way.multigrid),
                        solved);
  }
}

/// Solves the problem on each rank; all ranks must return the same.
Solved solve(const Poisson& problem, const Cut& cut = {}, const Way& way = {}) {
  Solved first;
  first.x.resize(static_cast<std::size_t>(problem.cells[0] * problem.cells[1] * problem.cells[2]));
  std::mutex mutex;
  on_ranks(cut.ranks, [&](comm::Communicator& c) {
    omp_set_num_threads(way.threads);
    Solved own;
    own.x = std::vector<double>(first.x.size());
    solve_on_rank(c, problem, cut, way, own);
    const std::lock_guard lock(mutex);
    if (first.history.empty()) first.history = own.history, first.outcome = own.outcome;
    for (std::size_t i = 0; i < own.x.size(); ++i) first.x[i] += own.x[i];  // 0 but on one rank
    CHECK(first.history == own.history && first.outcome.residual == own.outcome.residual);
  });
  return first;
}

/// Ways of sharing out one problem. All must give the same bits.
const Cut k_cuts[] = {{.ranks = 1, .boxes = {3, 2, 2}},
                      {.ranks = 2, .boxes = {2, 1, 1}},
                      {.ranks = 3, .boxes = {5, 3, 1}, .scattered = true},
                      {.ranks = 4, .boxes = {2, 2, 1}, .on_rank_0 = 64},
                      {.ranks = 4, .boxes = {1, 7, 2}, .scattered = true, .on_rank_0 = 600}};

void check_same_for_all_cuts(const Poisson& problem, const Way& way) {
  const Solved expected = solve(problem, {}, way);
  CHECK(expected.outcome.converged());
  CHECK(expected.history.size() == static_cast<std::size_t>(expected.outcome.iterations) + 1);
  for (const Cut& cut : k_cuts) CHECK(solve(problem, cut, way) == expected);
}

/// Iterations of one rank: conjugate gradients with V and W cycles, and V cycles alone.
struct Iterations {
  int v, w, cycles;
};
Iterations iterations(const Poisson& problem, double correction = 1) {
  const auto alone = comm::single_process();
  PoissonLevels levels(*alone, problem, {});
  const SolveOptions options{.constant_null_space = problem.neumann};
  const auto of = [&](auto&& solver, MultigridOptions::Cycle cycle) {
    Solved solved;
    solved.x.resize(levels.level(0).size());
    solve_with(solver, levels, linear::Multigrid(levels, {.cycle = cycle, .correction = correction}), solved);
    CHECK(solved.outcome.converged());
    return solved.outcome.iterations;
  };
  using Cycle = MultigridOptions::Cycle;
  return {of(ConjugateGradients(*alone, options), Cycle::v), of(ConjugateGradients(*alone, options), Cycle::w),
          of(linear::StationaryIteration(*alone, options), Cycle::v)};
}
bool are_close(const Iterations& a, const Iterations& b) {
  return std::abs(a.v - b.v) <= 1 && std::abs(a.w - b.w) <= 1 && std::abs(a.cycles - b.cycles) <= 2;
}

constexpr double k_pi = 3.14159265358979323846;

}  // namespace

TEST(any_cut_gives_the_same_bits_in_2d) {
  for (const bool neumann : {false, true}) check_same_for_all_cuts({.cells = {32, 32, 1}, .neumann = neumann}, {});
}

TEST(any_cut_gives_the_same_bits_in_3d) {
  for (const bool neumann : {false, true})
    check_same_for_all_cuts({.cells = {8, 8, 8}, .neumann = neumann},
                            {.multigrid = {.cycle = MultigridOptions::Cycle::w}});
}

TEST(any_cut_gives_the_same_bits_with_every_method) {
  check_same_for_all_cuts({.cells = {16, 16, 1}, .neumann = true}, {.method = Method::cycles});
  check_same_for_all_cuts({.cells = {12, 12, 1}, .neumann = true}, {.method = Method::chebyshev});
  check_same_for_all_cuts({.cells = {12, 12, 1}}, {.method = Method::diagonal});
}

TEST(threads_and_instruction_sets_give_the_same_bits) {
  const Poisson problem{.cells = {96, 96, 1}, .neumann = true};  // enough for threads to share
  const Solved expected = solve(problem);
  CHECK(expected.outcome.converged());
  CHECK(solve(problem, {}, {.threads = 3}) == expected);
  CHECK(solve(problem, {.ranks = 2, .boxes = {2, 1, 1}}, {.threads = 2}) == expected);
  for (const auto& instructions : instruction_sets())
    CHECK(solve(problem, {}, {.options = {.instructions = instructions}}) == expected);
}

/// A rank that counts its reductions.
class CountingRank final : public ThreadRank {
 public:
  using ThreadRank::ThreadRank;
  std::unique_ptr<comm::Requests> requests() override {
    return std::make_unique<Counting>(exchange_, rank_, collectives_, reductions);
  }

  int reductions = 0;

 private:
  struct Counting final : ThreadRequests {
    Counting(Exchange& exchange, int rank, std::int64_t& collectives, int& count)
        : ThreadRequests(exchange, rank, collectives), reductions(count) {}
    void sum(std::span<std::int64_t> values) override {
      ++reductions;
      ThreadRequests::sum(values);
    }
    int& reductions;
  };
};

TEST(an_iteration_takes_one_reduction) {
  for (const bool neumann : {false, true}) {
    Exchange exchange(2);
    const auto run = [&](int rank) {
      CountingRank c(exchange, rank);
      Solved solved;
      solved.x.resize(12 * 12);
      solve_on_rank(c, {.cells = {12, 12, 1}, .neumann = neumann}, {.ranks = 2, .boxes = {2, 1, 1}},
                    {.method = Method::diagonal}, solved);
      // Beside one an iteration: for b, for the first residual, at the end to look early and to confirm; with a null
      // space to count unknowns, and for the means of b and x.
      CHECK(solved.outcome.converged() && solved.outcome.iterations > 25);
      CHECK(c.reductions <= solved.outcome.iterations + (neumann ? 3 : 0) + 10);
    };
    std::thread other(run, 1);
    run(0);
    other.join();
  }
}

/// Multigrid that counts its cycles.
struct CountingMultigrid {
  linear::Multigrid<PoissonLevels> inner;
  int cycles = 0;

  void apply(std::span<const double> r, std::span<double> z) {
    ++cycles;
    inner.apply(r, z);
  }
};

TEST(an_end_is_noticed_before_the_preconditioner_is_applied_again) {
  const auto alone = comm::single_process();
  PoissonLevels levels(*alone, {.cells = {32, 32, 1}}, {});
  for (const double tolerance : {1e-2, 1e-6, 1e-10}) {
    CountingMultigrid m{{levels, {}}};
    Solved solved;
    solved.x.resize(32 * 32);
    solve_with(ConjugateGradients(*alone, {.tolerance = tolerance}), levels, m, solved);
    CHECK(solved.outcome.converged() && m.cycles == solved.outcome.iterations);
  }
}

TEST(iterations_do_not_grow_with_the_mesh) {
  for (const bool neumann : {false, true}) {
    const auto of = [&](std::int64_t n, bool flat) {
      return iterations({.cells = {n, n, flat ? 1 : n}, .neumann = neumann});
    };
    const Iterations flat = of(32, true), solid = of(8, false);
    CHECK(flat.v <= 7 && flat.w <= 7 && flat.cycles <= 11);
    CHECK(solid.v <= 8 && solid.w <= 7 && solid.cycles <= 14);
    CHECK(are_close(of(64, true), flat) && are_close(of(128, true), flat));
    CHECK(are_close(of(16, false), solid) && are_close(of(32, false), solid));
  }
}

TEST(aggregates_want_their_correction_enlarged) {
  const auto of = [](std::int64_t n, double correction) {
    return iterations({.cells = {n, n, 1}, .aggregates = true}, correction).w;
  };
  const int coarse = of(32, 1.7), fine = of(64, 1.7);
  CHECK(coarse <= 10 && std::abs(fine - coarse) <= 1);
  CHECK(of(64, 1) >= fine + 3);
}

TEST(a_cycle_is_symmetric_and_positive) {
  const auto alone = comm::single_process();
  for (const auto cycle : {MultigridOptions::Cycle::v, MultigridOptions::Cycle::w}) {
    PoissonLevels levels(*alone, {.cells = {16, 16, 1}}, {});
    linear::Multigrid multigrid(levels, {.cycle = cycle});
    const std::size_t n = levels.level(0).size();
    std::vector<double> r(n), s(n), of_r(n), of_s(n);
    for (std::size_t i = 0; i < n; ++i) r[i] = uniform_random(1, i, 0) - 0.5, s[i] = uniform_random(2, i, 0) - 0.5;
    multigrid.apply(r, of_r);
    multigrid.apply(s, of_s);
    const auto dot = [](const std::vector<double>& a, const std::vector<double>& b) {
      return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    CHECK_NEAR(dot(of_r, s), dot(r, of_s), 1e-12);
    CHECK(dot(of_r, r) > 0 && dot(of_s, s) > 0);
  }
}

TEST(systems_of_other_sizes_may_follow) {
  const auto alone = comm::single_process();
  PoissonLevels levels(*alone, {.cells = {32, 32, 1}}, {});
  ConjugateGradients solver(*alone, {});
  linear::Multigrid multigrid(levels, {});
  Solved large, small, again;
  const auto solve_next = [&](std::int64_t n, Solved& solved) {
    levels = PoissonLevels(*alone, {.cells = {n, n, 1}}, {});
    solved.x.resize(static_cast<std::size_t>(n * n));
    solve_with(solver, levels, multigrid, solved);
  };
  solve_next(32, large);
  solve_next(8, small);
  solve_next(32, again);
  CHECK(again == large);
  CHECK(small == solve({.cells = {8, 8, 1}}));
}

TEST(the_number_of_levels_follows_from_the_cells) {
  CHECK(linear::number_of_levels({64, 64, 1}, 16) == 5);  // 64, 32, 16, 8, 4
  CHECK(linear::number_of_levels({96, 48, 24}, 1) == 4);  // down to 12 x 6 x 3
  CHECK(linear::number_of_levels({7, 8}, 1) == 1);
  CHECK(linear::number_of_levels({2, 1, 1}, 1) == 2);
  CHECK(linear::number_of_levels({1, 1}, 0) == 1);
}

TEST(the_solution_converges_at_second_order) {
  for (const bool neumann : {false, true}) {
    const auto error_at = [&](std::int64_t n) {
      const auto alone = comm::single_process();
      PoissonLevels levels(*alone, {.cells = {n, n, 1}, .neumann = neumann, .variable = false}, {});
      const double h = 1 / static_cast<double>(n);
      std::vector<double> exact, b, x(levels.level(0).extent(), 1.0);
      for (const std::int64_t cell : levels.layout().own) {
        const Cells at = levels.layout().position(cell);
        const double px = k_pi * h * (static_cast<double>(at[0]) + 0.5),
                     py = k_pi * h * (static_cast<double>(at[1]) + 0.5);
        exact.push_back(neumann ? std::cos(px) * std::cos(py) : std::sin(px) * std::sin(py));
        b.push_back(2 * k_pi * k_pi * exact.back() * h * h +
                    (neumann ? 0.01 : 0));  // what A x cannot reach is left out
      }
      linear::Multigrid multigrid(levels, {});
      ConjugateGradients solver(*alone, {.tolerance = 1e-10, .constant_null_space = neumann});
      CHECK(solver.solve(levels.level(0), multigrid, b, x).converged());
      double error = 0;
      for (std::size_t i = 0; i < b.size(); ++i) error = std::max(error, std::abs(x[i] - exact[i]));
      return error;
    };
    const double coarse = error_at(16), fine = error_at(32);
    CHECK(coarse < 0.01);
    CHECK_NEAR(coarse / fine, 4, 0.2);
  }
}

TEST(all_methods_find_the_same_solution) {
  const Poisson problem{.cells = {16, 16, 1}, .neumann = true};
  const Solved expected = solve(problem, {}, {.options = {.tolerance = 1e-12}});
  double mean = 0;
  for (const double x : expected.x) mean += x / static_cast<double>(expected.x.size());
  CHECK_NEAR(mean, 0, 1e-15);
  for (const Method method : {Method::diagonal, Method::chebyshev, Method::cycles}) {
    const Solved solved = solve(problem, {}, {.method = method, .options = {.tolerance = 1e-12}});
    double difference = 0;
    for (std::size_t i = 0; i < solved.x.size(); ++i)
      difference = std::max(difference, std::abs(solved.x[i] - expected.x[i]));
    CHECK_NEAR(difference, 0, 1e-10);
  }
}

TEST(the_recurrence_agrees_with_the_residual_where_it_is_not_confirmed) {
  const Poisson problem{.cells = {32, 32, 1}};
  const Solved confirmed = solve(problem), trusted = solve(problem, {}, {.options = {.confirm = false}});
  CHECK(trusted.x == confirmed.x);
  CHECK_NEAR(trusted.outcome.residual / confirmed.outcome.residual, 1, 1e-6);
}
