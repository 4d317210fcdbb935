#include "patches/layout.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "decompose/owners.hpp"

namespace eddyline::patches {

using exchange::BoxPiece;
using grid::IndexBox;

Layout::Layout(const Tiling& tiling, int dimensions, std::int32_t ghosts, std::array<bool, 3> periodic,
               comm::Communicator& communicator)
    : tiling_(tiling), dimensions_(dimensions), ghosts_(ghosts), periodic_(periodic) {
  const auto tiles = static_cast<std::size_t>(tiling_.size());
  std::vector<Int3> places;
  for (std::size_t k = 0; k < tiles; ++k) places.push_back(tiling_.tile(static_cast<std::int64_t>(k)));
  const std::vector<std::int32_t> order = decompose::along_curve(places);
  std::vector<std::int64_t> weights;
  for (const std::int32_t k : order) weights.push_back(tiling_.box(places[static_cast<std::size_t>(k)]).cells());
  const std::vector<std::int32_t> ranks = decompose::even_shares(weights, communicator.size());
  owner_.resize(tiles);
  local_.assign(tiles, -1);
  for (std::size_t k = 0; k < tiles; ++k) owner_[static_cast<std::size_t>(order[k])] = ranks[k];
  for (std::size_t k = 0; k < tiles; ++k) {
    if (owner_[k] != communicator.rank()) continue;
    local_[k] = static_cast<std::int32_t>(patches_.size());
    patches_.push_back({.cells = tiling_.box(places[k]), .first = cells_});
    cells_ += patches_.back().cells.cells();
  }
  find_sources(communicator.rank());
}

/// Goes through the ghosts of all patches in the same order on all ranks, so that both ends of a message agree on the
/// order of its pieces.
void Layout::find_sources(int rank) {
  for (std::int64_t tile = 0; tile < tiling_.size(); ++tile) {
    const int receiver = owner(tile);
    const IndexBox box = tiling_.box(tiling_.tile(tile)), grown = box.grown(ghosts_, dimensions_);
    std::array<std::vector<Segment>, 3> parts;
    for (std::size_t d = 0; d < 3; ++d) {
      const bool ends = !periodic_[d];
      parts[d] = tiling_.segments(d, ends ? std::max(grown.lower[d], 0) : grown.lower[d],
                                  ends ? std::min(grown.upper[d], tiling_.cells()[d]) : grown.upper[d]);
    }
    for (const Segment& z : parts[2])
      for (const Segment& y : parts[1])
        for (const Segment& x : parts[0]) {
          const std::int64_t from = tiling_.number({x.tile, y.tile, z.tile});
          const int giver = owner(from);
          if (receiver != rank && giver != rank) continue;
          const IndexBox cells{{x.lower, y.lower, z.lower}, {x.upper, y.upper, z.upper}};
          const Int3 shift{x.shift, y.shift, z.shift};
          if (receiver != rank) {
            BoxPiece piece{.block = local_[static_cast<std::size_t>(from)], .cells = cells};
            for (std::size_t d = 0; d < 3; ++d) piece.map.offset[d] = -shift[d];
            sent_.push_back({receiver, piece});
            continue;
          }
          Patch& patch = patches_[static_cast<std::size_t>(local_[static_cast<std::size_t>(tile)])];
          if (giver == rank) {
            const Patch& source = patches_[static_cast<std::size_t>(local_[static_cast<std::size_t>(from)])];
            patch.sources.push_back({false, source.first, source.cells, cells, shift});
            continue;
          }
          const auto number = static_cast<std::int32_t>(foreign_.size());
          foreign_.push_back(cells);
          received_.push_back({giver, {.block = number, .cells = cells}});
          patch.sources.push_back({true, foreign_cells_, cells, cells, {0, 0, 0}});
          patch.needs_others = true;
          foreign_cells_ += cells.cells();
        }
  }
}

std::int64_t Layout::all_cells() const { return IndexBox{{0, 0, 0}, tiling_.cells()}.cells(); }

void Layout::connect(exchange::BoxHalo& halo) const {
  std::map<int, std::pair<std::vector<const BoxPiece*>, std::vector<const BoxPiece*>>> by_rank;
  for (const Message& each : sent_) by_rank[each.rank].first.push_back(&each.piece);
  for (const Message& each : received_) by_rank[each.rank].second.push_back(&each.piece);
  halo.clear();
  for (const auto& [rank, pieces] : by_rank) {
    for (const BoxPiece* piece : pieces.first) halo.add_sent(rank, *piece);
    for (const BoxPiece* piece : pieces.second) halo.add_received(rank, *piece);
  }
}

Layout::Views Layout::views(const double* own, double* foreign) const {
  Views views;
  for (const Patch& patch : patches_) views.givers.push_back({own + patch.first, patch.cells});
  for (const IndexBox& box : foreign_) {
    views.receivers.push_back({foreign, box});
    foreign += box.cells();
  }
  return views;
}

void Layout::fill(const Patch& patch, const Values& values, double* scratch) const {
  const IndexBox grown = patch.cells.grown(ghosts_, dimensions_);
  for (const Source& source : patch.sources) {
    const double* from = (source.is_foreign ? values.foreign : values.own) + source.first;
    const auto row = static_cast<std::size_t>(source.cells.count(0)) * sizeof(double);
    grid::for_each_row(source.cells, [&](Int3 cell) {
      Int3 giver;
      for (std::size_t d = 0; d < 3; ++d) giver[d] = cell[d] - source.shift[d];
      std::memcpy(scratch + grown.index(cell), from + source.block.index(giver), row);
    });
  }
}

std::size_t Layout::scratch_size() const {
  std::int64_t most = 0;
  for (const Patch& patch : patches_) most = std::max(most, patch.cells.grown(ghosts_, dimensions_).cells());
  return static_cast<std::size_t>(most);
}

}  // namespace eddyline::patches
