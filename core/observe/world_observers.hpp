#pragma once

#include <memory>
#include <vector>

#include "solver/solver.hpp"

namespace eddyline::observe {

/// Makes series of the forces on solids, one for each. `loads` must outlive them.
std::vector<std::unique_ptr<solver::Observer>> force_observers(solver::Solver& solver);

/// Probes, gauges and fronts of the solver's world.
std::vector<std::unique_ptr<solver::Observer>> point_observers(solver::Solver& solver);

/// Last column of the budget where solids move, see Work.
solver::Column work_column(int dimensions);

/// The columns of all series of a run of this world, in the order of Observers; `solver`: describes what the world's
/// solver records.
std::vector<solver::Table> tables_of(const world::World& world, const solver::Description& solver);

}  // namespace eddyline::observe
