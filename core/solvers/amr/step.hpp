#pragma once

#include <cstdint>
#include <vector>

#include "solver/clock.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Advances the equations by the classical Runge-Kutta method. `state` must outlive it.
class Step {
 public:
  explicit Step(State& state);

  /// One time step. Collective.
  solver::Outcome advance(bool stop);

 private:
  void stage(State::Slot from, State::Slot to, double weight, double time);
  void compute(const std::vector<std::int32_t>& patches, State::Slot from, State::Slot to, double weight, double time);

  State& state_;
  std::vector<std::int32_t> interior_, fringe_;  // patches without and with cells of other ranks around them
};

}  // namespace eddyline::amr
