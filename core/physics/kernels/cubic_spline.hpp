#pragma once

#include "base/pack.hpp"

namespace eddyline::physics {

/// Cubic spline kernel with q = r/R, R = 2h (Monaghan & Lattanzio 1985); in x = r/h = 2q:
///   W = sigma/h^D [1 - 3/2 x^2 + 3/4 x^3] for x < 1, sigma/h^D (2 - x)^3 / 4 for x < 2,
///   sigma = 10/(7 pi) in 2D, 1/pi in 3D
/// With w = 2 (1 - q)^3 - (1 - 2q)^3, brackets cut to zero, and the factor F below:
///   W(q) = 2^D sigma w / R^D,      grad W = -2^(D + 2) sigma F r_ij / R^(D + 2)
/// Both vanish at q = 1 and beyond. Pair sums carry w and F only; the constants multiply each sum once.
struct CubicSpline {
  static constexpr double sigma(int dimensions) { return dimensions == 2 ? 10.0 / (7.0 * k_pi) : 1.0 / k_pi; }

  /// F: 3 - 9/2 q for q < 1/2, 3/2 (1 - q)^2 / q for q < 1, else exactly 0; `rest` = max(0, 1 - q).
  template <class S>
  static EDDYLINE_INLINE S gradient(S rest, S q) {
    return select(S(0.5f) > q, fma(S(-4.5f), q, S(3)), S(1.5f) * rest * rest / q);
  }
  /// w, given rest = max(0, 1 - q).
  template <class S>
  static EDDYLINE_INLINE S value(S rest, S q) {
    const S inner = max(fma(S(-2), q, S(1)), S(0));
    return fma(S(2) * rest, rest * rest, S(0) - inner * inner * inner);
  }
  static constexpr double value(double q) {
    const double rest = q < 1 ? 1 - q : 0, inner = q < 0.5 ? 1 - 2 * q : 0;
    return 2 * rest * rest * rest - inner * inner * inner;
  }

  static constexpr double k_pi = 3.141592653589793238;
};

}  // namespace eddyline::physics
