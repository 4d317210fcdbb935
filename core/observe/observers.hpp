#pragma once

#include <vector>

#include "integrate/flow.hpp"
#include "observe/series.hpp"

namespace eddyline::observe {

/// All observers of a run: budgets, forces on bodies and walls (of moving bodies also torque and power), openings,
/// probes, gauges and fronts. They read the flow and never write it. Sums are exact, so that every value is the same
/// for any boxes, threads and ranks. Collective.
template <class T, int D>
class Observers {
 public:
  explicit Observers(const integrate::Flow<T, D>& flow);

  /// Appends one row to every series. Forces need the reactions of the step that has just ended.
  void observe();
  /// What adds up over rows. `part`: on the root; nothing on others. Collective.
  void save(ArchiveWriter& archive) const;
  void restore(const ArchiveReader* part);
  /// The rows since the last call.
  std::vector<Series> take();

 private:
  void observe_budget(Series& series) const;
  void find_beyond();
  void observe_forces();
  void observe_torque(std::int32_t owner, std::vector<double>& values);
  void observe_openings(std::size_t first);
  double force_unit() const;
  double sum_of(ReproducibleSum own) const;
  double front(int axis) const;

  const integrate::Flow<T, D>& flow_;
  std::vector<Series> series_;              // budget, forces, openings, probes, gauges, fronts
  std::vector<std::int32_t> beyond_;        // opening beyond which a wall's particle stands, or -1
  std::vector<std::int32_t> force_owners_;  // of the force series: body or -1 - side
  std::int64_t shared_ = 0;                 // how often the domain had been shared out at the last row
  double power_ = 0;                        // of all that moves, on the fluid, at this row [W, in 2D W/m]
  double work_ = 0, work_time_ = 0, last_power_ = 0;
};

}  // namespace eddyline::observe
