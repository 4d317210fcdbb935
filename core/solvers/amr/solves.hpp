#pragma once

#include <string>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/amr/describe.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Series: multigrid cycles of the last solve of the constraint, its residual, and all cycles. `state` must outlive it.
class Solves final : public solver::Observer {
 public:
  explicit Solves(const State& state) : state_(state) {}
  std::string name() const override { return "solver"; }
  std::vector<solver::Column> columns() const override {
    return describe(state_.equations(), state_.levels().most()).columns(name());
  }
  void add(comm::Sums&) override {}
  void read(const comm::Sums&, std::vector<double>& row) override {
    row.push_back(static_cast<double>(state_.solve().iterations));
    row.push_back(state_.solve().residual);
    row.push_back(static_cast<double>(state_.cycles()));
  }

 private:
  const State& state_;
};

}  // namespace eddyline::amr
