#include "solvers/multiblock/ghosts.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace eddyline::multiblock {

Ghosts::Ghosts(const HaloSetup& setup, const Pieces& pieces, const Connections& connections,
               std::span<const std::int32_t> local, int level)
    : timers_(setup.timers),
      is_replicated_(pieces.is_replicated(level)),
      near_(setup.communicator, setup.execution.exchange, setup.execution.between,
            setup.tags.take("near " + std::to_string(level))),
      all_(setup.communicator, setup.execution.exchange, setup.execution.between,
           setup.tags.take("all " + std::to_string(level))) {
  const auto extents = [&](std::int32_t piece) {
    return Extents(pieces.on_level(static_cast<std::size_t>(piece), level).count(), pieces.mesh().dimensions);
  };
  // Numbers of neighbourhoods that are sent to and received from each rank, in the same order on both sides.
  std::map<int, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> by_rank;
  std::vector<std::size_t> within;
  for (const GhostPatch& connection : connections.ghosts) {
    Neighborhood made{.to = local[static_cast<std::size_t>(connection.to)],
                      .from = local[static_cast<std::size_t>(connection.from)],
                      .to_axis = connection.to_axis,
                      .from_axis = connection.from_axis,
                      .shift = connection.shift,
                      .near = connection.near.size(),
                      .count = connection.near.size() + connection.far.size(),
                      .ghosts = {},
                      .givers = {}};
    if (made.to < 0 && made.from < 0) continue;
    const Extents to = extents(connection.to), from = extents(connection.from);
    for (const auto* layer : {&connection.near, &connection.far})
      for (const auto& [ghost, giver] : *layer) {
        if (made.to >= 0) made.ghosts.push_back(static_cast<std::int32_t>(to.at(ghost)));
        if (made.from >= 0) made.givers.push_back(static_cast<std::int32_t>(from.at(giver)));
      }
    const std::size_t number = neighborhoods_.size();
    const auto rank_of = [&](std::int32_t piece) { return pieces.all()[static_cast<std::size_t>(piece)].rank; };
    if (made.to < 0)
      by_rank[rank_of(connection.to)].first.push_back(number);
    else if (made.from < 0)
      by_rank[rank_of(connection.from)].second.push_back(number);
    else
      within.push_back(number);
    neighborhoods_.push_back(std::move(made));
  }
  const auto connect = [&](Halo& halo, Layers layers) {
    const auto cells = [&](std::size_t number) {
      const Neighborhood& of = neighborhoods_[number];
      return GhostCells{&of, layers == Layers::near ? of.near : of.count};
    };
    halo.clear();
    for (const std::size_t number : within) halo.routes().add(cells(number));
    for (const auto& [rank, numbers] : by_rank) {
      for (const std::size_t number : numbers.first) halo.add_sent(rank, cells(number));
      for (const std::size_t number : numbers.second) halo.add_received(rank, cells(number));
    }
  };
  connect(near_, Layers::near);
  connect(all_, Layers::all);
}

exchange::Traffic Ghosts::traffic() const {
  exchange::Traffic sum = near_.traffic();
  sum += all_.traffic();
  return sum;
}

}  // namespace eddyline::multiblock
