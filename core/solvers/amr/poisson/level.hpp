#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/halo.hpp"
#include "patches/layout.hpp"
#include "patches/patch_set.hpp"
#include "patches/rim.hpp"
#include "solvers/amr/poisson/sweeps.hpp"
#include "solvers/amr/poisson/way.hpp"

namespace eddyline::amr {

/// r = f - A u with A = -laplace on the cells of a set of patches, by second differences. Sides of the domain are
/// periodic or mirrors. Vectors hold the cells of this rank, patch by patch, and then those of other ranks around them.
class PoissonLevel {
 public:
  /// `ghosts`: layers around a patch, at least 1.
  PoissonLevel(const patches::PatchSet& set, double spacing, std::int32_t ghosts, const Sweeps& sweeps, const Way& way);

  std::size_t size() const { return static_cast<std::size_t>(layout_.cells()); }
  std::size_t extent() const { return size() + static_cast<std::size_t>(layout_.foreign_cells()); }
  const patches::Layout& layout() const { return layout_; }
  exchange::Traffic traffic() const { return halo_.traffic(); }

  /// Values around a level that ends within the domain.
  struct Around {
    const patches::Rim* rim = nullptr;
    std::span<const double> values;
  };
  /// Collective. r = scale (f - A u), rounded to single precision.
  void residual(std::span<double> u, const Around& around, std::span<const double> f, double scale, std::span<float> r);

  /// Collective. Receives the cells of other ranks.
  void gather(std::span<double> u);
  /// After gather(): the cells of a patch with all ghosts, row-major.
  void fill(std::size_t patch, std::span<const double> u, const Around& around, double* to) const;

 private:
  patches::Layout layout_;
  Sweeps sweeps_;
  double per_area_;
  exchange::BoxHalo halo_;
};

}  // namespace eddyline::amr
