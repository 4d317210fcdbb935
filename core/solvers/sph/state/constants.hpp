#pragma once
// Quantities that a world fixes for a whole run.

#include <cmath>

#include "base/fixed_point.hpp"
#include "particles/place.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/state_equations/choice.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// Constants of a run in SI units, computed from the world.
struct Constants {
  explicit Constants(const world::World& world);
  /// Sets the constants that follow from the fluid's viscosity, which may change during a run.
  void set_viscosity(const world::World& world);

  particles::Lengths length{};
  FixedPoint fixed;
  double scale = 0;  // quantum / R
  double rho0 = 0, c0 = 0, nu = 0;
  double nu_fluid = 0;                      // max(nu, nu of the artificial viscosity): between fluid particles
  double volume = 0;                        // of a lattice cell [m^D]
  double inverse_c0 = 0, inverse_mass = 0;  // 1/c0, 1/(rho0 volume): factors to dimensionless rows
  physics::StateEquation state{};           // dimensionless
  double kernel = 0;                        // K in grad W dx^D = -K F r / R^2, see the kernels
  double to_volume_fraction = 0;     // factor from sums of V rho/rho0 W, W without its constant, to the volume fraction
  double loose = 0;                  // volume fraction below which fluid at a surface carries no pressure
  double rate = 0;                   // c0 / R [1/s]
  double speed_limit = 0;            // limit of the blow-up doctor [m/s]
  double thinnest = 0, densest = 0;  // range of density excesses that the doctor accepts
  bool free_surface = false;         // then pressure at walls is never negative
  double shifting_strength = 0;      // A of shifting
  double acoustic_damping = 0;       // alpha of sound
  double shear_rate2 = 0;            // factor from dissipation_central to the squared shear rate [1/s^2]
  physics::delta::FluidViscosity viscosity{};  // depends on whether there is a free surface

  /// The volume fraction at a particle, from the sum over its neighbours and its own mass.
  double volume_fraction(double neighbors, double mass) const {
    return to_volume_fraction * (neighbors + mass * inverse_mass);
  }
  /// Tells whether the blow-up doctor accepts a density excess.
  bool density_is_sound(double s) const { return s > thinnest && s < densest; }
};

/// Tells whether a liquid need not fill the domain.
bool has_free_surface(const world::World& world);

}  // namespace eddyline::sph
