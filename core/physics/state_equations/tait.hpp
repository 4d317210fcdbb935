#pragma once

#include "base/portable_math.hpp"

namespace eddyline::physics {

/// Tait's state equation of water: p = B [(rho/rho0)^7 - 1], B = rho0 c0^2 / 7; c^2 = dp/drho.
/// Source: Monaghan 1994. Dimensionless: p by rho0 c0^2, c by c0, and the density excess s = rho/rho0 - 1.
struct StateEquationTait {
  static constexpr double pressure(double s) {
    const double x = 1 + s, x3 = x * x * x;
    return (x3 * x3 * x - 1) / 7;
  }
  static constexpr double sound_speed(double s) { return (1 + s) * (1 + s) * (1 + s); }
  /// s at the pressure p; p must be above -1/7, where no density is left.
  static double density_excess(double p) { return portable::pow(1 + 7 * p, 1.0 / 7) - 1; }
};

}  // namespace eddyline::physics
