#pragma once
// What a world fixes for a whole run.

#include <cmath>

#include "base/fixed_point.hpp"
#include "particles/place.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/state_equations/choice.hpp"
#include "world/world.hpp"

namespace eddyline::integrate {

/// Constants of a run in SI units, from the world.
struct Constants {
  explicit Constants(const world::World& world);
  /// Those that follow from the fluid's viscosity, which may change during a run.
  void set_viscosity(const world::World& world);

  particles::Lengths length{};
  FixedPoint fixed;
  double scale = 0;  // quantum / R
  double rho0 = 0, c0 = 0, nu = 0;
  double nu_fluid = 0;                         // max(nu, nu of the artificial viscosity): between fluid particles
  double volume = 0;                           // of a lattice cell [m^D]
  double inverse_c0 = 0, inverse_mass = 0;     // 1/c0, 1/(rho0 volume): to dimensionless rows
  physics::StateEquation state{};              // dimensionless
  double kernel = 0;                           // K: grad W dx^D = -K F r / R^2, see the kernels
  double filling = 0;                          // turns sums of V rho/rho0 W, without W's constant, into the filling
  double loose = 0;                            // the filling below which fluid at a surface carries no pressure
  double rate = 0;                             // c0 / R [1/s]
  double speed_limit = 0;                      // of the blow-up doctor [m/s]
  double thinnest = 0, densest = 0;            // density excesses between which it lets pass
  bool free_surface = false;                   // pressure at walls is then never negative
  double shifting_strength = 0;                // A
  double acoustic_damping = 0;                 // alpha
  double shear_rate2 = 0;                      // turns dissipation_central into the rate of shear squared [1/s^2]
  physics::delta::FluidViscosity viscosity{};  // by whether there is a free surface

  /// Whether a density excess is one that the blow-up doctor lets pass.
  bool density_is_sound(double s) const { return s > thinnest && s < densest; }
};

}  // namespace eddyline::integrate
