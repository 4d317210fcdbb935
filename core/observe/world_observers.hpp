#pragma once

#include <memory>
#include <vector>

#include "solver/solver.hpp"

namespace eddyline::observe {

/// Forces on the solids of the solver's loads, one series each. They must outlive none of it.
std::vector<std::unique_ptr<solver::Observer>> force_observers(solver::Solver& solver);

/// Probes, gauges and fronts of the solver's world.
std::vector<std::unique_ptr<solver::Observer>> point_observers(solver::Solver& solver);

}  // namespace eddyline::observe
