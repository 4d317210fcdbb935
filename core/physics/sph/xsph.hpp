#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// XSPH, which moves particles with a velocity nearer to that of their neighbours:
///   dx_i/dt = v_i + epsilon sum_j (m_j / rho_ij) (v_j - v_i) W_ij
/// Source: Monaghan 1989. Keeps particles in order without changing their velocity v_i; conserves the centre of mass.
/// Returns the factor of v_i - v_j: m_j w / rho_ij, up to the kernel's constant; to be subtracted.
template <class S>
EDDYLINE_INLINE S xsph(S m_j, S w, S per_density) {
  return m_j * w * per_density;
}

}  // namespace eddyline::physics
