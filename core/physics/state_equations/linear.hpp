#pragma once

namespace eddyline::physics {

/// Linear state equation: p = c0^2 (rho - rho0). Dimensionless, with p by rho0 c0^2 and the density excess
/// s = rho/rho0 - 1, it is p = s. Tait's exponent makes no difference at a density error of one per cent.
struct StateEquationLinear {
  static constexpr double pressure(double s) { return s; }
  static constexpr double density_excess(double p) { return p; }
  /// Elastic energy per mass, by c0^2: integral of p/rho^2 d rho = ln(1 + s) - s/(1 + s), here to fourth order in s.
  static constexpr double elastic_energy(double s) { return s * s * (0.5 - s * (2.0 / 3.0 - 0.75 * s)); }
};

}  // namespace eddyline::physics
