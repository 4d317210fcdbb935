#pragma once

#include <memory>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::sph {

/// Smoothed particle hydrodynamics: the scheme, the dimension and the type of pair sums are those of the world's
/// method. Collective. The communicator must outlive the solver.
std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator);

}  // namespace eddyline::sph
