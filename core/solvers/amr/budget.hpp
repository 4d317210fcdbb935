#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Step, energy and largest displacement. The energy is the integral of (p^2 + c^2 |grad u|^2)/2, with -u laplace(u)
/// for |grad u|^2, which the differences in space conserve exactly. `state` must outlive it.
class Budget final : public solver::Observer {
 public:
  explicit Budget(State& state) : state_(state) {}
  std::string name() const override { return "budget"; }
  std::vector<solver::Column> columns() const override;
  void add(comm::Sums& sums) override;
  void read(const comm::Sums& sums, std::vector<double>& row) override;

 private:
  State& state_;
  std::size_t index_ = 0;
  double largest_ = 0;  // |u| on this rank
};

}  // namespace eddyline::amr
