#pragma once

#include "solver/diagnosis.hpp"
#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

/// Finds the first offender of a bad step (smallest id of all ranks), says why it is one, and collects its neighbours
/// (on the root). Collective.
template <class T, int D>
solver::Diagnosis diagnose(const Flow<T, D>& flow);

/// Directed pairs of this rank within R where its rows stand, of those in its lists: fluid-fluid, fluid-wall and
/// wall-fluid.
template <class T, int D>
std::int64_t count_pairs(const Flow<T, D>& flow);

}  // namespace eddyline::sph
