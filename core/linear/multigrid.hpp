#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "linear/chebyshev.hpp"
#include "linear/operator.hpp"
#include "linear/vectors.hpp"

namespace eddyline::linear {

struct MultigridOptions {
  enum class Cycle { v, w };

  Cycle cycle = Cycle::v;
  ChebyshevOptions smoother{};                                  // before and after each coarse correction
  ChebyshevOptions coarsest{.degree = 16, .lowest = 2 / 40.0};  // instead of an exact solve on the coarsest level
  double correction = 1;  // factor of the coarse correction; above 1 for piecewise constant P (Braess 1995)
};

/// Throws UserError for options that make no sense.
void check(const MultigridOptions& options);

/// How many levels a grid of so many cells along each axis has: each is half as fine along every axis, as long as all
/// numbers are even and a level has more than `coarsest` cells. An axis of one cell stays as it is. It depends on the
/// whole grid alone.
std::size_t number_of_levels(std::vector<std::int64_t> cells, std::int64_t coarsest);

/// A multigrid cycle for A x = b over a Hierarchy:
///   x = smooth(b, x);  e = 0;  once (V) or twice (W): e = cycle(R (b - A x), e);  x += correction P e;  x = smooth(b,
///   x)
/// The smoother is Chebyshev's, the same before and after, so that the cycle is a symmetric operation if R is a
/// multiple of the transpose of P, and serves conjugate gradients as a preconditioner. It has no dot products, so
/// nothing in it depends on the cut. Source: Trottenberg, Oosterlee & Schueller 2001, section 2.4. As a solver:
/// StationaryIteration with this as the preconditioner.
template <Hierarchy H>
class Multigrid {
 public:
  /// `hierarchy` must outlive it; numbers of its matrices and diagonals may change, sizes may not.
  Multigrid(H& hierarchy, const MultigridOptions& options)
      : hierarchy_(hierarchy), options_((check(options), options)) {
    const std::size_t levels = hierarchy_.levels();
    levels_.reserve(levels);
    for (std::size_t k = 0; k < levels; ++k) {
      auto& a = hierarchy_.level(k);
      levels_.emplace_back(a, hierarchy_.inverse_diagonal(k), k + 1 < levels ? options_.smoother : options_.coarsest);
      if (k == 0) continue;
      levels_[k].b.resize(a.extent());
      levels_[k].x.resize(a.extent());
    }
  }

  /// One cycle from z = 0.
  void apply(std::span<const double> r, std::span<double> z) { cycle(0, r, z, true); }

 private:
  using LevelOperator = std::remove_reference_t<decltype(std::declval<H&>().level(0))>;

  struct Level {
    Level(LevelOperator& a, std::span<const double> inverse_diagonal, const ChebyshevOptions& options)
        : smoother(a, inverse_diagonal, options) {
      r.resize(a.extent());
    }

    Chebyshev<LevelOperator> smoother;
    Array<double> x, b, r;  // x and b of the finest level are the caller's
  };

  void cycle(std::size_t k, std::span<const double> b, std::span<double> x, bool from_zero) {
    Level& level = levels_[k];
    if (from_zero)
      level.smoother.smooth_from_zero(b, x);
    else
      level.smoother.smooth(b, x);
    if (k + 1 == levels_.size()) return;

    auto& a = hierarchy_.level(k);
    Level& coarse = levels_[k + 1];
    a.apply(x, span_of(level.r));
    for_each_unknown(a.size(), [&](std::size_t i) { level.r[i] = b[i] - level.r[i]; });
    hierarchy_.transfer(k).coarsen(span_of(level.r), span_of(coarse.b));
    const std::size_t coarse_size = hierarchy_.level(k + 1).size();
    const std::span<const double> coarse_b(coarse.b.data(), coarse_size);
    cycle(k + 1, coarse_b, span_of(coarse.x), true);
    if (options_.cycle == MultigridOptions::Cycle::w && k + 2 < levels_.size())
      cycle(k + 1, coarse_b, span_of(coarse.x), false);
    if (options_.correction != 1)
      for_each_unknown(coarse_size, [&](std::size_t i) { coarse.x[i] *= options_.correction; });
    hierarchy_.transfer(k).refine(span_of(coarse.x), x);
    level.smoother.smooth(b, x);
  }

  H& hierarchy_;
  MultigridOptions options_;
  std::vector<Level> levels_;
};

}  // namespace eddyline::linear
