#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/sums.hpp"
#include "domain/wall_shares.hpp"
#include "solver/loads.hpp"
#include "solvers/mps/step.hpp"

namespace eddyline::mps {

/// Forces on solids: sums over the reactions of their particles.
template <int D>
class Loads final : public solver::Loads {
 public:
  Loads(const Liquid<D>& liquid, const Step<D>& step);
  /// Bodies have been added or removed.
  void world_changed();

  const std::vector<std::int32_t>& owners() const override { return owners_; }
  bool has_power(std::int32_t owner) const override {
    return owner >= 0 && static_cast<std::size_t>(owner) < moving_.size() && moving_[static_cast<std::size_t>(owner)];
  }
  bool has_work() const override { return has_work_; }
  void add(comm::Sums& sums) override;
  solver::Load load(std::size_t k, const comm::Sums& sums) const override;
  /// Tells whether a wall particle's force belongs to an opening, as it is within R beyond it.
  bool is_beyond(const domain::Opening<D>& opening, std::size_t wall) const {
    return opening.sites.is_beyond(vector_of(liquid_.wall.x, wall), liquid_.constants().R);
  }
  /// Force of the fluid on a wall particle, if forces have been asked for [N, N/m in 2D].
  Vec3 reaction_on(std::size_t wall) const {
    return wall < step_.pressure_reaction[0].size() ? pressure_on(wall) + friction_on(wall) : Vec3{};
  }
  double power_of_sides(const comm::Sums& sums) const override { return sums.value(index_of_sides_); }

 private:
  /// A wall particle and the part of its reaction that counts for a force.
  struct Contribution {
    std::int32_t wall;
    domain::Share pressure;
    bool has_friction;
  };
  void group_walls();
  Vec3 pressure_on(std::size_t k) const;
  Vec3 friction_on(std::size_t k) const;
  world::Pose pose_of(std::int32_t owner) const;

  const Liquid<D>& liquid_;
  const Step<D>& step_;
  bool has_work_;  // of walls that moved from the start on
  std::vector<bool> moving_;
  std::vector<std::int32_t> owners_;
  std::vector<std::vector<Contribution>> contributions_;  // of each owner
  std::vector<std::vector<std::size_t>> rubbed_;          // of each owner: numbers in Step::rubbed
  std::vector<std::size_t> indices_;
  std::size_t index_of_sides_ = 0;
};

}  // namespace eddyline::mps
