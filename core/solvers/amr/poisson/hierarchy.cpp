#include "solvers/amr/poisson/hierarchy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"
#include "patches/transfers.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Gather;
using patches::PatchSet;

namespace {

constexpr std::int32_t k_fewest_cells = 8;  // along an edge of patches that keep their owners

std::vector<Gather::Target> targets_of(const PatchSet& set, auto&& box) {
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < set.size(); ++k) targets.push_back({set.owner(k), box(set.box(k))});
  return targets;
}

/// The patches of a rank, and where their values begin.
void list_own(const PatchSet& set, int rank, std::vector<IndexBox>& boxes, std::vector<std::int64_t>& first) {
  for (std::size_t k = 0; k < set.size(); ++k)
    if (set.owner(k) == rank) boxes.push_back(set.box(k)), first.push_back(set.first(k));
}

bool can_halve(const PatchSet& set) {
  for (std::size_t k = 0; k < set.size(); ++k)
    for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
      const IndexBox& box = set.box(k);
      if (box.lower[d] % 2 != 0 || box.upper[d] % 2 != 0 || box.count(d) < 2 * k_fewest_cells) return false;
    }
  return true;
}

PatchSet halved(const PatchSet& set, std::int32_t patch, int ranks) {
  if (can_halve(set)) return set.coarsened();
  Int3 cells = set.domain().upper;
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) cells[d] /= 2;
  PatchSet coarse(patches::Tiling(cells, set.dimensions(), patch, 1), set.dimensions(), set.periodic());
  coarse.assign(ranks);
  return coarse;
}

}  // namespace

Prolongation::Prolongation(const PatchSet& fine, const PatchSet& coarse, const Way& way)
    : fine_(fine), coarse_(coarse), halo_(way.halo()) {
  const int dimensions = fine.dimensions();
  gather_ = Gather(
      coarse,
      targets_of(fine, [&](const IndexBox& box) { return patches::coarsened(box, dimensions).grown(1, dimensions); }),
      way.rank());
  gather_.connect(halo_);
  foreign_.resize(static_cast<std::size_t>(gather_.foreign_cells()));
  list_own(fine, way.rank(), boxes_, first_);
}

void Prolongation::add(std::span<const double> coarse, std::span<double> fine) {
  const Gather::Views views = gather_.views(coarse.data(), foreign_.data());
  halo_.gather_between(views.field());
  const auto count = static_cast<std::int64_t>(boxes_.size());
  const bool deep = fine_.dimensions() == 3;
#pragma omp parallel
  {
    thread_local std::vector<double> memory;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto patch = static_cast<std::size_t>(k);
      const IndexBox below = gather_.target(patch), &box = boxes_[patch];
      memory.resize(std::max(memory.size(), static_cast<std::size_t>(below.cells())));
      gather_.fill(patch, {coarse.data(), foreign_.data()}, memory.data());
      mirror_at_sides(coarse_, below, memory.data());
      double* to = fine.data() + first_[patch];
      const std::ptrdiff_t sy = below.count(0), sz = sy * below.count(1);
      for_each_row(box, [&](Int3 row) {
        const std::ptrdiff_t y = (row[1] & 1) != 0 ? sy : -sy, z = (row[2] & 1) != 0 ? sz : -sz;
        const auto across = [&](const double* q) {
          if (!deep) return 0.1875 * q[y] + 0.5625 * q[0];
          return 0.75 * (0.1875 * q[y] + 0.5625 * q[0]) + 0.25 * (0.1875 * q[y + z] + 0.5625 * q[z]);
        };
        for (std::int32_t x = box.lower[0]; x < box.upper[0]; ++x) {
          const Int3 parent{x >> 1, row[1] >> 1, deep ? row[2] >> 1 : row[2]};
          const double* q = memory.data() + below.index(parent);
          const std::ptrdiff_t side = (x & 1) != 0 ? 1 : -1;
          *to++ += across(q) + (1.0 / 3) * across(q + side);
        }
      });
    }
  }
}

Coarsening::Coarsening(const PatchSet& fine, const PatchSet& coarse, const Way& way)
    : halo_(way.halo()), dimensions_(fine.dimensions()) {
  gather_ = Gather(fine, targets_of(coarse, [&](const IndexBox& box) { return patches::refined(box, dimensions_); }),
                   way.rank());
  gather_.connect(halo_);
  foreign_.resize(static_cast<std::size_t>(gather_.foreign_cells()));
  list_own(coarse, way.rank(), boxes_, first_);
}

void Coarsening::mean(std::span<const double> fine, std::span<double> coarse) {
  const Gather::Views views = gather_.views(fine.data(), foreign_.data());
  halo_.gather_between(views.field());
  const patches::Transfer means(patches::Meaning::average, 1, dimensions_);
  const auto count = static_cast<std::int64_t>(boxes_.size());
#pragma omp parallel
  {
    thread_local std::vector<double> memory;
    patches::Transfer::Scratch scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto patch = static_cast<std::size_t>(k);
      const IndexBox box = gather_.target(patch);
      memory.resize(std::max(memory.size(), static_cast<std::size_t>(box.cells())));
      gather_.fill(patch, {fine.data(), foreign_.data()}, memory.data());
      means.restrict(memory.data(), box, boxes_[patch], coarse.data() + first_[patch], scratch);
    }
  }
}

PoissonHierarchy::PoissonHierarchy(const PatchSet& finest, double spacing, std::int32_t patch, const Way& way) {
  const auto dimensions = static_cast<std::size_t>(finest.dimensions());
  const auto can_coarsen = [&](const Int3& cells) {
    return std::ranges::all_of(std::span(cells).first(dimensions),
                               [](std::int32_t count) { return count % 2 == 0 && count >= 4; });
  };
  levels_.push_back(std::make_unique<PoissonLevel>(finest, spacing, 1, way));
  PatchSet fine = finest;
  while (can_coarsen(fine.domain().upper)) {
    PatchSet coarse = halved(fine, patch, way.communicator->size());
    spacing *= 2;
    levels_.push_back(std::make_unique<PoissonLevel>(coarse, spacing, 1, way));
    between_.push_back(
        std::unique_ptr<Between>(new Between{Coarsening(fine, coarse, way), Prolongation(fine, coarse, way)}));
    fine = std::move(coarse);
  }
}

/// The lowest eigenvalue of D^-1 A is that of the longest wave along the longest axis; the degree makes the error a
/// hundred times smaller.
linear::ChebyshevOptions PoissonHierarchy::coarsest() const {
  const PatchSet& set = levels_.back()->layout().set();
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
