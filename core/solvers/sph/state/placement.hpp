#pragma once
// Fields of the particles at the start.

#include "particles/place.hpp"
#include "solvers/sph/state/constants.hpp"
#include "solvers/sph/state/fluid_state.hpp"

namespace eddyline::sph {

/// Places fluid at rest; density and thermal energy follow from the pressure of each particle.
template <class T, int D>
void place_fluid(const particles::Placement& placement, const Constants& constants, FluidState<T, D>& fluid);

}  // namespace eddyline::sph
