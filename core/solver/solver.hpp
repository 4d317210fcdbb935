#pragma once
// The interface between a method that advances a flow and everything else: driver, observers, files, viewers.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "exchange/strategy.hpp"
#include "solver/checksum.hpp"
#include "solver/clock.hpp"
#include "solver/counters.hpp"
#include "solver/diagnosis.hpp"
#include "solver/fields.hpp"
#include "solver/loads.hpp"
#include "solver/observer.hpp"
#include "solver/points.hpp"
#include "solver/sampler.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::solver {

/// Advances one world. Its functions are called once a step or less often, so that virtual calls cost nothing; loops
/// over members are templates inside each solver. All ranks make collective calls in the same order.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  /// The world with all changes of steering.
  virtual const world::World& world() const = 0;
  virtual comm::Communicator& communicator() const = 0;
  virtual Clock clock() const = 0;
  /// Number of computing threads of this process.
  virtual int threads() const = 0;
  /// Instruction set of its loops: scalar, avx2, avx512; or the name of the device that computes.
  virtual std::string instructions() const = 0;
  virtual Timers& timers() = 0;

  /// Prepares the first step. Collective.
  virtual Outcome start() = 0;
  /// Length of the next step [s], known when a step ends: output never shortens a step.
  virtual double next_time_step() const = 0;
  /// One time step. Collective.
  virtual Outcome advance(StepRequest ask) = 0;
  /// Agrees on the last step at once, where advance() leaves that to the next step. Collective.
  virtual Outcome agree() = 0;
  /// Ends the run: no step follows. Collective.
  virtual void finish() {}

  virtual const FieldSets& fields() const = 0;
  /// Its particles; null for a solver without any.
  virtual const Points* points() const { return nullptr; }
  virtual Sampler& sampler() = 0;
  virtual Loads& loads() = 0;
  /// The solver's own series. Its budget comes first and is the first of all series.
  virtual std::vector<std::unique_ptr<Observer>> observers() = 0;
  /// Checksum of the members on this rank.
  virtual Checksum checksum() const = 0;

  /// Applies a change of the world between two steps. Returns the mass of fluid that a body displaces [kg; in 2D kg/m],
  /// else 0. Throws UserError, and then nothing has changed. Collective.
  virtual double apply(const world::Change& change) = 0;

  /// Dimensions, bytes of a number and number of the method, as checkpoints store them: parts of another kind are
  /// rejected.
  virtual std::array<std::int32_t, 3> kind() const = 0;
  /// Adds this rank's state to a checkpoint.
  virtual void save(ArchiveWriter& archive) = 0;
  /// Continues from a checkpoint that any number of ranks wrote: each rank reads some of its parts, the root the first.
  /// Throws UserError. Collective.
  virtual void restore(const std::vector<ArchiveReader>& parts) = 0;

  /// Adds the numbers of this rank.
  virtual void count(Counters& counters) = 0;
  virtual RankShare share() const = 0;
  /// Measurements of an exchange strategy that chooses by itself.
  virtual exchange::Trials exchange_trials() const = 0;
  /// Diagnosis of a bad step: the first bad particle of all ranks; on the root. Collective.
  virtual Diagnosis diagnose() const = 0;
};

}  // namespace eddyline::solver
