#include "patches/flux_registers.hpp"

#include <algorithm>
#include <utility>

#include "patches/rim.hpp"

namespace eddyline::patches {

using grid::IndexBox;

namespace {

/// The layer of cells across a side of a box, `distance` cells outwards from the last one inside.
IndexBox layer(const IndexBox& box, std::size_t axis, bool is_upper, std::int32_t distance) {
  IndexBox cells = box;
  cells.lower[axis] = is_upper ? box.upper[axis] - 1 + distance : box.lower[axis] - distance;
  cells.upper[axis] = cells.lower[axis] + 1;
  return cells;
}

IndexBox moved(IndexBox box, std::size_t axis, std::int32_t by) {
  box.lower[axis] += by, box.upper[axis] += by;
  return box;
}

/// The place of the flux through a face of a cell.
struct Faces {
  IndexBox box;
  std::size_t axis;
  bool is_upper;

  Faces(const IndexBox& patch, std::size_t across, bool upper) : box(patch), axis(across), is_upper(upper) {
    ++box.upper[axis];
  }
  std::int64_t of(Int3 cell) const {
    if (is_upper) ++cell[axis];
    return box.index(cell);
  }
};

/// The layers of uncovered cells of a coarse patch next to covered ones, across one side.
std::vector<IndexBox> edge_of(const Units& units, int level, const IndexBox& patch, std::size_t axis, bool is_upper) {
  std::vector<IndexBox> layers;
  Int3 last = patch.upper;
  for (std::int32_t& cell : last) --cell;
  const Int3 first = units.unit_of(patch.lower), end = units.unit_of(last), count = units.count(level);
  for_each_cell(IndexBox{first, {end[0] + 1, end[1] + 1, end[2] + 1}}, [&](Int3 unit) {
    if (units.is_refined(level, unit)) return;
    Int3 next = unit;
    next[axis] += is_upper ? 1 : -1;
    if (!units.periodic()[axis] && (next[axis] < 0 || next[axis] >= count[axis])) return;
    next[axis] = (next[axis] + count[axis]) % count[axis];
    if (units.is_refined(level, next)) layers.push_back(layer(units.cells_of(unit), axis, is_upper, 0));
  });
  return merged(std::move(layers));
}

}  // namespace

FluxRegisters::FluxRegisters(const Layout& coarse, const Layout& fine, PatchSet below, const Units& units,
                             int coarse_level, std::size_t fields, int rank)
    : dimensions_(static_cast<std::size_t>(coarse.dimensions())), fields_(fields) {
  std::vector<Gather::Target> targets;
  std::size_t numbers = 0;
  for (std::size_t k = 0; k < coarse.set().size(); ++k) {
    const bool is_own = coarse.set().owner(k) == rank;
    if (is_own) coarse_patches_.push_back(coarse.set().box(k)), coarse_first_.push_back(coarse.set().first(k));
    for (std::size_t axis = 0; axis < dimensions_; ++axis)
      for (const bool is_upper : {false, true})
        for (const IndexBox& cells : edge_of(units, coarse_level, coarse.set().box(k), axis, is_upper)) {
          targets.push_back({coarse.set().owner(k), moved(cells, axis, is_upper ? 1 : -1)});
          if (!is_own) continue;
          coarse_.push_back({coarse_patches_.size() - 1, axis, is_upper, cells, numbers});
          numbers += fields * static_cast<std::size_t>(cells.cells());
        }
    if (is_own) first_coarse_.push_back(coarse_.size());
  }
  std::int64_t cells_below = 0;
  for (std::size_t k = 0; k < fine.set().size(); ++k) {
    if (fine.set().owner(k) != rank) continue;
    const IndexBox& patch = fine.set().box(k);
    fine_patches_.push_back(patch), below_.push_back(below.box(k)), below_first_.push_back(below.first(k));
    cells_below += below.box(k).cells();
    for (std::size_t axis = 0; axis < dimensions_; ++axis)
      for (const bool is_upper : {false, true})
        fine.set().for_each_piece(
            layer(patch, axis, is_upper, 1), [&](std::int32_t other, const IndexBox& cells, const Int3&) {
              if (other >= 0) return;
              fine_.push_back({fine_patches_.size() - 1, axis, is_upper, moved(cells, axis, is_upper ? -1 : 1), 0});
            });
    first_fine_.push_back(fine_.size());
  }
  of_coarse_.assign(numbers, 0);
  of_fine_.assign(dimensions_ * fields, std::vector<double>(static_cast<std::size_t>(cells_below), 0));
  gather_ = Gather(below, targets, rank);
  received_.assign(of_fine_.size(), std::vector<double>(static_cast<std::size_t>(gather_.foreign_cells())));
}

void FluxRegisters::add_coarse(std::size_t patch, const Fluxes& fluxes, double weight) {
  for (std::size_t p = first_coarse_[patch]; p < first_coarse_[patch + 1]; ++p) {
    const Part& part = coarse_[p];
    const Faces faces(coarse_patches_[patch], part.axis, part.is_upper);
    std::size_t i = part.first;
    for (std::size_t f = 0; f < fields_; ++f) {
      const double* flux = fluxes[part.axis] + static_cast<std::int64_t>(f) * faces.box.cells();
      for_each_cell(part.cells, [&](Int3 cell) { of_coarse_[i++] += weight * flux[faces.of(cell)]; });
    }
  }
}

/// The flux through a coarse face is the mean of those through the finer faces, added with x fastest.
void FluxRegisters::add_fine(std::size_t patch, const Fluxes& fluxes, double weight) {
  const double share = dimensions_ == 3 ? 0.25 : 0.5;
  for (std::size_t p = first_fine_[patch]; p < first_fine_[patch + 1]; ++p) {
    const Part& part = fine_[p];
    const Faces faces(fine_patches_[patch], part.axis, part.is_upper);
    for (std::size_t f = 0; f < fields_; ++f) {
      const double* flux = fluxes[part.axis] + static_cast<std::int64_t>(f) * faces.box.cells();
      std::vector<double>& sums = of_fine_[fields_ * part.axis + f];
      for_each_cell(patches::coarsened(part.cells, static_cast<int>(dimensions_)), [&](Int3 cell) {
        IndexBox finer{cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
        finer = refined(finer, static_cast<int>(dimensions_));
        finer.lower[part.axis] = part.cells.lower[part.axis], finer.upper[part.axis] = part.cells.upper[part.axis];
        double sum = 0;
        for_each_cell(finer, [&](Int3 one) { sum += flux[faces.of(one)]; });
        sums[static_cast<std::size_t>(below_first_[patch] + below_[patch].index(cell))] += weight * (share * sum);
      });
    }
  }
}

void FluxRegisters::correct(exchange::BoxHalo& halo, double spacing, std::span<double* const> fields) {
  std::vector<Gather::Views> views;
  std::vector<exchange::BoxField<double>> travelling;
  views.reserve(of_fine_.size());
  for (std::size_t n = 0; n < of_fine_.size(); ++n) {
    views.push_back(gather_.views(of_fine_[n].data(), received_[n].data()));
    travelling.push_back(views.back().field());
  }
  halo.gather_between(exchange::BoxFields<double>(std::move(travelling)));
  const auto patches = static_cast<std::int64_t>(coarse_patches_.size());
#pragma omp parallel
  {
    std::vector<double> fine;
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < patches; ++k) {
      const auto patch = static_cast<std::size_t>(k);
      for (std::size_t p = first_coarse_[patch]; p < first_coarse_[patch + 1]; ++p) {
        const Part& part = coarse_[p];
        fine.resize(static_cast<std::size_t>(part.cells.cells()));
        std::size_t i = part.first;
        for (std::size_t f = 0; f < fields_; ++f) {
          const std::size_t n = fields_ * part.axis + f;
          gather_.fill(p, {of_fine_[n].data(), received_[n].data()}, fine.data());
          double* values = fields[f] + coarse_first_[patch];
          const double* found = fine.data();
          for_each_cell(part.cells, [&](Int3 cell) {
            const double change = (*found++ - of_coarse_[i++]) / spacing;
            values[coarse_patches_[patch].index(cell)] += part.is_upper ? -change : change;
          });
        }
      }
    }
  }
  std::ranges::fill(of_coarse_, 0.0);
  for (auto& each : of_fine_) std::ranges::fill(each, 0.0);
}

}  // namespace eddyline::patches
