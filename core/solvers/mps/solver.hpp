#pragma once

#include <memory>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::mps {

/// Makes the solver of a world: moving particle semi-implicit, for liquids. Throws UserError. Collective.
std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator);

/// Names of what the solver records and shows of a world.
solver::Description describe(const world::World& world);

}  // namespace eddyline::mps
