// Values and corrections that levels of the potential take from each other.
#include <algorithm>
#include <cmath>

#include "linear/vectors.hpp"
#include "solvers/amr/poisson/mirror.hpp"
#include "solvers/amr/poisson/potential.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using linear::span_of;
using patches::Gather;
using patches::Layout;
using patches::Levels;
using patches::PatchSet;

Potential::Refined::Refined(const Levels& levels, int level, const Sweeps& sweeps, const Way& way)
    : rim_halo(way.halo("rim")),
      below_halo(way.halo("below")),
      set(levels[level].layout.set().coarsened()),
      correction(levels[level].layout.set(), std::ldexp(1.0, -level), sweeps,
                 way.of("correction " + std::to_string(level))),
      between(levels[level].layout.set(), levels[level - 1].layout.set(), 0, way) {
  const PatchSet &fine = levels[level].layout.set(), &coarser = levels[level - 1].layout.set();
  const Layout with_ghosts(fine, k_rim_layers, way.rank());
  rim =
      patches::Rim(with_ghosts, coarser, patches::Transfer(patches::Meaning::point, 2, fine.dimensions()), way.rank());
  rim.coarse_cells().connect(rim_halo);
  coarse.resize(static_cast<std::size_t>(rim.coarse_cells().foreign_cells()));
  at_rim.resize(static_cast<std::size_t>(rim.cells()));
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < coarser.size(); ++k) targets.push_back({coarser.owner(k), coarser.box(k)});
  below = Gather(set, targets, way.rank());
  below.connect(below_halo);
  const auto below_level = static_cast<std::size_t>(with_ghosts.cells() >> fine.dimensions());
  const auto from_others = static_cast<std::size_t>(below.foreign_cells());
  restricted.resize(below_level), restricted_residual.resize(below_level);
  received.resize(from_others), received_residual.resize(from_others);
}

exchange::Traffic Potential::Refined::traffic() const {
  exchange::Traffic all = rim_halo.traffic();
  all += below_halo.traffic();
  all += correction.traffic();
  all += between.traffic();
  return all;
}

/// Restricted values of a level take their places on the coarser one.
template <class T>
void Potential::pass_down(std::size_t level, const Array<T>& restricted, Array<T>& received, Array<T>& coarser) {
  Refined& refined = *grids_[level].refined;
  const auto views = refined.below.views<T>(restricted.data(), received.data());
  refined.below_halo.gather_between(views.field());
  const auto& patches = grids_[level - 1].level->layout().patches();
  const auto count = static_cast<std::int64_t>(patches.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < count; ++k) {
    const auto patch = static_cast<std::size_t>(k);
    refined.below.fill(patch, {restricted.data(), received.data()}, coarser.data() + patches[patch].first);
  }
}

void Potential::restrict_values(std::size_t level) {
  Grid& grid = grids_[level];
  Refined& refined = *grid.refined;
  const Layout& layout = grid.level->layout();
  grid.level->gather(span_of(grid.u));
  fill_rim(level);
  const auto count = static_cast<std::int64_t>(layout.patches().size());
#pragma omp parallel
  {
    std::vector<double> memory(layout.scratch_size());
    patches::Transfer::Scratch scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Layout::Patch& patch = layout.patches()[static_cast<std::size_t>(k)];
      grid.level->fill(static_cast<std::size_t>(k), span_of(grid.u), {&refined.rim, span_of(refined.at_rim)},
                       memory.data());
      transfer_.restrict(memory.data(), layout.grown(patch), patches::coarsened(patch.cells, layout.dimensions()),
                         refined.restricted.data() + (patch.first >> layout.dimensions()), scratch);
    }
  }
  pass_down(level, refined.restricted, refined.received, grids_[level - 1].u);
}

void Potential::restrict_residual(std::size_t level) {
  Grid& grid = grids_[level];
  Refined& refined = *grid.refined;
  const Layout& layout = grid.level->layout();
  for (const Layout::Patch& patch : layout.patches()) {
    const std::int32_t nx = patch.cells.count(0), ny = patch.cells.count(1);
    const Inside at{layout.dimensions(), nx, ny, patch.cells.count(2), nx, static_cast<std::ptrdiff_t>(nx) * ny};
    sweeps_.restrict_means(at, grid.r.data() + patch.first,
                           refined.restricted_residual.data() + (patch.first >> layout.dimensions()));
  }
  pass_down(level, refined.restricted_residual, refined.received_residual, grids_[level - 1].r);
}

/// Interpolates the values of the coarser level around a level.
void Potential::fill_rim(std::size_t level) {
  Refined& refined = *grids_[level].refined;
  const Array<double>& coarse = grids_[level - 1].u;
  const Gather& gather = refined.rim.coarse_cells();
  const Gather::Views views = gather.views(coarse.data(), refined.coarse.data());
  refined.rim_halo.gather_between(views.field());
  const auto parts = static_cast<std::int64_t>(refined.rim.parts().size());
#pragma omp parallel
  {
    std::vector<double> memory;
    patches::Transfer::Scratch scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < parts; ++k) {
      const auto part = static_cast<std::size_t>(k);
      const IndexBox box = gather.target(part);
      memory.resize(std::max(memory.size(), static_cast<std::size_t>(box.cells())));
      gather.fill(part, {coarse.data(), refined.coarse.data()}, memory.data());
      mirror_at_sides(levels_[static_cast<int>(level) - 1].layout.set(), box, memory.data());
      transfer_.prolong(memory.data(), box, refined.rim.parts()[part].ghosts,
                        refined.at_rim.data() + refined.rim.parts()[part].first, scratch);
    }
  }
}

/// u += the interpolated correction e of the coarser level.
void Potential::add_correction(std::size_t level) {
  Grid& grid = grids_[level];
  Interpolation& between = grid.refined->between;
  const Grid& coarser = grids_[level - 1];
  const std::span<const float> e(coarser.e.data(), coarser.level->size());
  between.gather(e);
  const auto& patches = grid.level->layout().patches();
  const auto count = static_cast<std::int64_t>(patches.size());
#pragma omp parallel
  {
    std::vector<float> memory;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Layout::Patch& patch = patches[static_cast<std::size_t>(k)];
      memory.assign(static_cast<std::size_t>(patch.cells.cells()), 0);
      between.add(static_cast<std::size_t>(k), e, sweeps_, patch.cells, memory.data());
      double* u = grid.u.data() + patch.first;
      for (std::size_t i = 0; i < memory.size(); ++i) u[i] += correction_ * static_cast<double>(memory[i]);
    }
  }
}

}  // namespace eddyline::amr
