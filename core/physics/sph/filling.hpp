#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// How densely particles fill space, whatever density they carry:
///   filling_i = sum_j (m_j / rho0) W_ij
/// Adds V_j (1 + s_j) W without the kernel's constant; the particle itself is left to the caller.
template <class S>
EDDYLINE_INLINE void filling(S& sum, S volume_j, S s_j, S W) {
  sum = fma(fma(volume_j, s_j, volume_j), W, sum);
}

}  // namespace eddyline::physics
