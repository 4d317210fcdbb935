#include "patches/rim.hpp"

#include <algorithm>
#include <tuple>

namespace eddyline::patches {

using grid::IndexBox;

std::vector<IndexBox> merged(std::vector<IndexBox> boxes) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
    std::ranges::sort(boxes, {}, [&](const IndexBox& box) {
      return std::tuple(box.lower[f], box.upper[f], box.lower[e], box.upper[e], box.lower[d]);
    });
    std::vector<IndexBox> joined;
    for (const IndexBox& box : boxes) {
      const auto continues = [&](const IndexBox& last) {
        return last.lower[e] == box.lower[e] && last.upper[e] == box.upper[e] && last.lower[f] == box.lower[f] &&
               last.upper[f] == box.upper[f] && last.upper[d] == box.lower[d];
      };
      if (!joined.empty() && continues(joined.back()))
        joined.back().upper[d] = box.upper[d];
      else
        joined.push_back(box);
    }
    boxes = std::move(joined);
  }
  return boxes;
}

Rim::Rim(const Layout& fine, const PatchSet& coarse, const Transfer& widest, int rank) {
  const PatchSet& set = fine.set();
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < set.size(); ++k) {
    std::vector<IndexBox> ghosts;
    set.for_each_piece(set.box(k).grown(fine.ghosts(), fine.dimensions()),
                       [&](std::int32_t patch, const IndexBox& cells, const Int3&) {
                         if (patch < 0) ghosts.push_back(cells);
                       });
    for (const IndexBox& box : merged(std::move(ghosts))) {
      targets.push_back({set.owner(k), widest.needed(box)});
      if (set.owner(k) != rank) continue;
      parts_.push_back({set.number(k), box, cells_});
      cells_ += box.cells();
    }
    if (set.owner(k) == rank) first_part_.push_back(parts_.size());
  }
  coarse_ = Gather(coarse, targets, rank);
}

}  // namespace eddyline::patches
