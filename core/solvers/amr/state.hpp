#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "exchange/halo.hpp"
#include "patches/layout.hpp"
#include "solver/execution.hpp"
#include "solvers/amr/options.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::amr {

/// The fields of the wave equation on the cells of this rank: displacement u and its rate p, at the begin of a step and
/// at its stages. The stages stay until the next step: with them the solution is known at all times of the step.
class State {
 public:
  enum Slot : std::size_t { begin, second, third, fourth, end, slots };
  struct Fields {
    Array<double> u, p;
  };

  /// Starts with the fields of the world. Collective.
  State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  const world::World& world() const { return world_; }
  const Options& options() const { return options_; }
  comm::Communicator& communicator() const { return communicator_; }
  const patches::Layout& layout() const { return layout_; }
  const exchange::BoxHalo& halo() const { return halo_; }
  exchange::BoxHalo& halo() { return halo_; }
  double spacing() const { return world_.spacing; }
  double time_step() const { return time_step_; }
  /// Centre of a cell [m].
  Vec3 centre(Int3 cell) const;

  /// The values of a patch are fields(slot).u.data() + patch.first.
  Fields& fields(Slot slot) { return fields_[slot]; }
  const Fields& fields(Slot slot) const { return fields_[slot]; }
  /// Memory for cells of other ranks.
  Fields& foreign() { return foreign_; }
  const Fields& foreign() const { return foreign_; }
  /// Receives u and p around this rank's patches, for readers of the state. Collective.
  void gather();
  /// The end of a step becomes the begin of the next one.
  void end_step();

  /// Adds or removes a probe. Throws UserError.
  void change_probes(const world::Change& change);

  void save(ArchiveWriter& archive) const;
  /// Takes a checkpoint: each rank has some of its parts, the root the first. Throws UserError. Collective.
  void restore(const std::vector<ArchiveReader>& parts);
  std::int64_t memory() const;

  double time = 0;  // [s]
  std::int64_t steps = 0;
  Timers timers;

 private:
  world::World world_;
  Options options_;
  comm::Communicator& communicator_;
  patches::Layout layout_;
  exchange::BoxHalo halo_;
  double time_step_;
  std::array<Fields, slots> fields_;
  Fields foreign_;
};

}  // namespace eddyline::amr
