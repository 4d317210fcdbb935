#include "patches/layout.hpp"

#include <algorithm>
#include <utility>

namespace eddyline::patches {

Layout::Layout(PatchSet set, std::int32_t ghosts, int rank) : set_(std::move(set)), ghosts_(ghosts), rank_(rank) {
  std::vector<Gather::Target> targets;
  for (std::size_t k = 0; k < set_.size(); ++k)
    targets.push_back({set_.owner(k), set_.box(k).grown(ghosts_, dimensions())});
  ghosts_of_patches_ = Gather(set_, targets, rank);
  for (std::size_t k = 0; k < set_.size(); ++k) {
    if (set_.owner(k) != rank) continue;
    const bool needs_others = ghosts_of_patches_.needs_others(patches_.size());
    patches_.push_back({.cells = set_.box(k), .first = cells_, .needs_others = needs_others});
    parcels_.push_back(set_.parcel(k));
    cells_ += set_.box(k).cells();
    scratch_size_ = std::max(scratch_size_, static_cast<std::size_t>(grown(patches_.back()).cells()));
  }
}

std::int32_t Layout::patch_with(Int3 cell) const {
  const std::int32_t patch = set_.patch_with(cell);
  if (patch < 0 || set_.owner(static_cast<std::size_t>(patch)) != rank_) return -1;
  return set_.number(static_cast<std::size_t>(patch));
}

}  // namespace eddyline::patches
