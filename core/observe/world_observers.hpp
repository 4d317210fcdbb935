#pragma once

#include <memory>
#include <vector>

#include "solver/solver.hpp"

namespace eddyline::observe {

/// Makes series of the forces on solids, one for each. `loads` must outlive them.
std::vector<std::unique_ptr<solver::Observer>> force_observers(solver::Solver& solver);

/// Probes, gauges and fronts of the solver's world.
std::vector<std::unique_ptr<solver::Observer>> point_observers(solver::Solver& solver);

}  // namespace eddyline::observe
