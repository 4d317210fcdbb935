#include "solvers/amr/poisson/interpolation.hpp"

#include <algorithm>

#include "solvers/amr/poisson/mirror.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Gather;
using patches::PatchSet;

Interpolation::Interpolation(const PatchSet& fine, const PatchSet& coarse, std::int32_t layers, const Way& way)
    : coarse_(coarse), halo_(way.halo("interpolation")) {
  const int dimensions = fine.dimensions();
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < fine.size(); ++k)
    targets.push_back(
        {fine.owner(k), patches::coarsened(fine.box(k).grown(layers, dimensions), dimensions).grown(1, dimensions)});
  gather_ = Gather(coarse, targets, way.rank());
  gather_.connect(halo_);
  foreign_.resize(static_cast<std::size_t>(gather_.foreign_cells()));
}

void Interpolation::gather(std::span<const float> coarse) {
  const auto views = gather_.views(coarse.data(), foreign_.data());
  halo_.gather_between(views.field());
}

void Interpolation::add(std::size_t patch, std::span<const float> coarse, const Sweeps& sweeps, const IndexBox& box,
                        float* x) const {
  const int dimensions = coarse_.dimensions();
  const IndexBox &below = gather_.target(patch), fine = patches::refined(below.grown(-1, dimensions), dimensions);
  const std::int64_t rows = below.cells() / below.count(0) * fine.count(0);
  thread_local std::vector<float> memory;
  memory.resize(std::max(memory.size(), static_cast<std::size_t>(below.cells() + rows)));
  gather_.fill(patch, {coarse.data(), foreign_.data()}, memory.data());
  mirror_at_sides(coarse_, below, memory.data());
  const std::ptrdiff_t sy = box.count(0);
  const Inside at{dimensions, fine.count(0), fine.count(1), fine.count(2), sy, sy * box.count(1)};
  sweeps.interpolate(at, memory.data(), memory.data() + below.cells(), x + box.index(fine.lower));
}

}  // namespace eddyline::amr
