#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Laminar viscosity as a pair pressure, so that its heat is distributed like that of artificial viscosity:
///   Pi_ij = -2 (D + 2) nu v_ij . r_ij / (rho_ij r^2)
/// The form of Cleary & Monaghan 1999, with the factor of Monaghan 2005, for a constant nu = mu/rho. Symmetric and
/// central: conserves linear and angular momentum.
/// nu [m^2/s]: kinematic viscosity. Returns Pi_ij, given nu = 2 (D + 2) nu / (c0 R), v_r = v_ij . r_ij and 1/rho_ij.
template <class S>
EDDYLINE_INLINE S laminar_viscosity(S nu, S v_r, S r2, S per_density) {
  return (S(0) - nu) * (v_r / max(r2, S(1e-12f))) * per_density;  // two particles at the same position exert no force
}

}  // namespace eddyline::physics
