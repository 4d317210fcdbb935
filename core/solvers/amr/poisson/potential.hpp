#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "linear/dots.hpp"
#include "linear/outcome.hpp"
#include "patches/levels.hpp"
#include "solvers/amr/poisson/correction.hpp"
#include "solvers/amr/poisson/hierarchy.hpp"
#include "solvers/amr/poisson/interpolation.hpp"
#include "solvers/amr/poisson/level.hpp"
#include "solvers/amr/poisson/sweeps.hpp"

namespace eddyline::amr {

/// When the potential is good enough.
struct PotentialOptions {
  double residual = 1e-6;  // root of the mean square of b - A u, relative to b
  std::int64_t cycles = 30;
};

/// Solves -laplace(u) = b - mean(b) on all levels at once by multigrid cycles: b as means of cells, u at their centres.
/// Where a level ends, its ghosts are interpolated from the next coarser one by polynomials of degree 4, and the values
/// below finer cells are theirs, by polynomials through 6 of them. A cycle goes from the finest level down:
///
///   smooth; the mean residual below and the residual beside it are those that the coarser level corrects; interpolate
///   its correction; smooth
///
/// and on level 0 it is a cycle of PoissonHierarchy over the whole domain. Source: McCormick 1989, chapter 4.
///
/// Residuals are computed in double precision, and corrections in single: a cycle that makes the error ten times
/// smaller needs no more of its numbers. The smoother has no dot products, and norms are exact sums, so that neither
/// patches nor ranks change a bit.
class Potential {
 public:
  Potential(const patches::Levels& levels, const PotentialOptions& options, const Way& way,
            const std::string& instructions);

  /// Collective. `b`, `u`: by level, the cells of this rank; u is the first guess and has the mean 0 at the end.
  linear::Outcome solve(double spacing, std::span<const Array<double>> b, std::span<Array<double>* const> u);

  exchange::Traffic traffic() const;

 private:
  static constexpr std::int32_t k_rim_layers = 2;  // restriction reads 2 cells beyond a patch

  /// A level above 0 and what it exchanges with the next coarser one.
  struct Refined {
    Refined(const patches::Levels& levels, int level, const Sweeps& sweeps, const Way& way);
    exchange::Traffic traffic() const;

    patches::Rim rim;
    exchange::BoxHalo rim_halo, below_halo;
    Array<double> coarse, at_rim;  // coarse cells of other ranks; values of the rim
    patches::PatchSet set;         // coarse cells below the level
    patches::Gather below;         // the patches of the coarser level, from `set`
    Array<double> restricted, received;
    Array<float> restricted_residual, received_residual;
    Correction correction;
    Interpolation between;  // from the coarser level
  };
  struct Grid {
    std::unique_ptr<PoissonLevel> level;
    std::unique_ptr<Refined> refined;  // above level 0
    /// f: the right side, which in a cycle below finer cells makes f - A u their residual.
    Array<double> u, f, before;
    Array<float> r, e;                  // times scale_: f - A u, and a correction, in units of the spacing of level 0
    std::vector<std::int64_t> covered;  // cells below finer ones
  };

  void arrange(double spacing);
  double begin(double spacing, std::span<const Array<double>> b);
  void restrict_values(std::size_t level);
  void restrict_residual(std::size_t level);
  template <class T>
  void pass_down(std::size_t level, const Array<T>& restricted, Array<T>& received, Array<T>& coarser);
  void fill_rim(std::size_t level);
  void compute_residual(std::size_t level);
  void cycle(std::size_t level);
  void correct_all();
  void smooth(std::size_t level);
  void add_correction(std::size_t level);
  struct Norm {
    double mean, square;  // of b or of the residual, over the cells that no finer level covers
  };
  template <class T>
  Norm norm_of(Array<T> Grid::* values);
  void subtract(double constant, Array<double> Grid::* values);

  const patches::Levels& levels_;
  PotentialOptions options_;
  Way way_;
  patches::Transfer transfer_;
  Sweeps sweeps_;
  linear::Dots dots_;
  std::int64_t changes_ = -1;
  std::vector<Grid> grids_;
  std::unique_ptr<PoissonHierarchy> hierarchy_;
  double scale_ = 1;       // power of two that makes the right side about 1
  double correction_ = 1;  // u of a correction of 1
};

}  // namespace eddyline::amr
