#include "solvers/amr/poisson/level.hpp"

#include <algorithm>

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;
using patches::PatchSet;

void mirror_at_sides(const PatchSet& set, const IndexBox& box, double* values) {
  const IndexBox domain = set.domain();
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
    if (set.is_periodic(d)) continue;
    IndexBox below = box, above = box;
    below.upper[d] = std::min(box.upper[d], domain.lower[d]);
    above.lower[d] = std::max(box.lower[d], domain.upper[d]);
    for (const IndexBox& beyond : {below, above}) {
      if (beyond.lower[d] >= beyond.upper[d]) continue;
      const std::int32_t sum = beyond.lower[d] < 0 ? -1 : 2 * domain.upper[d] - 1;  // of a cell and its image
      for_each_cell(beyond, [&](Int3 cell) {
        Int3 image = cell;
        image[d] = sum - cell[d];
        values[box.index(cell)] = values[box.index(image)];
      });
    }
  }
}

PoissonLevel::PoissonLevel(const PatchSet& set, double spacing, std::int32_t ghosts, const Way& way)
    : layout_(set, ghosts, way.rank()), spacing_(spacing), halo_(way.halo("ghosts")) {
  layout_.connect(halo_);
  inverse_diagonal_.resize(size());
  const IndexBox domain = set.domain();
  for (const Layout::Patch& patch : layout_.patches())
    for_each_cell(patch.cells, [&](Int3 cell) {
      int neighbours = 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d)
        neighbours += set.is_periodic(d) ? 2 : (cell[d] > domain.lower[d]) + (cell[d] + 1 < domain.upper[d]);
      inverse_diagonal_[static_cast<std::size_t>(patch.first + patch.cells.index(cell))] =
          spacing * spacing / neighbours;
    });
}

void PoissonLevel::gather(std::span<double> x) {
  const Layout::Views views = layout_.views(x.data(), x.data() + size());
  halo_.gather_between(views.field());
}

void PoissonLevel::fill(std::size_t patch, std::span<const double> x, const patches::Rim* rim,
                        std::span<const double> at_rim, double* to) const {
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  if (rim == nullptr) std::fill_n(to, grown.cells(), 0.0);
  layout_.fill(here, {x.data(), x.data() + size()}, to);
  if (rim != nullptr)
    for (const patches::Rim::Part& part : rim->parts_of(patch)) {
      const double* from = at_rim.data() + part.first;
      for_each_row(part.ghosts, [&](Int3 cell) {
        std::copy_n(from, part.ghosts.count(0), to + grown.index(cell));
        from += part.ghosts.count(0);
      });
    }
  mirror_at_sides(layout_.set(), grown, to);
}

void PoissonLevel::apply(std::span<double> x, const patches::Rim* rim, std::span<const double> at_rim,
                         std::span<double> y) {
  gather(x);
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
  const int dimensions = layout_.dimensions();
  const double per_area = 1 / (spacing_ * spacing_), centre = 2.0 * dimensions;
#pragma omp parallel
  {
    std::vector<double> memory(layout_.scratch_size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      fill(static_cast<std::size_t>(k), x, rim, at_rim, memory.data());
      const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
      const IndexBox grown = layout_.grown(patch);
      const std::ptrdiff_t sy = grown.count(0), sz = sy * grown.count(1);
      const std::int32_t nx = patch.cells.count(0);
      double* __restrict to = y.data() + patch.first;
      for_each_row(patch.cells, [&](Int3 cell) {
        const double* __restrict q = memory.data() + grown.index(cell);
        if (dimensions == 3) {
          for (std::int32_t i = 0; i < nx; ++i)
            to[i] = per_area *
                    (centre * q[i] - (((q[i - 1] + q[i + 1]) + (q[i - sy] + q[i + sy])) + (q[i - sz] + q[i + sz])));
        } else {
          for (std::int32_t i = 0; i < nx; ++i)
            to[i] = per_area * (centre * q[i] - ((q[i - 1] + q[i + 1]) + (q[i - sy] + q[i + sy])));
        }
        to += nx;
      });
    }
  }
}

}  // namespace eddyline::amr
