#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/halo.hpp"
#include "linear/chebyshev.hpp"
#include "patches/layout.hpp"
#include "solvers/amr/poisson/interpolation.hpp"
#include "solvers/amr/poisson/sweeps.hpp"
#include "solvers/amr/poisson/way.hpp"

namespace eddyline::amr {

/// Layers around a patch to which Correction::ascend() adds the coarser correction: for the last two of three sweeps.
inline constexpr std::int32_t k_smoothed_layers = 3;

/// Corrections on the cells of a set of patches: -laplace(x) = b by second differences, in single precision. Sides of
/// the domain are periodic or mirrors; where the patches end within the domain, x is 0.
///
/// All sweeps of a smoother are made on one patch after the other: the first ones on some layers of cells around it as
/// well, which the patch beside it computes from the same numbers. So they take one exchange, and values stay in a
/// cache. Vectors hold the cells of this rank, patch by patch, and then those of other ranks around them.
class Correction {
 public:
  /// `spacing`: in any unit.
  Correction(const patches::PatchSet& set, double spacing, const Sweeps& sweeps, const Way& way);

  std::size_t size() const { return static_cast<std::size_t>(layout_.cells()); }
  std::size_t extent() const { return size() + static_cast<std::size_t>(layout_.foreign_cells()); }
  const patches::PatchSet& set() const { return layout_.set(); }
  exchange::Traffic traffic() const { return halo_.traffic(); }

  /// Destination of a correction: x of this grid, or u += factor x, or both.
  struct Target {
    float* x = nullptr;
    double* u = nullptr;
    double factor = 0;
  };
  /// Collective. Four sweeps from x = 0.
  void smooth(std::span<float> b, const Target& to);
  /// Collective. The same, and the residual: its means in the cells of set().coarsened(), or its values.
  struct Rest {
    float* means = nullptr;
    float* values = nullptr;
  };
  void descend(std::span<float> b, std::span<float> x, const Rest& rest);
  /// Collective. After descend(): adds a correction of the next coarser grid and makes three more sweeps.
  void ascend(std::span<const float> b, std::span<float> x, Interpolation& between, std::span<const float> coarse,
              const Target& to);
  /// Collective. As many sweeps from x = 0 as `options` say.
  void solve(const linear::ChebyshevOptions& options, std::span<const float> b, const Target& to);

 private:
  /// Memory of a thread for the values of a patch with all layers.
  struct Scratch {
    float *b, *x, *y, *z;
  };
  template <class Each>
  void for_each_patch(Each&& each) const;
  void gather(std::span<float> x);
  void fill(std::size_t patch, std::span<const float> x, float* to) const;
  void end_at_rim(std::size_t patch, float* x) const;
  Inside inside(std::size_t patch) const;
  void sweep(const Inside& at, std::int32_t layers, const Weights& weights, const float* x, const float* b,
             const float* old, float* to) const;
  void smooth_from_zero(std::size_t patch, std::int32_t layers, const Scratch& scratch) const;
  void copy_from(std::size_t patch, const float* x, float* to) const;
  void deliver(std::size_t patch, const float* x, const Target& to) const;
  Weights weights_of(const linear::ChebyshevSweeps::Factors& factors) const;

  patches::Layout layout_;
  Sweeps sweeps_;
  exchange::BoxHalo halo_;
  double inverse_of_centre_;
  Weights first_two_, third_, fourth_, residual_;  // from 0
  Weights fifth_, sixth_, seventh_;                // after the coarser correction
  bool covers_domain_ = false;
  std::vector<std::vector<grid::IndexBox>> beyond_;  // cells around each patch that the set does not have
  Array<float> old_, next_, now_;                    // of solve()
};

}  // namespace eddyline::amr
