#pragma once

#include "base/pack.hpp"

namespace eddyline::physics {

/// Wendland C2 kernel with q = r/R, R = 2h (Wendland 1995):
///   W(q)   = sigma (1 - q)^4 (1 + 4 q) / R^D,        sigma = 7/pi in 2D, 21/(2 pi) in 3D
///   grad W = -20 sigma (1 - q)^3 r_ij / R^(D + 2)
/// Both vanish at q = 1 and beyond. Pair sums carry the factors (1 - q)^3 and (1 - q)^4 (1 + 4 q) only; the constants
/// multiply each sum once.
struct WendlandC2 {
  static constexpr double sigma(int dimensions) { return dimensions == 2 ? 7.0 / k_pi : 21.0 / (2.0 * k_pi); }

  /// (1 - q)^3 for q < 1, else exactly 0; `rest` = max(0, 1 - q).
  template <class S>
  static EDDYLINE_INLINE S gradient(S rest) {
    return rest * rest * rest;
  }
  /// (1 - q)^4 (1 + 4 q), given rest = max(0, 1 - q) and (1 - q)^3.
  template <class S>
  static EDDYLINE_INLINE S value(S rest, S cube, S q) {
    return cube * rest * fma(S(4), q, S(1));
  }
  /// A quarter of it, (1 - q)^4 (5/4 - (1 - q)): a subtraction in place of a multiplication.
  template <class S>
  static EDDYLINE_INLINE S quarter(S rest) {
    const S square = rest * rest;
    return square * square * (S(1.25f) - rest);
  }
  static constexpr double value(double q) { return (1 - q) * (1 - q) * (1 - q) * (1 - q) * (1 + 4 * q); }

  static constexpr double k_pi = 3.141592653589793238;
};

}  // namespace eddyline::physics
