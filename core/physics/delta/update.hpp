#pragma once
// The update of single particles in a step of the scheme `delta`, after their pair sums: pure functions, which loops on
// the host and on devices call. SI units, but for densities, volumes and values of rows, see sweeps.hpp.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/fixed_point.hpp"
#include "base/host_device.hpp"
#include "base/vec.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/sph/tension.hpp"
#include "physics/sph/volume_fraction.hpp"

namespace eddyline::physics::delta {

/// Factors from the state of a particle to its row.
struct RowUnits {
  FixedPoint fixed;
  double inverse_c0 = 0, inverse_mass = 0;  // 1/c0, 1/(rho0 dx^D)

  /// Volume by dx^D of a particle with density excess s.
  EDDYLINE_INLINE double volume(double mass, double s) const { return mass * inverse_mass / (1 + s); }
};

/// Density excess at the end of a step: s + dt K c0/R [-(1 + s) divergence + delta diffusion]; factor: dt K c0/R.
EDDYLINE_INLINE double advanced_density(double s, double divergence, double diffusion, double factor, double delta) {
  const double continuity = -(1 + s) * divergence;
  return s + factor * (continuity + delta * diffusion);
}

/// Acceleration [m/s^2]: pressure / (1 + s) - viscosity + external force; unit: c0^2/R K.
EDDYLINE_INLINE double acceleration(double per_density, double pressure, double unit, double viscous, double force) {
  return per_density * pressure - unit * viscous + force;
}

/// Moves a fixed-point place from the midpoint of a step to its end, by the velocity in the row, which all ranks with
/// the row have. distance: c0 dt/2 [m].
template <class T>
EDDYLINE_INLINE std::int32_t second_half(const FixedPoint& fixed, double distance, std::int32_t x, T v) {
  const std::int32_t by = fixed.wrapped(static_cast<double>(v) * distance);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(by));
}

/// The factor from a sum of shifting to the displacement, which is at most `cap`; wanted: factor without that limit;
/// squares: squared length of the sum.
EDDYLINE_INLINE double shift_factor(double wanted, double squares, double cap) {
  const double length = wanted * std::sqrt(squares);
  return wanted * std::min(1.0, cap / length);
}

/// The volume fraction at a particle, from the sum over its neighbours and its own contribution, mass / (rho0 dx^D).
EDDYLINE_INLINE double volume_fraction_of(double unit, double neighbors, double own) {
  return unit * (neighbors + own);
}

/// Parameters of relaxed_density().
struct DensityRelaxation {
  VolumeFractionTolerance tolerance;
  double relaxation = 0;  // share of the excess that is removed in the step
  double unloading = 0;   // the same, of the positive density excess of loose fluid
  double loose = 0;       // volume fraction of loose fluid

  /// The share of unloading that counts for a particle.
  EDDYLINE_INLINE double unloading_of(Surrounding surrounding) const {
    return tolerance.free_surface && !is_inside(surrounding) ? unloading : 0.0;
  }
};
/// Density excess s, relaxed to the volume fraction.
EDDYLINE_INLINE double relaxed_density(const DensityRelaxation& by, double volume_fraction, double s,
                                       double deficit_limit, double excess_limit, double unloading) {
  const double excess = excess_volume_fraction(volume_fraction, s, deficit_limit, excess_limit);
  return unloaded(s + by.relaxation * excess, volume_fraction, by.loose, unloading);
}

/// Velocity of a particle beside a wall that moves with `wall`, where shifting has moved it by `shift` in a step of
/// length dt: its component relative to the wall and along the shift becomes that of its actual motion.
EDDYLINE_INLINE Vec3 stopped_velocity(Vec3 v, Vec3 shift, Vec3 wall, double dt) {
  const double length = norm(shift);
  if (!(length > 0)) return v;
  const Vec3 along = shift / length;
  const double against = -dot(v - wall, along);
  if (!(against > 0)) return v;
  return v + std::min(length / dt, against) * along;
}

/// Factors of a step for the second half of an update.
struct UpdateFactors {
  double dt = 0, keep = 1;             // keep: the factor of damping on a velocity
  double confined_shift = 0;           // factor of shifting where there is no free surface [m]
  double strength = 0, cap = 0;        // of shifting [s], [m]
  double sheared2 = 0;                 // squared speed of shifting per dissipation, where fluid is sheared [m^2/s^2]
  double relaxation = 0;               // of density to the volume fraction, in the step
  double unloading = 0;                // of loose fluid, in the step
  double speed_limit2 = 0, jump2 = 0;  // limits of the blow-up doctor
};

/// Smallest share of its displacement in a step that shifting takes back from a particle that it holds in place.
inline constexpr double k_taken_back = 0.5;
/// Distance from a wall within which a particle that shifting holds in place stops [spacings]. In still water the first
/// row lies at 0.5.
inline constexpr double k_beside_wall = 0.25;

/// Tells whether the update of a particle left sound values.
struct Soundness {
  double speed_limit2 = 0, jump2 = 0;  // limits of squared velocity and displacement
  double thinnest = 0, densest = 0;    // range of density excesses

  EDDYLINE_INLINE bool holds(double v2, double moved2, double s, double a2) const {
    // No branches, so that loops become vector instructions.
    return (v2 <= speed_limit2) & (moved2 <= jump2) & (s > thinnest) & (s < densest) & (a2 < INFINITY);
  }
};

}  // namespace eddyline::physics::delta
