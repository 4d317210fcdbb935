#pragma once
// The cells of a level that every process computes whole, from the processes that compute their children.

#include <string>
#include <vector>

#include "solvers/multiblock/ghosts.hpp"

namespace eddyline::multiblock {

/// Hands each process the cells of a level that other processes have set, in the arrays of whole blocks.
class Replication {
 public:
  /// `pieces`: which cells each process sets. `axis`: also those one farther along this index, as faces need; -1: none.
  Replication(const HaloSetup& setup, const Pieces& pieces, int level, int axis);

  /// Sets `fields` fields, see GhostFields; `piece`: number of the block. Collective.
  template <class Get>
  void gather(int fields, Get&& get) {
    halo_.gather(timers_, GhostFields(fields, get));
  }
  exchange::Traffic traffic() const { return halo_.traffic(); }

 private:
  Timers& timers_;
  std::vector<Neighborhood> pieces_;  // from a block to the same block of another process
  exchange::BasicHalo<GhostCells> halo_;
};

}  // namespace eddyline::multiblock
