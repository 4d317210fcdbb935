#include "solvers/amr/poisson/potential.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linear/vectors.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using linear::for_each_unknown;
using linear::span_of;
using patches::Gather;
using patches::Layout;
using patches::Levels;
using patches::PatchSet;

namespace {

constexpr std::int32_t k_rim_layers = 2;  // restriction reads 2 cells beyond a patch
const linear::ChebyshevOptions k_smoother{.degree = 3, .highest = 2, .lowest = 0.25};

std::span<const double> owned(const Array<double>& vector, const PoissonLevel& level) {
  return {vector.data(), level.size()};
}

}  // namespace

Potential::Refined::Refined(const Levels& levels, int level, const Way& way)
    : rim_halo(way.halo("rim")),
      below_halo(way.halo("below")),
      set(levels[level].layout.set().coarsened()),
      correction(levels[level].layout.set(), levels[level - 1].layout.set(), way) {
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
  restricted.resize(static_cast<std::size_t>(with_ghosts.cells() >> fine.dimensions()));
  received.resize(static_cast<std::size_t>(below.foreign_cells()));
}

Potential::Potential(const Levels& levels, const PotentialOptions& options, const Way& way,
                     const std::string& instructions)
    : levels_(levels),
      options_(options),
      way_(way),
      transfer_(patches::Meaning::point, 2, levels.setup().dimensions),
      means_(patches::Meaning::average, 1, levels.setup().dimensions),
      dots_(*way.communicator, instructions) {}

exchange::Traffic Potential::traffic() const {
  exchange::Traffic all;
  for (const Grid& grid : grids_) {
    all += grid.level->traffic();
    if (grid.refined) all += grid.refined->rim_halo.traffic(), all += grid.refined->below_halo.traffic();
  }
  return all;
}

/// Memory for the patches of now.
void Potential::arrange(double spacing) {
  if (changes_ == levels_.changes()) return;
  changes_ = levels_.changes();
  const PatchSet& base = levels_[0].layout.set();
  if (!hierarchy_) {
    hierarchy_ = std::make_unique<PoissonHierarchy>(base, spacing, levels_.setup().patch, way_);
    linear::MultigridOptions options;
    options.smoother = k_smoother;
    options.coarsest = hierarchy_->coarsest();
    multigrid_ = std::make_unique<linear::Multigrid<PoissonHierarchy>>(*hierarchy_, options);
  }
  grids_.clear();
  grids_.resize(static_cast<std::size_t>(levels_.size()));
  for (std::size_t l = 0; l < grids_.size(); ++l, spacing *= 0.5) {
    Grid& grid = grids_[l];
    const auto level = static_cast<int>(l);
    const Way way = way_.of("potential " + std::to_string(l));
    grid.level = std::make_unique<PoissonLevel>(levels_[level].layout.set(), spacing, l == 0 ? 1 : k_rim_layers, way);
    if (l > 0) grid.refined = std::make_unique<Refined>(levels_, level, way);
    for (Array<double>* each : {&grid.u, &grid.b, &grid.f, &grid.r, &grid.e, &grid.before})
      each->resize(grid.level->extent());
    if (l + 1 == grids_.size()) continue;
    for (const Layout::Patch& patch : grid.level->layout().patches())
      for_each_cell(patch.cells, [&](Int3 cell) {
        if (levels_.is_covered(level, cell)) grid.covered.push_back(patch.first + patch.cells.index(cell));
      });
  }
}

