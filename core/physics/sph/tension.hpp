#pragma once

#include "physics/sph/free_surface.hpp"

namespace eddyline::physics {

/// rho0 U^2 / 2 [rho0 c0^2] of the highest speed that a world expects, U = c0 / 10.
constexpr double k_expected_dynamic_pressure = 0.005;
/// The pressure below which fluid with a free surface counts as under tension [rho0 c0^2].
constexpr double k_tension = -0.2 * k_expected_dynamic_pressure;

/// Lower limit of the density excess s = rho/rho0 - 1 of a particle in a flow with a free surface:
///   p_i >= -f rho0 U^2 / 2,   f = 1 inside, 0.1 at the surface;   U = c0 / 10, the highest speed that a world expects
/// Continuity lowers the density of a particle that loses its neighbours, and nothing raises it again while the fluid
/// is thin: jets and sheets would be held together by tensions of many times their dynamic pressure. Inside, negative
/// pressure up to the dynamic pressure is physical, as in the core of a vortex; a surface carries almost none.
/// p = c0^2 (rho - rho0), so that p / (rho0 U^2 / 2) = 200 s.
constexpr double least_density_excess(Surrounding surrounding) {
  return is_inside(surrounding) ? -k_expected_dynamic_pressure : -0.1 * k_expected_dynamic_pressure;
}

}  // namespace eddyline::physics
