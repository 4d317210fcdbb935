#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "linear/chebyshev.hpp"
#include "patches/gather.hpp"
#include "solvers/amr/poisson/correction.hpp"

namespace eddyline::amr {

/// Means of the cells of a grid for the next coarser one, of which patches are cut elsewhere.
class Coarsening {
 public:
  Coarsening(const patches::PatchSet& fine, const patches::PatchSet& coarse, const Sweeps& sweeps, const Way& way);
  /// Collective.
  void mean(std::span<const float> fine, std::span<float> coarse);

 private:
  patches::Gather gather_;
  exchange::BoxHalo halo_;
  Array<float> foreign_;
  Sweeps sweeps_;
  int dimensions_;
  std::vector<std::int64_t> first_;  // of the coarse patches of this rank
};

/// A multigrid cycle on grids of a domain, each with half as many cells along each axis as the one before. How many
/// there are follows from the domain; patches keep their owners while they have enough cells, and are cut anew below
/// that. It has no dot products, so that nothing depends on the cut.
/// Source: Trottenberg, Oosterlee & Schueller 2001, section 2.4.
class PoissonHierarchy {
 public:
  /// The hierarchy below the level that covers the domain, in units of its spacing; `patch`: largest number of cells
  /// along an edge.
  PoissonHierarchy(const patches::PatchSet& finest, std::int32_t patch, const Sweeps& sweeps, const Way& way);

  /// Numbers of a vector on the finest grid, with those of other ranks.
  std::size_t extent() const { return grids_[0]->correction.extent(); }
  /// Collective. One cycle from 0.
  void cycle(std::span<float> b, const Correction::Target& to) { cycle(0, b, to); }

 private:
  struct Grid {
    Grid(const patches::PatchSet& set, double spacing, const Sweeps& sweeps, const Way& way);

    Correction correction;
    Array<float> b, x, result, residual;     // b and the result of the finest grid are the caller's
    std::unique_ptr<Coarsening> coarsening;  // where the next coarser patches are cut anew
    std::unique_ptr<Interpolation> between;  // from the next coarser grid
  };

  void cycle(std::size_t k, std::span<float> b, const Correction::Target& to);
  linear::ChebyshevOptions coarsest() const;

  std::vector<std::unique_ptr<Grid>> grids_;
};

}  // namespace eddyline::amr