/// Restricted values of a level take their places on the coarser one.
void Potential::pass_down(std::size_t level, Array<double>& coarser) {
  Refined& refined = *grids_[level].refined;
  const Gather::Views views = refined.below.views(refined.restricted.data(), refined.received.data());
  refined.below_halo.gather_between(views.field());
  const auto& patches = grids_[level - 1].level->layout().patches();
  const auto count = static_cast<std::int64_t>(patches.size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < count; ++k) {
    const auto patch = static_cast<std::size_t>(k);
    refined.below.fill(patch, {refined.restricted.data(), refined.received.data()},
                       coarser.data() + patches[patch].first);
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
  pass_down(level, grids_[level - 1].u);
}

void Potential::restrict_residual(std::size_t level) {
  Grid& grid = grids_[level];
  const Layout& layout = grid.level->layout();
  patches::Transfer::Scratch scratch;
  for (const Layout::Patch& patch : layout.patches())
    means_.restrict(grid.r.data() + patch.first, patch.cells, patches::coarsened(patch.cells, layout.dimensions()),
                    grid.refined->restricted.data() + (patch.first >> layout.dimensions()), scratch);
  pass_down(level, grids_[level - 1].r);
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

/// r = f - A u on a level. Below finer cells, u must be theirs.
void Potential::compute_residual(std::size_t level) {
  Grid& grid = grids_[level];
  PoissonLevel::Around around;
  if (level > 0) {
    fill_rim(level);
    around = {&grid.refined->rim, span_of(grid.refined->at_rim)};
  }
  grid.level->residual(span_of(grid.u), around, owned(grid.f, *grid.level), span_of(grid.r));
}

void Potential::smooth(std::size_t level) {
  Grid& grid = grids_[level];
  grid.refined->smoother.smooth(k_smoother, *grid.level, grid.level->inverse_diagonal(), owned(grid.r, *grid.level),
                                span_of(grid.e), linear::Chebyshev::Guess::zero);
  for_each_unknown(grid.level->size(), [&](std::size_t i) { grid.u[i] += grid.e[i]; });
}

/// Improves u of a level and of those below it; grid.r is the residual. `mean`: of that of level 0, if it is known.
void Potential::cycle(std::size_t level, std::optional<double> mean) {
  Grid& grid = grids_[level];
  if (level == 0) {
    const std::array terms{linear::DotTerm{grid.r.data()}};
    if (!mean) mean = dots_.of(terms, grid.level->size())[0] / static_cast<double>(levels_[0].layout.all_cells());
    for_each_unknown(grid.level->size(), [&](std::size_t i) { grid.r[i] -= *mean; });
    multigrid_->apply(owned(grid.r, *grid.level), span_of(grid.e));
    for_each_unknown(grid.level->size(), [&](std::size_t i) { grid.u[i] += grid.e[i]; });
    return;
  }
  smooth(level);
  compute_residual(level);
  restrict_values(level);
  Grid& coarser = grids_[level - 1];
  compute_residual(level - 1);
  for (const std::int64_t cell : coarser.covered) coarser.f[cell] -= coarser.r[cell];
  restrict_residual(level);
  for (const std::int64_t cell : coarser.covered) coarser.f[cell] += coarser.r[cell];
  std::copy_n(coarser.u.data(), coarser.level->size(), coarser.before.data());
  cycle(level - 1);
  for_each_unknown(coarser.level->size(), [&](std::size_t i) { coarser.e[i] = coarser.u[i] - coarser.before[i]; });
  grid.refined->correction.add(owned(coarser.e, *coarser.level), span_of(grid.u));
  compute_residual(level);
  smooth(level);
}

/// Volumes are powers of two of that of the coarsest cells, so that weights are exact.
Potential::Norm Potential::norm_of(Array<double> Grid::* values) {
  const auto all_cells = static_cast<double>(levels_[0].layout.all_cells());
  if (grids_.size() == 1) {
    const double* each = (grids_[0].*values).data();
    const std::array plain{linear::DotTerm{each}, linear::DotTerm{each, each}};
    const auto sums = dots_.of(plain, grids_[0].level->size());
    return {sums[0] / all_cells, sums[1] / all_cells};
  }
  std::size_t all = 0;
  for (const Grid& grid : grids_) all += grid.level->size();
  all_.resize(all);
  weighted_.resize(all);
  std::size_t first = 0;
  for (std::size_t l = 0; l < grids_.size(); ++l) {
    const Grid& grid = grids_[l];
    const double volume = std::ldexp(1.0, -levels_.setup().dimensions * static_cast<int>(l));
    const Array<double>& from = grid.*values;
    double *plain = all_.data() + first, *weighted = weighted_.data() + first;
    for_each_unknown(grid.level->size(), [&](std::size_t i) { plain[i] = from[i], weighted[i] = volume * from[i]; });
    for (const std::int64_t cell : grid.covered) plain[cell] = weighted[cell] = 0;
    first += grid.level->size();
  }
  const std::array terms{linear::DotTerm{weighted_.data()}, linear::DotTerm{weighted_.data(), all_.data()}};
  const auto sums = dots_.of(terms, all);
  return {sums[0] / all_cells, sums[1] / all_cells};
}

void Potential::subtract(double constant, Array<double> Grid::* values) {
  for (Grid& grid : grids_) {
    Array<double>& each = grid.*values;
    for_each_unknown(grid.level->size(), [&](std::size_t i) { each[i] -= constant; });
  }
}

linear::Outcome Potential::solve(double spacing, std::span<const Array<double>> b, std::span<Array<double>* const> u) {
  arrange(spacing);
  for (std::size_t l = 0; l < grids_.size(); ++l) {
    std::copy_n(b[l].data(), grids_[l].level->size(), grids_[l].b.data());
    std::copy_n(u[l]->data(), grids_[l].level->size(), grids_[l].u.data());
  }
  subtract(norm_of(&Grid::b).mean, &Grid::b);
  const double right = norm_of(&Grid::b).square;
  for (Grid& grid : grids_) std::copy_n(grid.b.data(), grid.level->size(), grid.f.data());
  linear::Outcome outcome;
  if (right == 0) {
    for (std::size_t l = 0; l < grids_.size(); ++l) std::fill_n(u[l]->data(), grids_[l].level->size(), 0.0);
    outcome.reason = linear::Reason::converged;
    return outcome;
  }
  for (;; ++outcome.iterations) {
    for (std::size_t l = grids_.size() - 1; l > 0; --l) restrict_values(l);
    for (std::size_t l = 0; l < grids_.size(); ++l) compute_residual(l);
    const Norm found = norm_of(&Grid::r);
    // What is the same everywhere cannot be reached: differences at edges of levels do not add up to zero.
    outcome.residual = std::sqrt(std::max(0.0, found.square - found.mean * found.mean) / right);
    if (!std::isfinite(outcome.residual)) {
      outcome.reason = linear::Reason::not_finite;
      return outcome;
    }
    if (outcome.residual <= options_.residual) break;
    if (outcome.iterations == options_.cycles) return outcome;
    if (grids_.size() > 1) subtract(found.mean, &Grid::f);
    if (grids_.size() > 1)
      cycle(grids_.size() - 1);
    else
      cycle(0, found.mean);
  }
  outcome.reason = linear::Reason::converged;
  subtract(norm_of(&Grid::u).mean, &Grid::u);
  for (std::size_t l = 0; l < grids_.size(); ++l)
    std::copy_n(grids_[l].u.data(), grids_[l].level->size(), u[l]->data());
  return outcome;
}

}  // namespace eddyline::amr
