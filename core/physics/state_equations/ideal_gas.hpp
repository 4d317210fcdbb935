#pragma once

#include <cmath>

#include "base/host_device.hpp"

namespace eddyline::physics {

/// State equation of an ideal gas: p = (gamma - 1) rho u, c = sqrt(gamma p / rho) = sqrt(gamma (gamma - 1) u).
/// Dimensionless: rho by rho0, u by c0^2, p by rho0 c0^2, c by c0.
struct StateEquationIdealGas {
  double gamma;  // ratio of specific heats

  constexpr double pressure(double rho, double u) const { return (gamma - 1) * rho * u; }
  EDDYLINE_HOST_DEVICE double sound_speed(double u) const { return std::sqrt(gamma * (gamma - 1) * u); }
  constexpr double thermal_energy(double rho, double p) const { return p / ((gamma - 1) * rho); }
};

}  // namespace eddyline::physics
