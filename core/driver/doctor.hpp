#pragma once

#include "driver/simulation.hpp"
#include "integrate/flow.hpp"

namespace eddyline::driver {

/// Finds the first offender of a bad step (smallest id of all ranks), says why it is one, and collects its neighbours
/// (on the root). Collective.
template <class T, int D>
Diagnosis diagnose(const integrate::Flow<T, D>& flow);

/// Directed pairs of this rank within R where its rows stand, of those in its lists: fluid-fluid, fluid-wall and
/// wall-fluid.
template <class T, int D>
std::int64_t count_pairs(const integrate::Flow<T, D>& flow);

}  // namespace eddyline::driver
