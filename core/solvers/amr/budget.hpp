#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Step, integrals over the domain and largest values, as the equations name them. `state` must outlive it.
class Budget final : public solver::Observer {
 public:
  explicit Budget(State& state) : state_(state) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  State& state_;
  std::size_t first_ = 0;        // of the integrals among the sums
  std::vector<double> largest_;  // on this rank
};

}  // namespace eddyline::amr
