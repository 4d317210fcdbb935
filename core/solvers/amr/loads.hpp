#pragma once

#include <vector>

#include "solver/loads.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Forces on bodies: sums over the walls of cells at the surface, as the momentum of these cells has them. `state` must
/// outlive it.
class Loads final : public solver::Loads {
 public:
  explicit Loads(State& state);

  const std::vector<std::int32_t>& owners() const override { return owners_; }
  bool has_power(std::int32_t) const override { return false; }
  bool has_work() const override { return false; }
  void add(comm::Sums& sums) override;
  solver::Load load(std::size_t k, const comm::Sums& sums) const override;
  double power_of_sides(const comm::Sums&) const override { return 0; }

 private:
  State& state_;
  std::vector<std::int32_t> owners_;
  std::size_t index_ = 0;
};

}  // namespace eddyline::amr
