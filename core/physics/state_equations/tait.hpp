#pragma once

#include <cmath>

#include "base/host_device.hpp"
#include "base/portable_math_impl.hpp"

namespace eddyline::physics {

/// Tait's state equation of water: p = B [(rho/rho0)^7 - 1], B = rho0 c0^2 / 7; c^2 = dp/drho.
/// Source: Monaghan 1994. Dimensionless: p by rho0 c0^2, c by c0, and the density excess s = rho/rho0 - 1.
struct StateEquationTait {
  static constexpr double pressure(double s) {
    const double x = 1 + s, x3 = x * x * x;
    return (x3 * x3 * x - 1) / 7;
  }
  static constexpr double sound_speed(double s) { return (1 + s) * (1 + s) * (1 + s); }
  /// s at the pressure p; p must be above -1/7, where the density is zero.
  EDDYLINE_HOST_DEVICE static double density_excess(double p) {
    return is_slight(p) ? density_excess_of_slight(p) : portable::anywhere::pow(1 + 7 * p, 1.0 / 7) - 1;
  }
  EDDYLINE_HOST_DEVICE static bool is_slight(double p) { return std::abs(p) < 0.05; }
  /// Solves for s near rho0 by Newton's method, starting from the first terms of its series. The unknown is s itself,
  /// so that no digits cancel.
  EDDYLINE_HOST_DEVICE static double density_excess_of_slight(double p) {
    double s = p * (1 + p * (13 * p - 3));
    for (int k = 0; k < 3; ++k) {
      const double x = 1 + s, x3 = x * x * x;
      const double excess = s * (1 + s * (3 + s * (5 + s * (5 + s * (3 + s * (1 + s / 7))))));  // (x^7 - 1) / 7
      s -= (excess - p) / (x3 * x3);
    }
    return s;
  }
};

}  // namespace eddyline::physics
