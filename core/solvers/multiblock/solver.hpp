#pragma once

#include <memory>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::multiblock {

/// Flow on body-fitted blocks of cells: incompressible by artificial compressibility, or of an ideal gas. Collective.
/// The communicator must outlive the solver.
std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator);

/// Names of what the solver records and shows of a world.
solver::Description describe(const world::World& world);

}  // namespace eddyline::multiblock
