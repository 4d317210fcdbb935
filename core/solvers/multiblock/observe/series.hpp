#pragma once

#include <memory>
#include <vector>

#include "solver/observer.hpp"
#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

/// The solver's own series: budget, residual, and one for each opening.
template <class E>
std::vector<std::unique_ptr<solver::Observer>> make_observers(Flow<E>& flow);

}  // namespace eddyline::multiblock
