#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "observe/series.hpp"
#include "observe/tracked_particles.hpp"
#include "solver/solver.hpp"

namespace eddyline::observe {

/// Power of all moving solids, integrated over time by the trapezoidal rule: the work done on the fluid.
struct Work {
  double value = 0, time = 0, last_power = 0;  // [J; in 2D J/m], [s], [W; in 2D W/m]
  void add(double power, double now);
};

/// All series of a run: the solver's own, forces on bodies and sides, probes, gauges, fronts and tracked particles.
/// They read the solver through its interface and never change it. Sums are exact, so that every value is the same for
/// any boxes, threads and ranks. Collective.
class Observers {
 public:
  explicit Observers(solver::Solver& solver);
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;
  ~Observers();

  /// Rebuilds the list of series after probes or bodies were added or removed; all rows must have been taken before.
  void world_changed();
  /// Begins a series of the fluid particle `id`, or ends one; all rows must have been taken before. Throws UserError.
  void track(const std::string& name, std::int64_t id);
  void untrack(const std::string& name);
  /// Tells whether rows hold forces; the solver then computes more in the step before.
  bool asks_for_loads() const;
  /// Appends one row to every series.
  void observe();
  void save(ArchiveWriter& archive) const;
  /// `part`: on the root; null on other ranks. Collective.
  void restore(const ArchiveReader* part);
  /// Returns the rows since the last call.
  std::vector<Series> take();

 private:
  solver::Solver& solver_;
  TrackedParticles tracked_;
  std::unique_ptr<comm::Sums> sums_;
  std::vector<std::unique_ptr<solver::Observer>> observers_;
  std::vector<Series> series_;  // of each observer
  Work work_;                   // last column of the budget, where solids move
};

}  // namespace eddyline::observe
