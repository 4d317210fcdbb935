#include "patches/patch_set.hpp"

#include <numeric>
#include <utility>

#include "decompose/owners.hpp"

namespace eddyline::patches {

using grid::IndexBox;

IndexBox coarsened(const IndexBox& fine, int dimensions) {
  IndexBox box = fine;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
    box.lower[d] = coarse(fine.lower[d]), box.upper[d] = coarse(fine.upper[d] - 1) + 1;
  return box;
}

IndexBox refined(const IndexBox& coarse, int dimensions) {
  IndexBox box = coarse;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) box.lower[d] *= 2, box.upper[d] *= 2;
  return box;
}

PatchSet::PatchSet(Tiling tiling, int dimensions, std::array<bool, 3> periodic)
    : tiling_(std::move(tiling)), dimensions_(dimensions), periodic_(periodic) {
  const std::vector<std::uint8_t> all(static_cast<std::size_t>(tiling_.size()), 1);
  merge_tiles(all, {1, 1, 1});
  assign(1);
}

PatchSet::PatchSet(Tiling tiling, int dimensions, std::array<bool, 3> periodic, std::span<const std::uint8_t> marks,
                   std::int32_t edge, std::int64_t fewest)
    : tiling_(std::move(tiling)), dimensions_(dimensions), periodic_(periodic) {
  const std::int32_t tile = tiling_.box({0, 0, 0}).count(0);
  for (std::int32_t group = std::max(1, edge / tile);; group = (group + 1) / 2) {
    merge_tiles(marks, {group, group, group});
    if (group == 1 || static_cast<std::int64_t>(size()) >= fewest) break;
  }
  assign(1);
}

/// A patch begins, within each group of tiles, at the first tile that has none yet, and grows along x, then y, then z.
void PatchSet::merge_tiles(std::span<const std::uint8_t> marks, Int3 group) {
  of_tile_.assign(static_cast<std::size_t>(tiling_.size()), -1);
  boxes_.clear();
  places_.clear();
  cells_ = 0;
  const Int3 tiles = tiling_.tiles();
  const auto is_free = [&](const IndexBox& box) {
    bool free = true;
    for_each_cell(box,
                  [&](Int3 tile) { free = free && marks[tile_index(tile)] != 0 && of_tile_[tile_index(tile)] < 0; });
    return free;
  };
  for_each_cell(IndexBox{{0, 0, 0}, tiles}, [&](Int3 tile) {
    if (marks[tile_index(tile)] == 0 || of_tile_[tile_index(tile)] >= 0) return;
    IndexBox found{tile, {tile[0] + 1, tile[1] + 1, tile[2] + 1}};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
      const std::int32_t end = std::min(tiles[d], (tile[d] / group[d] + 1) * group[d]);
      IndexBox next = found;
      for (next.lower[d] = found.upper[d]; next.lower[d] < end; ++next.lower[d]) {
        next.upper[d] = next.lower[d] + 1;
        if (!is_free(next)) break;
        found.upper[d] = next.upper[d];
      }
    }
    const auto number = static_cast<std::int32_t>(boxes_.size());
    for_each_cell(found, [&](Int3 one) { of_tile_[tile_index(one)] = number; });
    const IndexBox first = tiling_.box(found.lower),
                   last = tiling_.box({found.upper[0] - 1, found.upper[1] - 1, found.upper[2] - 1});
    boxes_.push_back({first.lower, last.upper});
    places_.push_back(found.lower);
    cells_ += boxes_.back().cells();
  });
}

void PatchSet::assign(std::span<const std::int64_t> weights, int ranks) {
  const std::vector<std::int32_t> order = decompose::along_curve(places_);
  std::vector<std::int64_t> sorted;
  for (const std::int32_t k : order) sorted.push_back(weights[static_cast<std::size_t>(k)]);
  const std::vector<std::int32_t> rank = decompose::even_shares(sorted, ranks);
  owner_.resize(size());
  for (std::size_t k = 0; k < size(); ++k) owner_[static_cast<std::size_t>(order[k])] = rank[k];
  number_patches();
}

void PatchSet::assign(int ranks) {
  std::vector<std::int64_t> weights;
  for (const IndexBox& box : boxes_) weights.push_back(box.cells());
  assign(weights, ranks);
}

void PatchSet::number_patches() {
  number_.resize(size());
  first_.resize(size());
  const std::int32_t ranks = size() == 0 ? 0 : *std::ranges::max_element(owner_) + 1;
  std::vector<std::int32_t> patches(static_cast<std::size_t>(ranks), 0);
  std::vector<std::int64_t> cells(static_cast<std::size_t>(ranks), 0);
  for (std::size_t k = 0; k < size(); ++k) {
    const auto rank = static_cast<std::size_t>(owner_[k]);
    number_[k] = patches[rank]++;
    first_[k] = cells[rank];
    cells[rank] += boxes_[k].cells();
  }
  owned_ = std::move(patches);
}

int PatchSet::parcel(std::size_t patch) const {
  const std::int32_t owned = owned_[static_cast<std::size_t>(owner_[patch])];
  return owned <= k_parcels ? number_[patch] : number_[patch] * k_parcels / owned;
}

PatchSet PatchSet::coarsened() const {
  PatchSet below = *this;
  below.tiling_ = tiling_.coarsened(dimensions_);
  below.cells_ = 0;
  for (IndexBox& box : below.boxes_) {
    box = patches::coarsened(box, dimensions_);
    below.cells_ += box.cells();
  }
  below.number_patches();
  return below;
}

}  // namespace eddyline::patches
