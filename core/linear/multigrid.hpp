#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
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

/// Throws UserError for invalid options.
void check(const MultigridOptions& options);

/// Returns the number of levels of a grid with the given number of cells along each axis. Each level halves the numbers
/// of cells, as long as all are even and the level has more than `coarsest` cells. An axis of one cell is not
/// coarsened. The result depends on the whole grid only.
std::size_t number_of_levels(std::vector<std::int64_t> cells, std::int64_t coarsest);

/// A multigrid cycle for A x = b over a Hierarchy:
///   x = smooth(b, x)
///   e = 0;  once (V) or twice (W):  e = cycle(R (b - A x), e)
///   x += correction P e
///   x = smooth(b, x)
/// The smoother is Chebyshev's, the same before and after, so that the cycle is a symmetric operation if R is a
/// multiple of the transpose of P, and serves conjugate gradients as a preconditioner. It has no dot products, so
/// nothing in it depends on the cut. Source: Trottenberg, Oosterlee & Schueller 2001, section 2.4.
///
/// As a solver: StationaryIteration with this as the preconditioner.
template <Hierarchy H>
class Multigrid {
 public:
  /// `hierarchy` must outlive it; it may change between cycles, sizes and the number of levels, too.
  Multigrid(H& hierarchy, const MultigridOptions& options)
      : hierarchy_(hierarchy), options_((check(options), options)) {}

  /// One cycle from z = 0.
  void apply(std::span<const double> r, std::span<double> z) {
    levels_.resize(hierarchy_.levels());
    cycle(0, r, z, Guess::zero);
  }

 private:
  using Guess = Chebyshev::Guess;

  struct Level {
    Chebyshev smoother;
    Array<double> x, b, r;  // x and b of the finest level are the caller's
  };

  void cycle(std::size_t k, std::span<const double> b, std::span<double> x, Guess guess) {
    const bool coarsest = k + 1 == levels_.size();
    smooth(k, coarsest ? options_.coarsest : options_.smoother, b, x, guess);
    if (coarsest) return;

    auto& a = hierarchy_.level(k);
    Level& level = levels_[k];
    level.r.resize(a.extent());
    a.apply(x, span_of(level.r));
    for_each_unknown(a.size(), [&](std::size_t i) { level.r[i] = b[i] - level.r[i]; });
    hierarchy_.transfer(k).refine(correction(k), x);
    smooth(k, options_.smoother, b, x, Guess::given);
  }

  /// The coarse correction e of level k + 1, from the residual of level k.
  std::span<double> correction(std::size_t k) {
    auto& a = hierarchy_.level(k + 1);
    Level& coarse = levels_[k + 1];
    coarse.b.resize(a.extent());
    coarse.x.resize(a.extent());
    hierarchy_.transfer(k).coarsen(span_of(levels_[k].r), span_of(coarse.b));
    const std::span<const double> b(coarse.b.data(), a.size());
    const std::span<double> x = span_of(coarse.x);
    cycle(k + 1, b, x, Guess::zero);
    if (options_.cycle == MultigridOptions::Cycle::w && k + 2 < levels_.size()) cycle(k + 1, b, x, Guess::given);
    if (options_.correction != 1) for_each_unknown(a.size(), [&](std::size_t i) { x[i] *= options_.correction; });
    return x;
  }

  void smooth(std::size_t k, const ChebyshevOptions& options, std::span<const double> b, std::span<double> x,
              Guess guess) {
    levels_[k].smoother.smooth(options, hierarchy_.level(k), hierarchy_.inverse_diagonal(k), b, x, guess);
  }

  H& hierarchy_;
  MultigridOptions options_;
  std::vector<Level> levels_;
};

}  // namespace eddyline::linear
