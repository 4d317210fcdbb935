#pragma once

#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Series: the number of cells of each level. `state` must outlive it.
class CellsOfLevels final : public solver::Observer {
 public:
  explicit CellsOfLevels(const State& state) : state_(state) {}
  std::string name() const override { return "levels"; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums&) override {}
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  const State& state_;
};

}  // namespace eddyline::amr
