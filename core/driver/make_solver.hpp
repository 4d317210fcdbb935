#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::driver {

/// Names of the solvers.
std::vector<std::string_view> solver_names();

/// Names of what the world's solver records and shows. Throws UserError if there is none of this name.
solver::Description describe(const world::World& world);

/// The part of a world that devices cannot compute yet, as a sentence without its full stop; empty: none.
std::string device_refusal(const world::World& world);

/// Makes the solver that the world names. Throws UserError if there is none of this name. Collective. The communicator
/// must outlive it.
std::unique_ptr<solver::Solver> make_solver(const world::World& world, const solver::Execution& execution,
                                            comm::Communicator& communicator);

}  // namespace eddyline::driver
