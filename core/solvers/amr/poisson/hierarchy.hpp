#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "linear/multigrid.hpp"
#include "patches/gather.hpp"
#include "solvers/amr/poisson/level.hpp"

namespace eddyline::amr {

/// Adds the values of a coarse level to a finer one, linear between cells along each axis.
class Prolongation {
 public:
  Prolongation(const patches::PatchSet& fine, const patches::PatchSet& coarse, const Way& way);
  /// Collective.
  void add(std::span<const double> coarse, std::span<double> fine);

 private:
  const patches::PatchSet fine_, coarse_;
  patches::Gather gather_;
  exchange::BoxHalo halo_;
  Array<double> foreign_;
  std::vector<std::int64_t> first_;  // of the fine patches of this rank
  std::vector<grid::IndexBox> boxes_;
};

/// Means of the cells of a level for the next coarser one, which covers the same domain.
class Coarsening {
 public:
  Coarsening(const patches::PatchSet& fine, const patches::PatchSet& coarse, const Way& way);
  /// Collective.
  void mean(std::span<const double> fine, std::span<double> coarse);

 private:
  patches::Gather gather_;
  exchange::BoxHalo halo_;
  Array<double> foreign_;
  int dimensions_;
  std::vector<std::int64_t> first_;  // of the coarse patches of this rank
  std::vector<grid::IndexBox> boxes_;
};

/// Grids of a domain, each with half as many cells along each axis as the one before: a linear::Hierarchy. How many
/// there are follows from the domain; patches keep their owners while they have enough cells, and are cut anew below
/// that.
class PoissonHierarchy {
 public:
  /// The hierarchy below the level that covers the domain; `patch`: largest number of cells along an edge.
  PoissonHierarchy(const patches::PatchSet& finest, double spacing, std::int32_t patch, const Way& way);

  struct Between {
    Coarsening down;
    Prolongation up;

    void coarsen(std::span<double> fine, std::span<double> coarse) { down.mean(fine, coarse); }
    void refine(std::span<double> coarse, std::span<double> fine) { up.add(coarse, fine); }
  };

  std::size_t levels() const { return levels_.size(); }
  PoissonLevel& level(std::size_t k) { return *levels_[k]; }
  std::span<const double> inverse_diagonal(std::size_t k) const { return levels_[k]->inverse_diagonal(); }
  Between& transfer(std::size_t k) { return *between_[k]; }
  /// Enough for the few cells of the coarsest grid.
  linear::ChebyshevOptions coarsest() const;

 private:
  std::vector<std::unique_ptr<PoissonLevel>> levels_;
  std::vector<std::unique_ptr<Between>> between_;
};

}  // namespace eddyline::amr
