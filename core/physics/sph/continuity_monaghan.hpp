#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Continuity equation, with masses:
///   d rho_i/dt = sum_j m_j (v_i - v_j) . grad_i W_ij
/// Source: Monaghan 1992; consistent with pressure_monaghan. If particles differ in mass, use the form with volumes in
/// continuity.hpp, which is consistent with pressure_by_volume.
/// Returns m_j F (v_i - v_j) . r_ij, given v_r = (v_i - v_j) . r_ij.
template <class S>
EDDYLINE_INLINE S continuity_monaghan(S m_j, S F, S v_r) {
  return m_j * F * v_r;
}

}  // namespace eddyline::physics
