#include "patches/gather.hpp"

#include <map>
#include <utility>

namespace eddyline::patches {

using exchange::BoxPiece;
using grid::IndexBox;

/// Goes through the targets in the same order on all ranks, so that both ends of a message agree on the order of its
/// pieces.
Gather::Gather(const PatchSet& from, std::span<const Target> targets, int rank) {
  for (std::size_t k = 0; k < from.size(); ++k)
    if (from.owner(k) == rank) boxes_.push_back(from.box(k)), first_.push_back(from.first(k));
  for (const Target& target : targets) {
    Own* own = target.rank == rank ? &targets_.emplace_back(Own{target.cells, {}, false}) : nullptr;
    from.for_each_piece(target.cells, [&](std::int32_t patch, const IndexBox& cells, const Int3& shift) {
      if (patch < 0) return;
      const auto giver = static_cast<std::size_t>(patch);
      if (own == nullptr) {
        if (from.owner(giver) != rank) return;
        BoxPiece piece{.block = from.number(giver), .cells = cells};
        for (std::size_t d = 0; d < 3; ++d) piece.map.offset[d] = -shift[d];
        sent_.push_back({target.rank, piece, from.parcel(giver)});
        return;
      }
      if (from.owner(giver) == rank) {
        own->sources.push_back({false, from.first(giver), from.box(giver), cells, shift});
        return;
      }
      const int parcel = from.parcel(giver);
      received_.push_back(
          {from.owner(giver), {.block = static_cast<std::int32_t>(foreign_.size()), .cells = cells}, parcel});
      foreign_.push_back(cells);
      own->sources.push_back({true, foreign_cells_, cells, cells, {0, 0, 0}});
      own->needs_others = true;
      own->parcels |= std::uint32_t{1} << static_cast<unsigned>(parcel);
      foreign_cells_ += cells.cells();
    });
  }
}

void Gather::connect(exchange::BoxHalo& halo) const {
  connect_if(halo, [](const Message&) { return true; });
}

void Gather::connect(exchange::BoxHalo& halo, int parcel) const {
  connect_if(halo, [&](const Message& each) { return each.parcel == parcel; });
}

template <class Chosen>
void Gather::connect_if(exchange::BoxHalo& halo, Chosen chosen) const {
  std::map<int, std::pair<std::vector<const BoxPiece*>, std::vector<const BoxPiece*>>> by_rank;
  for (const Message& each : sent_)
    if (chosen(each)) by_rank[each.rank].first.push_back(&each.piece);
  for (const Message& each : received_)
    if (chosen(each)) by_rank[each.rank].second.push_back(&each.piece);
  halo.clear();
  for (const auto& [rank, pieces] : by_rank) {
    for (const BoxPiece* piece : pieces.first) halo.add_sent(rank, *piece);
    for (const BoxPiece* piece : pieces.second) halo.add_received(rank, *piece);
  }
}

}  // namespace eddyline::patches
