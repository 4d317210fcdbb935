#pragma once

#include <algorithm>

#include "physics/pair.hpp"

namespace eddyline::physics {

/// How densely particles fill space, whatever density they carry:
///   filling_i = sum_j (m_j / rho0) W_ij
/// Adds V_j (1 + s_j) W without the kernel's constant; the particle itself is left to the caller.
template <class S>
EDDYLINE_INLINE void filling(S& sum, S volume_j, S s_j, S W) {
  sum = fma(fma(volume_j, s_j, volume_j), W, sum);
}

/// By how much the filling exceeds the density that a particle carries, to which density is drawn. Near a free surface
/// the sum misses what is not there: only what has come together more closely than any flow asks for counts then, and
/// inside, away from the surface, what has come apart.
inline double excess_of_filling(double filling, double s, bool free_surface, bool is_inside) {
  constexpr double k_crowded = 0.05, k_apart = -0.03;
  const double excess = filling - 1 - s;
  if (!free_surface) return excess;
  return std::max(0.0, excess - k_crowded) + (is_inside ? std::min(0.0, excess - k_apart) : 0.0);
}

}  // namespace eddyline::physics
