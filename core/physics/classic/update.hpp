#pragma once
// The update of single particles in a step of the scheme `classic`, before and after their pair sums: pure functions,
// which loops on the host and on devices call. SI units, but for density excesses and values of rows.

#include <algorithm>
#include <cmath>

#include "base/fixed_point.hpp"
#include "base/host_device.hpp"
#include "base/vec.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/state_equations/choice.hpp"

namespace eddyline::physics::classic {

/// Predicts the midpoint of a step: a rate is assumed to change as it did between its last two
/// evaluations, so that y_midpoint = y + dt/2 rate + slope (rate - rate_old). With the last rate alone, sound would
/// grow without limit.
struct MidpointPrediction {
  double dt = 0;     // [s]
  double slope = 0;  // [s]

  EDDYLINE_INLINE double of(double rate, double rate_old) const { return 0.5 * dt * rate + slope * (rate - rate_old); }
};

/// Factors from the state of a particle to its row.
struct RowUnits {
  FixedPoint fixed;
  double inverse_c0 = 0, inverse_mass = 0;  // 1/c0, 1/(rho0 dx^D)
  StateEquation state{};

  /// Thermal energy by c0^2.
  EDDYLINE_INLINE double heat(double u) const { return u * inverse_c0 * inverse_c0; }
};

/// Factors of the update of a whole step.
struct UpdateFactors {
  double dt = 0, keep = 1;  // keep: the factor of damping on a velocity
  double c0 = 0;
  double acceleration = 0, density = 0, heating = 0;  // from pair sums to rates
  double drift = 0;                                   // from a sum of XSPH to a displacement; 0: none
  double kernel = 0;                                  // K in grad W dx^D = -K F r / R^2
  double alpha = 0, beta = 0;                         // artificial viscosity
};

/// A particle at the end of a step, along one axis. missed: work of the pairs that their sums have not counted.
struct AxisUpdate {
  double a, v, x, missed;
};
/// sum: of the pairs' forces; v_seen: the velocity by c0 that pair sums have used.
EDDYLINE_INLINE AxisUpdate advanced(const UpdateFactors& by, double x, double v, double sum, double force,
                                    double v_seen) {
  const double half = 0.5 * by.dt, pairs = by.acceleration * sum;
  const double a = pairs + force, v_middle = v + half * a;
  return {a, v + by.dt * a, x + by.dt * v_middle, pairs * (v_middle - by.c0 * v_seen)};
}

/// The kind of a particle's neighbourhood, from the sum of position_divergence(). Limits of div r over its value inside
/// the fluid: below k_whole a particle is at the surface, below k_attached alone.
template <int D>
EDDYLINE_INLINE Surrounding surrounding_of(const UpdateFactors& by, double sum) {
  constexpr double k_whole = 0.75, k_attached = 0.35;
  const double inside = by.kernel * sum / D;
  return inside > k_whole ? k_inside : inside > k_attached ? k_at_surface : k_isolated;
}

/// The signal speed at a particle; both speeds by c0.
EDDYLINE_INLINE double signal_speed(const UpdateFactors& by, double sound_speed, double closing_speed) {
  const double sound = by.c0 * sound_speed, closing = by.c0 * closing_speed;
  return sound + 0.6 * (by.alpha * sound + by.beta * closing);
}

/// The energy per mass that a contact with a wall takes from a particle, which would have come to x_free with v_free.
EDDYLINE_INLINE double heat_of_contact(const Vec3& x_free, const Vec3& v_free, const Vec3& x, const Vec3& v,
                                       const Vec3& gravity) {
  return 0.5 * (dot(v_free, v_free) - dot(v, v)) + dot(gravity, x - x_free);
}

/// Tells whether the update of a particle left sound values.
struct Soundness {
  double speed_limit2 = 0, jump2 = 0;  // limits of squared velocity and displacement
  double thinnest = 0, densest = 0;    // range of density excesses

  EDDYLINE_INLINE bool holds(double v2, double moved2, double s, double u, double a2) const {
    // No branches, so that loops become vector instructions.
    const bool sound = (s > thinnest) & (s < densest) & (std::abs(u) < INFINITY);
    return (v2 <= speed_limit2) & (moved2 <= jump2) & (a2 < INFINITY) & sound;
  }
};

/// Density excess and speed of sound of a dummy particle. mean: the mean density of the fluid around it, for a gas;
/// excess: that of a liquid at the pressure p.
struct WallDensity {
  double s, sound_speed;
};
EDDYLINE_INLINE WallDensity density_at_wall(const StateEquation& state, double p, double mean, double excess) {
  if (!state.is_gas()) return {excess, state.sound_speed(excess, 0)};
  const double s = mean - 1;
  return {s, std::sqrt(state.gamma * std::max(p, 0.0) / (1 + s))};
}

}  // namespace eddyline::physics::classic
