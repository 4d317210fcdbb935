#include "patches/units.hpp"

#include <algorithm>
#include <utility>

#include "decompose/owners.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::patches {

using grid::IndexBox;

Units::Units(Int3 cells, int dimensions, std::int32_t edge, int levels, std::array<bool, 3> periodic)
    : cells_(cells), dimensions_(dimensions), edge_(edge), periodic_(periodic) {
  for (int level = 0; level < levels; ++level) {
    count_.push_back(this->cells(level));
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) count_.back()[d] /= edge_;
    present_.emplace_back(static_cast<std::size_t>(whole(level).cells()), level == 0 ? 1 : 0);
    refined_.emplace_back(present_.back().size(), 0);
  }
}

Int3 Units::cells(int level) const {
  Int3 cells = cells_;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) cells[d] <<= level;
  return cells;
}

IndexBox Units::cells_of(Int3 unit) const {
  IndexBox box{unit, {unit[0] + 1, unit[1] + 1, unit[2] + 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) box.lower[d] *= edge_, box.upper[d] *= edge_;
  return box;
}

/// Marks the units of a level that the refined units of the next finer one need: those below their cells and `margin`
/// cells around.
void Units::nest(const Marks& fine, int level, std::int32_t margin, Marks& below) const {
  const Int3 units = count(level);
  for_each_cell(whole(level + 1), [&](Int3 unit) {
    if (fine[index(level + 1, unit)] == 0) return;
    const IndexBox cells = coarsened(cells_of(unit).grown(margin, dimensions_), dimensions_);
    IndexBox range = cells;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
      const auto floor = [&](std::int32_t cell) { return cell >= 0 ? cell / edge_ : -((edge_ - 1 - cell) / edge_); };
      range.lower[d] = floor(cells.lower[d]), range.upper[d] = floor(cells.upper[d] - 1) + 1;
    }
    for_each_cell(range, [&](Int3 at) {
      for (std::size_t d = 0; d < 3; ++d) {
        if (!periodic_[d] && (at[d] < 0 || at[d] >= units[d])) return;
        at[d] = (at[d] % units[d] + units[d]) % units[d];
      }
      below[index(level, at)] = 1;
    });
  });
}

bool Units::refine(std::vector<Marks> wanted, std::int32_t margin) {
  wanted.resize(refined_.size());
  for (std::size_t l = 0; l < wanted.size(); ++l) wanted[l].resize(refined_[l].size());
  if (!wanted.empty()) std::ranges::fill(wanted.back(), std::uint8_t{0});
  for (int level = levels() - 3; level >= 0; --level) {
    const auto l = static_cast<std::size_t>(level);
    nest(wanted[l + 1], level, margin, wanted[l]);
  }
  if (wanted == refined_) return false;
  refined_ = std::move(wanted);
  for (int level = 0; level + 1 < levels(); ++level) {
    Marks& finer = present_[static_cast<std::size_t>(level) + 1];
    std::ranges::fill(finer, std::uint8_t{0});
    for_each_cell(whole(level), [&](Int3 unit) {
      if (!is_refined(level, unit)) return;
      const IndexBox one{unit, {unit[0] + 1, unit[1] + 1, unit[2] + 1}};
      for_each_cell(patches::refined(one, dimensions_), [&](Int3 child) { finer[index(level + 1, child)] = 1; });
    });
  }
  return true;
}

Composite::Composite(const Units& units) {
  for (int level = 0; level < units.levels(); ++level) {
    std::vector<Int3> places;
    for_each_cell(units.whole(level), [&](Int3 unit) {
      const std::size_t k = units.index(level, unit);
      if (units.present(level)[k] != 0 && units.refined(level)[k] == 0) places.push_back(unit);
    });
    auto& numbers = numbers_.emplace_back(units.present(level).size(), -1);
    for (const std::int32_t k : decompose::along_curve(places)) {
      const Int3 place = places[static_cast<std::size_t>(k)];
      numbers[units.index(level, place)] = static_cast<std::int64_t>(units_.size());
      units_.push_back({level, place});
    }
  }
}

}  // namespace eddyline::patches
