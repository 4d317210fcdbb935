#pragma once

#include <memory>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::driver {

/// Makes the solver that the world's method names. Collective. The communicator must outlive it.
std::unique_ptr<solver::Solver> make_solver(const world::World& world, const solver::Execution& execution,
                                            comm::Communicator& communicator);

}  // namespace eddyline::driver
