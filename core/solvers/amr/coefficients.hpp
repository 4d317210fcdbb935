#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "patches/levels.hpp"
#include "physics/equations/equations.hpp"

namespace eddyline::amr {

/// Numbers of cells that the equations find once, for the patches of this rank.
class Coefficients {
 public:
  /// `equations` must outlive it.
  Coefficients(const physics::Equations& equations, int dimensions) : equations_(equations), dimensions_(dimensions) {}

  /// Finds those of all patches; of patches that were there before they stay.
  void update(const patches::Levels& levels, const Vec3& origin, const std::vector<double>& spacings);
  /// Values in the cells of a patch, one after another, by coefficient.
  std::span<const double* const> of(int level, std::size_t patch) const {
    if (patches_.empty()) return {};
    return patches_[static_cast<std::size_t>(level)][patch]->at;
  }

 private:
  struct OfPatch {
    grid::IndexBox cells;
    std::vector<double> values;
    std::vector<const double*> at;  // of the first cell
  };
  std::unique_ptr<OfPatch> find(const physics::Place& place) const;

  const physics::Equations& equations_;
  int dimensions_;
  std::vector<std::vector<std::unique_ptr<OfPatch>>> patches_;  // by level
};

}  // namespace eddyline::amr
