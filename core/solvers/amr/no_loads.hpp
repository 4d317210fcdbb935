#pragma once

#include <vector>

#include "solver/loads.hpp"

namespace eddyline::amr {

/// The loads of a solver without bodies and walls.
class NoLoads final : public solver::Loads {
 public:
  const std::vector<std::int32_t>& owners() const override { return owners_; }
  bool has_power(std::int32_t) const override { return false; }
  bool has_work() const override { return false; }
  void add(comm::Sums&) override {}
  solver::Load load(std::size_t, const comm::Sums&) const override { return {}; }
  double power_of_sides(const comm::Sums&) const override { return 0; }

 private:
  std::vector<std::int32_t> owners_;
};

}  // namespace eddyline::amr
