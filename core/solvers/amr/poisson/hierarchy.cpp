#include "solvers/amr/poisson/hierarchy.hpp"

#include <algorithm>
#include <cmath>

#include "base/portable_math.hpp"
#include "linear/vectors.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using linear::span_of;
using patches::Gather;
using patches::PatchSet;

namespace {

constexpr std::int32_t k_fewest_cells = 16;  // along an edge of patches that keep their owners

bool can_halve(const PatchSet& set) {
  for (std::size_t k = 0; k < set.size(); ++k)
    for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
      const IndexBox& box = set.box(k);
      if (box.lower[d] % 2 != 0 || box.upper[d] % 2 != 0 || box.count(d) < 2 * k_fewest_cells) return false;
    }
  return true;
}

PatchSet cut_anew(const PatchSet& set, std::int32_t patch, int ranks) {
  Int3 cells = set.domain().upper;
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) cells[d] /= 2;
  PatchSet coarse(patches::Tiling(cells, set.dimensions(), patch, 1), set.dimensions(), set.periodic());
  coarse.assign(ranks);
  return coarse;
}

}  // namespace

Coarsening::Coarsening(const PatchSet& fine, const PatchSet& coarse, const Sweeps& sweeps, const Way& way)
    : halo_(way.halo("coarsening")), sweeps_(sweeps), dimensions_(fine.dimensions()) {
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < coarse.size(); ++k) {
    targets.push_back({coarse.owner(k), patches::refined(coarse.box(k), dimensions_)});
    if (coarse.owner(k) == way.rank()) first_.push_back(coarse.first(k));
  }
  gather_ = Gather(fine, targets, way.rank());
  gather_.connect(halo_);
  foreign_.resize(static_cast<std::size_t>(gather_.foreign_cells()));
}

void Coarsening::mean(std::span<const float> fine, std::span<float> coarse) {
  const auto views = gather_.views(fine.data(), foreign_.data());
  halo_.gather_between(views.field());
  const auto count = static_cast<std::int64_t>(first_.size());
#pragma omp parallel
  {
    thread_local std::vector<float> memory;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto patch = static_cast<std::size_t>(k);
      const IndexBox box = gather_.target(patch);
      memory.resize(std::max(memory.size(), static_cast<std::size_t>(box.cells())));
      gather_.fill(patch, {fine.data(), foreign_.data()}, memory.data());
      const std::ptrdiff_t sy = box.count(0);
      const Inside at{dimensions_, box.count(0), box.count(1), box.count(2), sy, sy * box.count(1)};
      sweeps_.restrict_means(at, memory.data(), coarse.data() + first_[patch]);
    }
  }
}

PoissonHierarchy::Grid::Grid(const PatchSet& set, double spacing, const Sweeps& sweeps, const Way& way)
    : correction(set, spacing, sweeps, way) {
  for (Array<float>* each : {&b, &x, &result, &residual}) each->resize(correction.extent());
}

PoissonHierarchy::PoissonHierarchy(const PatchSet& finest, std::int32_t patch, const Sweeps& sweeps, const Way& way) {
  const auto dimensions = static_cast<std::size_t>(finest.dimensions());
  const auto can_coarsen = [&](const Int3& cells) {
    return std::ranges::all_of(std::span(cells).first(dimensions),
                               [](std::int32_t count) { return count % 2 == 0 && count >= 4; });
  };
  grids_.push_back(std::make_unique<Grid>(finest, 1, sweeps, way.of("grid 0")));
  PatchSet fine = finest;
  for (double spacing = 2; can_coarsen(fine.domain().upper); spacing *= 2) {
    const Way own = way.of("grid " + std::to_string(grids_.size()));
    const bool keeps_patches = can_halve(fine);
    PatchSet coarse = keeps_patches ? fine.coarsened() : cut_anew(fine, patch, way.communicator->size());
    if (!keeps_patches) grids_.back()->coarsening = std::make_unique<Coarsening>(fine, coarse, sweeps, own);
    grids_.back()->between = std::make_unique<Interpolation>(fine, coarse, k_smoothed_layers, own);
    grids_.push_back(std::make_unique<Grid>(coarse, spacing, sweeps, own));
    fine = std::move(coarse);
  }
}

void PoissonHierarchy::cycle(std::size_t k, std::span<float> b, const Correction::Target& to) {
  Grid& grid = *grids_[k];
  if (k + 1 == grids_.size()) return grid.correction.solve(coarsest(), b, to);
  Grid& coarse = *grids_[k + 1];
  if (grid.coarsening) {
    grid.correction.descend(b, span_of(grid.x), {.values = grid.residual.data()});
    grid.coarsening->mean(span_of(grid.residual), span_of(coarse.b));
  } else {
    grid.correction.descend(b, span_of(grid.x), {.means = coarse.b.data()});
  }
  cycle(k + 1, span_of(coarse.b), {.x = coarse.result.data()});
  grid.correction.ascend(b, span_of(grid.x), *grid.between, span_of(coarse.result), to);
}

/// The lowest eigenvalue of D^-1 A is that of the longest wave along the longest axis; the degree makes the error a
/// hundred times smaller.
linear::ChebyshevOptions PoissonHierarchy::coarsest() const {
  const PatchSet& set = grids_.back()->correction.set();
  linear::ChebyshevOptions options;
  options.highest = 2;
  options.lowest = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
    const double wave = (set.is_periodic(d) ? 2 : 1) * portable::k_pi / set.domain().count(d);
    options.lowest = std::min(options.lowest, (1 - portable::cos(wave)) / set.dimensions());
  }
  constexpr double k_log = 5.3;  // of 200
  options.degree = 2 + static_cast<int>(std::ceil(0.5 * k_log * std::sqrt(options.highest / options.lowest)));
  return options;
}

}  // namespace eddyline::amr
