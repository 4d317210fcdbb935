#include "solvers/multiblock/ghosts.hpp"

#include <algorithm>

namespace eddyline::multiblock {

Ghosts::Ghosts(comm::Communicator& communicator, const Pieces& pieces, const Connections& connections,
               std::span<const std::int32_t> local, int level)
    : communicator_(communicator) {
  if (!communicator.is_alone()) requests_ = communicator.requests();
  const auto extents = [&](std::int32_t piece) {
    const PieceRange range = pieces.on_level(static_cast<std::size_t>(piece), level);
    return Extents({range.upper[0] - range.lower[0], range.upper[1] - range.lower[1], range.upper[2] - range.lower[2]},
                   pieces.mesh().dimensions);
  };
  for (const GhostPatch& connection : connections.ghosts) {
    Patch patch{.to = local[static_cast<std::size_t>(connection.to)],
                .from = local[static_cast<std::size_t>(connection.from)],
                .to_axis = connection.to_axis,
                .from_axis = connection.from_axis,
                .shift = connection.shift,
                .near = connection.near.size(),
                .count = connection.near.size() + connection.far.size(),
                .ghosts = {},
                .givers = {}};
    if (patch.to < 0 && patch.from < 0) continue;
    const Extents to = extents(connection.to), from = extents(connection.from);
    for (const auto* layer : {&connection.near, &connection.far})
      for (const auto& [ghost, giver] : *layer) {
        if (patch.to >= 0) patch.ghosts.push_back(static_cast<std::int32_t>(to.at(ghost)));
        if (patch.from >= 0) patch.givers.push_back(static_cast<std::int32_t>(from.at(giver)));
      }
    const std::size_t number = patches_.size();
    const auto rank_of = [&](std::int32_t piece) { return pieces.all()[static_cast<std::size_t>(piece)].rank; };
    if (patch.to < 0)
      peer(rank_of(connection.to)).sent.push_back(number);
    else if (patch.from < 0)
      peer(rank_of(connection.from)).received.push_back(number);
    else
      within_.push_back(number);
    patches_.push_back(std::move(patch));
  }
}

Ghosts::Peer& Ghosts::peer(int rank) {
  const auto found = std::ranges::find(peers_, rank, &Peer::rank);
  if (found != peers_.end()) return *found;
  peers_.push_back({.rank = rank, .sent = {}, .received = {}, .out = {}, .in = {}});
  return peers_.back();
}

}  // namespace eddyline::multiblock
