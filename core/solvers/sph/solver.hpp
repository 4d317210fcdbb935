#pragma once

#include <memory>
#include <string>

#include "solver/execution.hpp"
#include "solver/solver.hpp"

namespace eddyline::sph {

/// Smoothed particle hydrodynamics: the scheme, the dimension and the type of pair sums are those of the world's
/// method. Collective. The communicator must outlive the solver.
std::unique_ptr<solver::Solver> make(const world::World& world, const solver::Execution& execution,
                                     comm::Communicator& communicator);

/// Names of what the solver records and shows of a world.
solver::Description describe(const world::World& world);

/// The part of a world that devices cannot compute yet, as a sentence without its full stop; empty: none. Runs with
/// more than one rank, and lazy ones, are refused as well.
std::string device_refusal(const world::World& world);

}  // namespace eddyline::sph
