#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "patches/levels.hpp"
#include "physics/equations/equations.hpp"
#include "solver/execution.hpp"
#include "solvers/amr/bodies.hpp"
#include "solvers/amr/coefficients.hpp"
#include "solvers/amr/options.hpp"
#include "solvers/amr/poisson/potential.hpp"
#include "solvers/amr/sides.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::amr {

/// The fields of a set of equations on the cells of this rank, level by level.
class State {
 public:
  using Slot = patches::Slot;

  /// Starts with the fields of the world, refined as they ask for. Collective. Throws UserError.
  State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  const world::World& world() const { return world_; }
  const Options& options() const { return options_; }
  const std::string& instructions() const { return instructions_; }
  const physics::Equations& equations() const { return *equations_; }
  comm::Communicator& communicator() const { return communicator_; }
  const patches::Levels& levels() const { return levels_; }
  patches::Levels& levels() { return levels_; }
  /// Edge of the cells of a level [m]. Those of the finest level have the world's spacing.
  double spacing(int level) const;
  double time_step() const { return time_step_; }  // of level 0
  Vec3 centre(int level, Int3 cell) const { return place(level, {}).centre(cell, world_.dimensions); }
  physics::Place place(int level, const grid::IndexBox& cells) const {
    return {level, spacing(level), world_.origin, cells, levels_[level].layout.domain()};
  }

  const Bodies& bodies() const { return bodies_; }

  /// A patch of this rank.
  struct Patch {
    int level;
    const patches::Layout::Patch* on_level;

    const grid::IndexBox& cells() const { return on_level->cells; }
  };
  /// All of them, level by level.
  std::vector<Patch> patches() const;
  /// The cells of a patch at bodies; null: none.
  const physics::Solid* solid(const Patch& patch) const {
    return bodies_.of(patch.level, levels_[patch.level].layout.number_of(*patch.on_level));
  }
  /// The coefficients of the equations in the cells of a patch; empty if they have none.
  std::span<const double* const> coefficients(const Patch& patch) const {
    return coefficients_.of(patch.level, levels_[patch.level].layout.number_of(*patch.on_level));
  }
  /// Pointers to the values of a patch, by field.
  std::vector<const double*> values_of(const Patch& patch, Slot slot) const;
  std::vector<double*> values_of(const Patch& patch, Slot slot);
  /// Receives what is around this rank's patches, for readers of the state: all fields, or those that rates read at
  /// other cells. Collective.
  void gather(bool all = true) { levels_.gather(time, all); }

  /// A patch with ghosts in a thread's scratch memory.
  class Scratch {
   public:
    explicit Scratch(const State& state) : state_(state) {}
    /// Collects the fields that the right-hand side reads at other cells. Those of other ranks must have arrived.
    /// `weights`: see Levels::fill().
    std::span<const physics::Input> fill(const Patch& patch, Slot slot, const patches::StateWeights& weights,
                                         double at_time) {
      return fill(patch, slot, weights, at_time, false);
    }
    /// After gather(): the fields at the begin of a step, all of them with ghosts or those that gather() received.
    std::span<const physics::Input> read(const Patch& patch, bool all = true) {
      return fill(patch, patches::begin, patches::Levels::k_begin, state_.time, all);
    }

   private:
    std::span<const physics::Input> fill(const Patch& patch, Slot slot, const patches::StateWeights& weights,
                                         double at_time, bool all_fields);

    const State& state_;
    std::vector<std::vector<double>> memory_;
    std::vector<double*> with_ghosts_;
    std::vector<physics::Input> inputs_;
  };

  /// Inspects the cells of this rank at the begin of a step.
  physics::Inspection inspect() const;
  /// Sets the time step for the largest speed of signals of all ranks [m/s].
  void set_speed(double speed);
  /// Refines what the fields ask for now, and nothing else. True if patches have changed. Collective. Throws UserError
  /// if memory would not suffice.
  bool adapt();
  /// Satisfies the constraint of the equations, if they have one, after a step of `time_step`, or at the start (0).
  /// Collective. Throws UserError if the multigrid method does not converge.
  void satisfy_constraint(double time_step);
  /// The last of these solves.
  const linear::Outcome& solve() const { return solve_; }
  std::int64_t cycles() const { return cycles_; }  // of multigrid so far
  /// Solver of the constraint, or null.
  const Potential* potential() const { return potential_.get(); }
  /// True if refinement can change in the course of a run.
  bool is_adaptive() const { return is_adaptive_; }

  /// Adds or removes a probe. Throws UserError.
  void change_probes(const world::Change& change);
  /// Changes a parameter of the equations, and with it the time step. Throws UserError. Collective.
  void change_parameter(const world::Change& change);

  void save(ArchiveWriter& archive) const;
  /// Takes a checkpoint: each rank has some of its parts, the root the first. Throws UserError. Collective.
  void restore(const std::vector<ArchiveReader>& parts);

  double time = 0;  // [s]
  std::int64_t steps = 0;
  Timers timers;

 private:
  patches::Levels::Setup setup(const solver::Execution& execution) const;
  void start();
  template <class StartOfCell>
  void start_groups(const Patch& patch, const physics::Solid& solid, StartOfCell& cell_start,
                    const std::vector<double*>& to) const;
  void start_refined();
  /// Adds what the cells of a patch ask for: more than 1 refines.
  void indicate(const Patch& patch, Scratch& scratch, std::vector<double>& values) const;
  /// Cells of a level that are refined because a body's surface is near.
  void indicate_bodies(const Patch& patch, std::vector<double>& values) const;
  /// Finds all that belongs to patches besides fields.
  void update_patches();
  std::int32_t cells_around(int level) const;
  void check_memory(const patches::Units& units) const;
  /// Finds the time step. Collective.
  void find_time_step();

  world::World world_;
  Options options_;
  comm::Communicator& communicator_;
  std::string instructions_;
  std::unique_ptr<physics::Equations> equations_;
  Sides sides_;
  Bodies bodies_;
  Coefficients coefficients_;
  world::Formula refine_;  // of x, y, z, t, the level, and quantities
  bool is_adaptive_ = false;
  patches::Levels levels_;
  double time_step_ = 0;
  std::unique_ptr<Potential> potential_;
  linear::Outcome solve_;
  std::int64_t cycles_ = 0;
};

}  // namespace eddyline::amr
