#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "grid/index_box.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::amr {

/// Fills the cells of a box beyond sides that are not periodic with those on their other side.
template <class T>
void mirror_at_sides(const patches::PatchSet& set, const grid::IndexBox& box, T* values) {
  const grid::IndexBox domain = set.domain();
  for (std::size_t d = 0; d < static_cast<std::size_t>(set.dimensions()); ++d) {
    if (set.is_periodic(d)) continue;
    grid::IndexBox below = box, above = box;
    below.upper[d] = std::min(box.upper[d], domain.lower[d]);
    above.lower[d] = std::max(box.lower[d], domain.upper[d]);
    for (const grid::IndexBox& beyond : {below, above}) {
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

}  // namespace eddyline::amr
