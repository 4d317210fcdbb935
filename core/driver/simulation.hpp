#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/traffic_log.hpp"
#include "observe/isosurface/isosurface.hpp"
#include "observe/observers.hpp"
#include "observe/series.hpp"
#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::driver {

/// Counters of all ranks, and figures that the runtime adds.
struct Statistics {
  std::vector<solver::Counter> counters;
  std::string instructions;
  int threads = 0, ranks = 0;
  std::vector<std::pair<std::string, double>> seconds;  // by phase, the longest of any rank
  exchange::Trials exchange;                            // by this rank's clock

  /// A whole-number counter by its name. Throws std::out_of_range if there is none.
  std::int64_t count(std::string_view name) const;
};

/// Advances a solver and observes it. All ranks make collective calls in the same order; see Leader for runs in which
/// one rank calls and the other ranks follow.
class Simulation {
 public:
  /// Makes the solver that the world names and observes it every `series_interval` [s]. Collective. The communicator
  /// must outlive the simulation.
  Simulation(const world::World& world, const solver::Execution& execution, double series_interval,
             comm::Communicator& communicator);

  /// Steps until time >= until, or steps == max_steps, or, on any rank, max_seconds of wall time have passed, or
  /// interrupt(). Returns the steps done. Throws StepError. Collective.
  std::int64_t advance(double until, std::int64_t max_steps, double max_seconds);
  /// Applies a change of the world between two steps, see Solver::apply(). Rows of all series must have been taken.
  /// Collective.
  double change(const world::Change& change);
  /// Begins a series of the fluid particle `id`, or ends one. Rows of all series must have been taken. Throws
  /// UserError. Collective.
  void track(const std::string& name, std::int64_t id) { observers_.track(name, id); }
  void untrack(const std::string& name) { observers_.untrack(name); }
  /// Can be called from any thread.
  void interrupt() { interrupted_.store(true); }
  /// Ends the run; no collective call may follow. Collective.
  void end() { solver_->finish(); }

  const solver::Solver& solver() const { return *solver_; }
  solver::Sampler& sampler() const { return solver_->sampler(); }
  comm::Communicator& communicator() const { return solver_->communicator(); }

  /// Copies the particles of all ranks with ids larger than `after`: the first `limit` of them in order of id, on the
  /// root. Collective.
  std::vector<solver::PointRecord> records(solver::PointKind kind, std::int64_t after, std::int64_t limit) const;
  /// A scalar field of the members of a set with the ids `first` to `first + count - 1`, in order of id, on the root;
  /// NaN for ids that no member has. For sets whose ids count up from 0, such as cells. Throws UserError. Collective.
  std::vector<double> values(std::size_t set, std::string_view field, std::int64_t first, std::int64_t count) const;
  /// See Points::quantized(). Empty for a solver without particles. Collective.
  solver::QuantizedParticles quantized(std::int64_t every, bool with_ids) const;
  /// The fluid's surface, or that of another quantity. Collective.
  observe::Isosurface isosurface(const observe::SurfaceRequest& request) const;
  /// Returns the rows of all series since the last call; the same on all ranks.
  std::vector<observe::Series> take_series() { return observers_.take(); }

  /// Checksum of the members of all ranks. Collective.
  solver::Checksum checksum() const;
  /// Takes a checksum after every `every` steps, counted from the start; 0: none. Collective.
  void keep_checksums(std::int64_t every) { checksum_every_ = every; }
  /// Returns steps and their checksums since the last call; the same on all ranks.
  std::vector<std::pair<std::int64_t, solver::Checksum>> take_checksums() { return std::exchange(checksums_, {}); }

  /// The part of a checkpoint that this rank holds.
  std::vector<std::byte> part();
  /// The part of a checkpoint that `rank` holds, on the root and on that rank; empty on other ranks. Collective.
  std::vector<std::byte> save(int rank);
  /// Continues from a checkpoint: next(), called on the root, gives part after part, then an empty one. Any number of
  /// ranks. Throws UserError. Collective.
  void restore(const std::function<std::vector<std::byte>()>& next);

  /// Collective.
  Statistics statistics() const;
  /// The work of each rank, on the root. Collective.
  std::vector<solver::RankShare> shares() const;
  /// Keeps the next laps of all ranks' timers, all from the same moment on. Collective.
  void keep_timeline(std::int64_t laps);
  /// The laps kept, by rank, on the root. Collective.
  std::vector<std::vector<Lap>> timeline() const;
  /// Records the exchanges of all ranks from now on. Collective.
  void keep_traffic();
  /// The recorded exchanges, the messages of all ranks in one log, on the root. Collective.
  comm::TrafficLog traffic() const;

 private:
  void check(const solver::Outcome& outcome) const;
  double next_row(double due) const;

  std::unique_ptr<solver::Solver> solver_;
  observe::Observers observers_;
  std::atomic<bool> interrupted_{false};
  double series_interval_, next_series_ = 0;
  std::int64_t checksum_every_ = 0;
  std::vector<std::pair<std::int64_t, solver::Checksum>> checksums_;
  std::shared_ptr<comm::TrafficLog> traffic_;  // empty unless requested
};

}  // namespace eddyline::driver
