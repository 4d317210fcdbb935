#include "solvers/amr/poisson/potential.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "linear/vectors.hpp"

namespace eddyline::amr {

using linear::for_each_unknown;
using linear::span_of;
using patches::Layout;
using patches::Levels;
using patches::PatchSet;

namespace {

std::span<const double> owned(const Array<double>& vector, const PoissonLevel& level) {
  return {vector.data(), level.size()};
}

}  // namespace

Potential::Potential(const Levels& levels, const PotentialOptions& options, const Way& way,
                     const std::string& instructions)
    : levels_(levels),
      options_(options),
      way_(way),
      transfer_(patches::Meaning::point, 2, levels.setup().dimensions),
      sweeps_(sweeps_of(instructions)),
      dots_(*way.communicator, instructions) {}

exchange::Traffic Potential::traffic() const {
  exchange::Traffic all;
  for (const Grid& grid : grids_) {
    all += grid.level->traffic();
    if (grid.refined) all += grid.refined->traffic();
  }
  return all;
}

/// Memory for the patches of now.
void Potential::arrange(double spacing) {
  if (changes_ == levels_.changes()) return;
  changes_ = levels_.changes();
  const PatchSet& base = levels_[0].layout.set();
  if (!hierarchy_) hierarchy_ = std::make_unique<PoissonHierarchy>(base, levels_.setup().patch, sweeps_, way_);
  grids_.clear();
  grids_.resize(static_cast<std::size_t>(levels_.size()));
  for (std::size_t l = 0; l < grids_.size(); ++l, spacing *= 0.5) {
    Grid& grid = grids_[l];
    const auto level = static_cast<int>(l);
    const Way way = way_.of("potential " + std::to_string(l));
    grid.level =
        std::make_unique<PoissonLevel>(levels_[level].layout.set(), spacing, l == 0 ? 1 : k_rim_layers, sweeps_, way);
    if (l > 0) grid.refined = std::make_unique<Refined>(levels_, level, sweeps_, way);
    for (Array<double>* each : {&grid.u, &grid.f, &grid.before}) each->resize(grid.level->extent());
    for (Array<float>* each : {&grid.r, &grid.e})
      each->resize(l == 0 ? hierarchy_->extent() : grid.refined->correction.extent());
    if (l + 1 == grids_.size()) continue;
    for (const Layout::Patch& patch : grid.level->layout().patches())
      for_each_cell(patch.cells, [&](Int3 cell) {
        if (levels_.is_covered(level, cell)) grid.covered.push_back(patch.first + patch.cells.index(cell));
      });
  }
}

/// r = scale (f - A u) on a level. Below finer cells, u must be theirs.
void Potential::compute_residual(std::size_t level) {
  Grid& grid = grids_[level];
  PoissonLevel::Around around;
  if (level > 0) {
    fill_rim(level);
    around = {&grid.refined->rim, span_of(grid.refined->at_rim)};
  }
  grid.level->residual(span_of(grid.u), around, owned(grid.f, *grid.level), scale_, span_of(grid.r));
}

void Potential::smooth(std::size_t level) {
  Grid& grid = grids_[level];
  grid.refined->correction.smooth(span_of(grid.r), {.u = grid.u.data(), .factor = correction_});
}

/// Improves u of a level and of those below it; grid.r is the residual.
void Potential::cycle(std::size_t level) {
  if (level == 0) return correct_all();
  smooth(level);
  compute_residual(level);
  restrict_values(level);
  Grid& coarser = grids_[level - 1];
  compute_residual(level - 1);
  for (const std::int64_t cell : coarser.covered) coarser.f[cell] -= coarser.r[cell] / scale_;
  restrict_residual(level);
  for (const std::int64_t cell : coarser.covered) coarser.f[cell] += coarser.r[cell] / scale_;
  std::copy_n(coarser.u.data(), coarser.level->size(), coarser.before.data());
  cycle(level - 1);
  for_each_unknown(coarser.level->size(), [&](std::size_t i) {
    coarser.e[i] = static_cast<float>((coarser.u[i] - coarser.before[i]) / correction_);
  });
  add_correction(level);
  compute_residual(level);
  smooth(level);
}

/// A cycle of level 0, which covers the domain. The mean of a residual cannot be reached: with one level it is 0 but
/// for rounding, with more it is not, because differences at edges of levels do not add up to zero.
void Potential::correct_all() {
  Grid& grid = grids_[0];
  if (grids_.size() > 1) {
    const std::array terms{linear::DotTermOf<float>{grid.r.data()}};
    const auto mean =
        static_cast<float>(dots_.of(terms, grid.level->size())[0] / static_cast<double>(levels_[0].layout.all_cells()));
    for_each_unknown(grid.level->size(), [&](std::size_t i) { grid.r[i] -= mean; });
  }
  hierarchy_->cycle(span_of(grid.r), {.u = grid.u.data(), .factor = correction_});
}

/// Volumes are powers of two of that of the coarsest cells, so that weights are exact. Sets what finer cells cover to
/// 0.
template <class T>
Potential::Norm Potential::norm_of(Array<T> Grid::* values) {
  Norm norm{0, 0};
  for (std::size_t l = 0; l < grids_.size(); ++l) {
    Array<T>& each = grids_[l].*values;
    for (const std::int64_t cell : grids_[l].covered) each[cell] = 0;
    const std::array terms{linear::DotTermOf<T>{each.data()}, linear::DotTermOf<T>{each.data(), each.data()}};
    const auto sums = dots_.of(terms, grids_[l].level->size());
    const double volume = std::ldexp(1.0, -levels_.setup().dimensions * static_cast<int>(l));
    norm.mean += volume * sums[0];
    norm.square += volume * sums[1];
  }
  const auto all_cells = static_cast<double>(levels_[0].layout.all_cells());
  return {norm.mean / all_cells, norm.square / all_cells};
}

void Potential::subtract(double constant, Array<double> Grid::* values) {
  for (Grid& grid : grids_) {
    Array<double>& each = grid.*values;
    for_each_unknown(grid.level->size(), [&](std::size_t i) { each[i] -= constant; });
  }
}

/// Copies the right side but for its mean, chooses the scale, and returns the mean square.
double Potential::begin(double spacing, std::span<const Array<double>> b) {
  for (std::size_t l = 0; l < grids_.size(); ++l) std::copy_n(b[l].data(), grids_[l].level->size(), grids_[l].f.data());
  subtract(norm_of(&Grid::f).mean, &Grid::f);
  const double square = norm_of(&Grid::f).square;
  int exponent = 0;
  std::frexp(std::sqrt(square), &exponent);
  scale_ = std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
  correction_ = spacing * spacing / scale_;
  return square;
}

linear::Outcome Potential::solve(double spacing, std::span<const Array<double>> b, std::span<Array<double>* const> u) {
  arrange(spacing);
  const double right = begin(spacing, b);
  linear::Outcome outcome;
  if (right == 0) {
    for (std::size_t l = 0; l < grids_.size(); ++l) std::fill_n(u[l]->data(), grids_[l].level->size(), 0.0);
    outcome.reason = linear::Reason::converged;
    return outcome;
  }
  for (std::size_t l = 0; l < grids_.size(); ++l)
    std::copy_n(u[l]->data(), grids_[l].level->size(), grids_[l].u.data());
  for (;; ++outcome.iterations) {
    for (std::size_t l = grids_.size() - 1; l > 0; --l) restrict_values(l);
    for (std::size_t l = 0; l < grids_.size(); ++l) compute_residual(l);
    const Norm found = norm_of(&Grid::r);
    outcome.residual = std::sqrt(std::max(0.0, found.square - found.mean * found.mean) / right) / scale_;
    if (!std::isfinite(outcome.residual)) {
      outcome.reason = linear::Reason::not_finite;
      return outcome;
    }
    if (outcome.residual <= options_.residual) break;
    if (outcome.iterations == options_.cycles) return outcome;
    if (grids_.size() > 1) subtract(found.mean / scale_, &Grid::f);
    cycle(grids_.size() - 1);
  }
  outcome.reason = linear::Reason::converged;
  for (Grid& grid : grids_) std::copy_n(grid.u.data(), grid.level->size(), grid.f.data());
  const double mean = norm_of(&Grid::f).mean;
  for (std::size_t l = 0; l < grids_.size(); ++l)
    for_each_unknown(grids_[l].level->size(), [&](std::size_t i) { (*u[l])[i] = grids_[l].u[i] - mean; });
  return outcome;
}

}  // namespace eddyline::amr
