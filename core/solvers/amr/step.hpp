#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "physics/wave/kernels.hpp"
#include "solver/clock.hpp"
#include "solvers/amr/state.hpp"

namespace eddyline::amr {

/// Advances the wave equation by the classical Runge-Kutta method. `state` must outlive it.
class Step {
 public:
  Step(State& state, const std::string& instructions);

  /// One time step. Collective.
  solver::Outcome advance(bool stop);

 private:
  void stage(State::Slot from, State::Slot to, double weight);
  void compute(const std::vector<std::int32_t>& patches, State::Slot from, State::Slot to, double weight);
  bool is_finite() const;

  State& state_;
  physics::wave::Kernels kernels_;
  std::vector<std::int32_t> interior_, fringe_;  // patches without and with cells of other ranks around them
};

}  // namespace eddyline::amr
