#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "exchange/box_fields.hpp"
#include "exchange/halo.hpp"
#include "patches/layout.hpp"
#include "physics/equations/equations.hpp"
#include "solver/execution.hpp"
#include "solvers/amr/options.hpp"
#include "solvers/amr/sides.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::amr {

/// The fields of a set of equations on the cells of this rank, at the begin of a step and at its stages. The stages
/// stay until the next step: with them the solution is known at all times of the step.
class State {
 public:
  enum Slot : std::size_t { begin, second, third, fourth, end, slots };
  using Fields = std::vector<Array<double>>;  // in the order of the equations' fields

  /// Starts with the fields of the world. Collective. Throws UserError.
  State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  const world::World& world() const { return world_; }
  const Options& options() const { return options_; }
  const std::string& instructions() const { return instructions_; }
  const physics::Equations& equations() const { return *equations_; }
  const Sides& sides() const { return sides_; }
  comm::Communicator& communicator() const { return communicator_; }
  const patches::Layout& layout() const { return layout_; }
  const exchange::BoxHalo& halo() const { return halo_; }
  exchange::BoxHalo& halo() { return halo_; }
  double spacing() const { return world_.spacing; }
  double time_step() const { return time_step_; }
  /// Centre of a cell [m].
  Vec3 centre(Int3 cell) const { return place(layout_.domain()).centre(cell, world_.dimensions); }
  physics::Place place(const grid::IndexBox& cells) const {
    return {0, world_.spacing, world_.origin, cells, layout_.domain()};
  }

  /// The values of a patch are fields(slot)[f].data() + patch.first.
  Fields& fields(Slot slot) { return fields_[slot]; }
  const Fields& fields(Slot slot) const { return fields_[slot]; }
  /// Memory for cells of other ranks.
  Fields& foreign() { return foreign_; }
  const Fields& foreign() const { return foreign_; }
  /// Pointers to the values of a patch, by field.
  std::vector<const double*> values_of(const patches::Layout::Patch& patch, Slot slot) const;

  /// Fields on their way to other ranks. The object must live until they have arrived.
  class Travel {
   public:
    Travel(State& state, Slot slot, bool all_fields);
    exchange::BoxFields<double> fields() const;

   private:
    std::vector<patches::Layout::Views> views_;
  };
  /// Receives all fields around this rank's patches, for readers of the state. Collective.
  void gather();

  /// A patch with ghosts in a thread's scratch memory.
  class Scratch {
   public:
    explicit Scratch(const State& state) : state_(state) {}
    /// Collects the values of a patch at a time; fields that the right-hand side reads at other cells, or all of them.
    /// Those of other ranks must have arrived.
    std::span<const physics::Input> fill(const patches::Layout::Patch& patch, Slot slot, double time, bool all_fields);

   private:
    const State& state_;
    std::vector<std::vector<double>> memory_;
    std::vector<double*> with_ghosts_;
    std::vector<physics::Input> inputs_;
  };

  /// The end of a step becomes the begin of the next one.
  void end_step();
  /// Inspects the cells of this rank at the begin of a step.
  physics::Inspection inspect() const;
  /// Sets the time step for the largest speed of signals of all ranks [m/s].
  void set_speed(double speed);

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
  void start();
  /// Finds the time step. Collective.
  void find_time_step();

  world::World world_;
  Options options_;
  comm::Communicator& communicator_;
  std::string instructions_;
  std::unique_ptr<physics::Equations> equations_;
  Sides sides_;
  patches::Layout layout_;
  exchange::BoxHalo halo_;
  double time_step_ = 0;
  std::array<Fields, slots> fields_;
  Fields foreign_;
};

}  // namespace eddyline::amr
