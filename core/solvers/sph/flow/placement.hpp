#pragma once
// Particles of the start as fields.

#include "particles/place.hpp"
#include "solvers/sph/flow/constants.hpp"
#include "solvers/sph/flow/state.hpp"

namespace eddyline::sph {

/// At rest, with density and thermal energy from the pressure that each has been placed with.
template <class T, int D>
void place_fluid(const particles::Placement& placement, const Constants& constants, FluidState<T, D>& fluid);

/// At rest.
template <int D>
void place_walls(const particles::Placement& placement, WallState<D>& wall);

}  // namespace eddyline::sph
