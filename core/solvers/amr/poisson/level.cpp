#include "solvers/amr/poisson/level.hpp"

#include <algorithm>

#include "solvers/amr/poisson/mirror.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;
using patches::PatchSet;

PoissonLevel::PoissonLevel(const PatchSet& set, double spacing, std::int32_t ghosts, const Sweeps& sweeps,
                           const Way& way)
    : layout_(set, ghosts, way.rank()), sweeps_(sweeps), per_area_(1 / (spacing * spacing)), halo_(way.halo("ghosts")) {
  layout_.connect(halo_);
}

void PoissonLevel::gather(std::span<double> u) {
  const Layout::Views views = layout_.views<double>(u.data(), u.data() + size());
  halo_.gather_between(views.field());
}

void PoissonLevel::fill(std::size_t patch, std::span<const double> u, const Around& around, double* to) const {
  const Layout::Patch& here = layout_.patches()[patch];
  const IndexBox grown = layout_.grown(here);
  layout_.fill(here, {u.data(), u.data() + size()}, to);
  if (around.rim != nullptr)
    for (const patches::Rim::Part& part : around.rim->parts_of(patch)) {
      const double* from = around.values.data() + part.first;
      for_each_row(part.ghosts, [&](Int3 cell) {
        std::copy_n(from, part.ghosts.count(0), to + grown.index(cell));
        from += part.ghosts.count(0);
      });
    }
  mirror_at_sides(layout_.set(), grown, to);
}

void PoissonLevel::residual(std::span<double> u, const Around& around, std::span<const double> f, double scale,
                            std::span<float> r) {
  gather(u);
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
#pragma omp parallel
  {
    thread_local std::vector<double> memory;
    memory.resize(std::max(memory.size(), layout_.scratch_size()));
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      fill(static_cast<std::size_t>(k), u, around, memory.data());
      const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
      const IndexBox grown = layout_.grown(patch);
      const std::ptrdiff_t sy = grown.count(0), sz = sy * grown.count(1);
      const Inside at{layout_.dimensions(), patch.cells.count(0), patch.cells.count(1), patch.cells.count(2), sy, sz};
      sweeps_.residual(at, scale, per_area_, memory.data() + grown.index(patch.cells.lower), f.data() + patch.first,
                       r.data() + patch.first);
    }
  }
}

}  // namespace eddyline::amr
