#pragma once

#include "physics/delta/sweeps.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/state/scratch.hpp"
#include "solvers/sph/state/state.hpp"

namespace eddyline::sph {

/// Returns the rows and constants that the sweeps of the scheme delta read, without targets and neighbours.
template <class T, int D>
physics::delta::SweepInput<T> sweep_input(const State<T, D>& state, const Domain<T, D>& domain,
                                          const Scratch<T, D>& scratch);

}  // namespace eddyline::sph
