#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/halo.hpp"
#include "patches/gather.hpp"
#include "patches/patch_set.hpp"
#include "solvers/amr/poisson/sweeps.hpp"
#include "solvers/amr/poisson/way.hpp"

namespace eddyline::amr {

/// Adds corrections of a coarse grid to a finer one, linear between cells along each axis.
class Interpolation {
 public:
  /// Cells of the patches of `fine`, and `layers` around them.
  Interpolation(const patches::PatchSet& fine, const patches::PatchSet& coarse, std::int32_t layers, const Way& way);

  /// Collective. Receives the coarse cells of other ranks.
  void gather(std::span<const float> coarse);
  /// After gather(): for a fine patch of this rank, in the memory of the cells `box`, which holds whole coarse cells
  /// around its cells and layers.
  void add(std::size_t patch, std::span<const float> coarse, const Sweeps& sweeps, const grid::IndexBox& box,
           float* x) const;

  exchange::Traffic traffic() const { return halo_.traffic(); }

 private:
  patches::PatchSet coarse_;
  patches::Gather gather_;
  exchange::BoxHalo halo_;
  Array<float> foreign_;
};

}  // namespace eddyline::amr
