#pragma once

#include <memory>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

/// The solver's own series: budget, residual, and one for each opening.
template <int D>
std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<D>& flow);

}  // namespace eddyline::multiblock
