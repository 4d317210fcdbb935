#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// Acoustic damping, the pressure of a bulk viscosity that vanishes with the smoothing length:
///   p_i = -alpha rho0 c0 h (div v)_i
/// A wave of wave number k decays as exp(-alpha c0 h k^2 t / 2). Source: Sun, Pilloton, Antuono & Colagrossi 2023.
/// alpha: dimensionless; h: smoothing length [m]; div v [1/s]. Returns p_i / (rho0 c0^2), given h_c = h / c0 [s].
template <class S>
EDDYLINE_INLINE S acoustic_damping(S alpha, S h_c, S divergence) {
  return -alpha * h_c * divergence;
}

}  // namespace eddyline::physics
