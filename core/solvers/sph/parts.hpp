#pragma once
// The parts of a run of the SPH solver.

#include <vector>

#include "base/archive.hpp"
#include "comm/communicator.hpp"
#include "solver/execution.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/lists/lists.hpp"
#include "solvers/sph/state/scratch.hpp"
#include "solvers/sph/state/state.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// State, memory, places and lists of a run, in the order in which they know each other, and what concerns all of them.
/// Steps and observers take the parts that they need.
template <class T, int D>
class Parts {
 public:
  /// Collective, as are most functions of this class: all ranks of the communicator must call them. Sets the number of
  /// threads of this process. Throws UserError if an option is not allowed.
  Parts(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  State<T, D> state;
  Scratch<T, D> scratch;
  Domain<T, D> domain;
  Lists<T, D> lists;

  /// Sorts particles into cells, finds ghosts and neighbours; see Domain::sort(). with_lists: false if a device has its
  /// own lists.
  void rebuild(bool by_expected_places, bool with_lists = true);

  /// Adds what this rank holds to a checkpoint, and values that are the same on all ranks.
  void save(ArchiveWriter& archive) { domain.save(archive); }
  /// Continues from a checkpoint, on any number of ranks: order, ghosts and lists become those of the rebuild before
  /// it. Each rank reads some of its parts, the root the first.
  void restore(const std::vector<ArchiveReader>& parts);

  /// Changes the world between two steps, in the same way on all ranks. The caller then calls world_changed() of the
  /// step. Bodies are added and removed at the rebuild with which the next step begins. Returns the mass of the fluid
  /// that a body displaces [kg], kg/m in 2D, else 0. Throws UserError, and then nothing has changed.
  double change(const world::Change& change);

  /// Bytes of all parts.
  std::int64_t memory() const;

 private:
  void change_motion(const world::Change& change);
};

}  // namespace eddyline::sph
