#pragma once

#include "solver/diagnosis.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Finds the first bad particle of a bad step (smallest id of all ranks), states the reason, and collects its
/// neighbours (on the root). Collective.
template <class T, int D>
solver::Diagnosis diagnose(const Parts<T, D>& parts);

/// Counts this rank's directed pairs within R at the places of its rows, among the pairs in its lists: fluid-fluid,
/// fluid-wall and wall-fluid.
template <class T, int D>
std::int64_t count_pairs(const Parts<T, D>& parts);

}  // namespace eddyline::sph
