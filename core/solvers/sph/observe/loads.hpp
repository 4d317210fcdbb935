#pragma once

#include <cstdint>
#include <vector>

#include "domain/wall_shares.hpp"
#include "solver/loads.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

using domain::Share;
using domain::WallShares;

/// Forces on solids: sums over the reactions of their dummy particles, see Scratch::pressure_reaction.
template <class T, int D>
class Loads final : public solver::Loads {
 public:
  explicit Loads(const Parts<T, D>& parts);

  const std::vector<std::int32_t>& owners() const override { return owners_; }
  bool has_power(std::int32_t owner) const override {
    return owner >= 0 && static_cast<std::size_t>(owner) < moving_.size() && moving_[static_cast<std::size_t>(owner)];
  }
  bool has_work() const override { return walls_move_; }
  void add(comm::Sums& sums) override;
  solver::Load load(std::size_t k, const comm::Sums& sums) const override;
  double power_of_sides(const comm::Sums& sums) const override;

  /// Rebuilds the list of owners after bodies were added or removed. A body that stood still when the run began, or was
  /// added later, has no power.
  void world_changed();
  /// Assigns dummy particles to forces again after a restart.
  void group_walls();
  /// The opening beyond which dummy particle i lies, or -1. Such a particle counts for the opening, not for its wall.
  std::int32_t opening_beyond(std::size_t i) const { return beyond_[i]; }
  /// Force of reaction sums [N; in 2D N/m].
  double force_unit() const;

 private:
  /// A dummy particle, and the part of its reaction that counts for a force: a share of its pressure, and friction.
  struct Contribution {
    std::int32_t wall;
    Share pressure;
    bool has_friction;
  };
  std::size_t add_force(comm::Sums& sums, std::span<const Contribution> walls) const;
  std::size_t add_torque(comm::Sums& sums, std::int32_t owner, std::span<const Contribution> walls) const;
  std::size_t add_power_of_sides(comm::Sums& sums) const;
  void read_torque(std::int32_t owner, const std::array<double, 5>& sums, solver::Load& load) const;
  /// The present pose of a body; the pivot of a body at rest is the centre of its bounds.
  world::Pose pose_of(const world::Body& body) const;

  const State<T, D>& state_;
  const Scratch<T, D>& scratch_;
  const Domain<T, D>& domain_;
  std::vector<bool> moving_;  // bodies that had a motion when the run began
  bool walls_move_;           // true if there were any, or sides that slide
  std::vector<std::int32_t> owners_, beyond_;
  std::vector<std::vector<Contribution>> contributions_;  // of each owner
  std::vector<std::size_t> index_of_force_, index_of_torque_;
  std::size_t index_of_sides_ = 0;
  std::int64_t rebalances_ = 0, body_changes_ = 0;  // number of body changes when walls were grouped
};

}  // namespace eddyline::sph
