#include "solvers/amr/coefficients.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace eddyline::amr {

void Coefficients::update(const patches::Levels& levels, const Vec3& origin, const std::vector<double>& spacings) {
  if (equations_.coefficients() == 0) return;
  auto old = std::exchange(patches_, {});
  std::map<std::array<std::int32_t, 7>, std::unique_ptr<OfPatch>*> known;
  const auto key = [](std::size_t level, const grid::IndexBox& box) {
    return std::array{static_cast<std::int32_t>(level),
                      box.lower[0],
                      box.lower[1],
                      box.lower[2],
                      box.upper[0],
                      box.upper[1],
                      box.upper[2]};
  };
  for (std::size_t level = 0; level < old.size(); ++level)
    for (auto& patch : old[level]) known[key(level, patch->cells)] = &patch;

  patches_.resize(static_cast<std::size_t>(levels.size()));
  for (std::size_t level = 0; level < patches_.size(); ++level) {
    const auto& layout = levels[static_cast<int>(level)].layout;
    const auto count = static_cast<std::int64_t>(layout.patches().size());
    auto& found = patches_[level];
    found.resize(layout.patches().size());
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const auto n = static_cast<std::size_t>(k);
      const grid::IndexBox& cells = layout.patches()[n].cells;
      if (const auto before = known.find(key(level, cells)); before != known.end())
        found[n] = std::move(*before->second);
      else
        found[n] = find({static_cast<int>(level), spacings[level], origin, cells, layout.domain()});
    }
  }
}

std::unique_ptr<Coefficients::OfPatch> Coefficients::find(const physics::Place& place) const {
  const std::size_t number = equations_.coefficients(), cells = static_cast<std::size_t>(place.cells.cells());
  auto found = std::make_unique<OfPatch>();
  found->cells = place.cells;
  found->values.resize(number * cells);
  for (std::size_t n = 0; n < number; ++n) found->at.push_back(found->values.data() + n * cells);
  std::vector<double> here(number);
  std::size_t i = 0;
  for_each_cell(place.cells, [&](Int3 cell) {
    equations_.find_coefficients(place.centre(cell, dimensions_), here);
    for (std::size_t n = 0; n < number; ++n) found->values[n * cells + i] = here[n];
    ++i;
  });
  return found;
}

}  // namespace eddyline::amr
