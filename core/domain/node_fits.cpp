#include "domain/node_fits.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace eddyline::domain {

namespace {

/// Returns a box of cells with those around it; across a period all of them.
particles::CellBox widened(particles::CellBox box, std::int32_t by, const particles::CellGrid& grid) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.lower[d] -= by, box.upper[d] += by;
    if (grid.periodic[d] && (box.lower[d] < 0 || box.upper[d] > grid.count[d]))
      box.lower[d] = 0, box.upper[d] = grid.count[d];
  }
  return box;
}

}  // namespace

template <int D>
NodeFits<D>::NodeFits(comm::Communicator& communicator, comm::HaloTags tags, std::int32_t nodes)
    : communicator_(communicator), halo_(communicator, "nonblocking", exchange::BetweenSites{}, std::move(tags)) {
  fits_.assign(static_cast<std::size_t>(nodes), {});
}

template <int D>
void NodeFits<D>::share_out(Openings<D>& openings, const particles::CellGrid& grid,
                            const decompose::Partition& partition, std::int32_t depth) {
  const int self = communicator_.rank();
  own_.assign(static_cast<std::size_t>(openings.nodes()), 0);
  std::map<int, std::vector<std::int32_t>> sent, received;
  for (auto& opening : openings.all()) {
    const auto& sites = opening.sites;
    Vec3 low = sites.lower, high = sites.upper;
    low[sites.axis] -= 2 * sites.length(), high[sites.axis] += 2 * sites.length();
    const particles::CellBox around = grid.cells_between(low, high);
    const auto ranks = partition.ranks_at(widened(around, depth, grid));
    const bool takes_part = opening.is_here = std::binary_search(ranks.begin(), ranks.end(), self);
    const auto nodes = opening.layers * static_cast<std::int32_t>(sites.sites());
    for (std::int32_t node = opening.first_node; node < opening.first_node + nodes; ++node) {
      const int owner = partition.rank_of(grid.cell_of(openings.node(node)));
      own_[static_cast<std::size_t>(node)] = owner == self ? 1 : 0;
      for (const int rank : ranks)
        if (owner == self && rank != self) sent[rank].push_back(node);
      if (takes_part && owner != self) received[owner].push_back(node);
    }
  }
  halo_.clear();
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    if (sent.contains(rank))
      for (const std::int32_t node : sent[rank]) halo_.add_sent(rank, node, 1);
    if (received.contains(rank))
      for (const std::int32_t node : received[rank]) halo_.add_received(rank, node, 1, {});
  }
}

template class NodeFits<2>;
template class NodeFits<3>;

}  // namespace eddyline::domain
