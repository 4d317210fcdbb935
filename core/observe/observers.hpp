#pragma once

#include <span>
#include <vector>

#include "integrate/flow.hpp"
#include "observe/series.hpp"
#include "observe/tally.hpp"
#include "observe/wall_shares.hpp"

namespace eddyline::observe {

/// All observers of a run: budgets, forces on bodies and walls (of moving bodies also torque and power), openings,
/// probes, gauges and fronts. They read the flow and never write it. Sums are exact, so that every value is the same
/// for any boxes, threads and ranks. Collective.
template <class T, int D>
class Observers {
 public:
  explicit Observers(const integrate::Flow<T, D>& flow);

  /// Takes up probes and bodies that were added or removed; rows of all series must have been taken. A body that stood
  /// still when the run began keeps the columns that it had: no torque, no power; nor has one that came later.
  void world_changed();
  /// Whether rows tell forces on walls, which need their reactions in the step before.
  bool takes_reactions() const { return !force_owners_.empty() || walls_move_ || !flow_.openings.empty(); }
  /// Appends one row to every series.
  void observe();
  /// What adds up over rows. `part`: on the root; nothing on others. Collective.
  void save(ArchiveWriter& archive) const;
  void restore(const ArchiveReader* part);
  /// The rows since the last call.
  std::vector<Series> take();

 private:
  void name_series();
  /// A wall's particle, and what of it counts for a force: a share of its pressure, and friction.
  struct Pushed {
    std::int32_t wall;
    Share pressure;
    bool rubs;
  };
  /// Which of the walls' particles belong to which force, and which stand beyond an opening.
  void group_walls();
  void add_budget();
  void add_force(std::span<const Pushed> walls);
  void add_torque(std::int32_t owner, std::span<const Pushed> walls);
  void add_power_of_sides();
  void add_opening(std::size_t number);
  void report_budget(Series& series);
  void report_force(std::int32_t owner, std::vector<double>& values);
  void report_torque(std::int32_t owner, const Vec3& force, std::vector<double>& values);
  void report_opening(std::vector<double>& values);
  void add_work();
  /// Whether the owner of a force is a body that was to move when the run began.
  bool moves(std::int32_t owner) const {
    return owner >= 0 && static_cast<std::size_t>(owner) < moving_.size() && moving_[static_cast<std::size_t>(owner)];
  }
  double force_unit() const;
  double front(int axis) const;

  const integrate::Flow<T, D>& flow_;
  Tally tally_;
  std::vector<Series> series_;                    // budget, forces, openings, probes, gauges, fronts
  std::vector<bool> moving_;                      // bodies that were to move when the run began
  bool walls_move_ = false;                       // whether there were any, or sides that slide
  std::vector<std::int32_t> beyond_;              // opening beyond which a wall's particle stands, or -1
  std::vector<std::int32_t> force_owners_;        // of the force series: body or -1 - side
  std::vector<std::vector<Pushed>> force_walls_;  // walls' particles of each, none beyond an opening
  std::int64_t shared_ = 0;                       // how often the domain had been shared out at the last row
  std::int64_t body_changes_ = 0;                 // how often bodies had come or gone at it
  double power_ = 0;                              // of all that moves, on the fluid, at this row [W, in 2D W/m]
  double work_ = 0, work_time_ = 0, last_power_ = 0;
};

}  // namespace eddyline::observe
