#pragma once

#include "physics/equations/equations.hpp"
#include "solver/column.hpp"

namespace eddyline::amr {

/// Names of what a run with these equations and at most so many levels records and shows.
solver::Description describe(const physics::Equations& equations, int levels);

}  // namespace eddyline::amr
