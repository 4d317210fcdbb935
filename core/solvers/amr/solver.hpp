#pragma once

#include <memory>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::amr {

/// Equations on Cartesian cells in patches, on one level. Collective. Throws UserError. The communicator must outlive
/// the solver.
std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator);

/// Names of what the solver records and shows of a world.
solver::Description describe(const world::World& world);

}  // namespace eddyline::amr
