#include "solvers/multiblock/replication.hpp"

#include <utility>

namespace eddyline::multiblock {

Replication::Replication(const HaloSetup& setup, const Pieces& pieces, int level, int axis)
    : timers_(setup.timers),
      halo_(setup.communicator, setup.execution.exchange, setup.execution.between,
            setup.tags.take(axis < 0 ? "replicated" : "faces")) {
  const Pieces whole = pieces.uncut();
  const std::size_t count = pieces.all().size();
  for (std::size_t piece = 0; piece < count; ++piece) {
    PieceRange range = pieces.on_level(piece, level);
    const auto block = static_cast<std::size_t>(range.block);
    const Extents extents(whole.on_level(block, level).count(), pieces.mesh().dimensions);
    if (axis >= 0) ++range.upper[static_cast<std::size_t>(axis)];
    Neighborhood made;
    made.to = made.from = range.block;
    for (std::int32_t k = range.lower[2]; k < range.upper[2]; ++k)
      for (std::int32_t j = range.lower[1]; j < range.upper[1]; ++j)
        for (std::int32_t i = range.lower[0]; i < range.upper[0]; ++i)
          made.givers.push_back(static_cast<std::int32_t>(extents.at(i, j, k)));
    made.ghosts = made.givers;
    made.count = made.givers.size();
    pieces_.push_back(std::move(made));
  }
  for (int rank = 0; rank < setup.communicator.size(); ++rank) {
    if (rank == setup.communicator.rank()) continue;
    for (std::size_t piece = 0; piece < count; ++piece) {
      const GhostCells cells{&pieces_[piece], pieces_[piece].count};
      const int owner = pieces.all()[piece].rank;
      if (owner == setup.communicator.rank()) halo_.add_sent(rank, cells);
      if (owner == rank) halo_.add_received(rank, cells);
    }
  }
}

}  // namespace eddyline::multiblock
