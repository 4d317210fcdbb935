#pragma once

#include "physics/pair.hpp"

namespace eddyline::physics {

/// The pressure of a bulk viscosity that fades with the smoothing length, which damps sound:
///   p_i = -alpha rho0 c0 h (div v)_i
/// A wave of wave number k decays as exp(-alpha c0 h k^2 t / 2). Source: Sun, Pilloton, Antuono & Colagrossi 2023.
/// Over rho0 c0^2, given h_c = h / c0 and div v.
template <class S>
EDDYLINE_INLINE S acoustic_damping(S alpha, S h_c, S divergence) {
  return -alpha * h_c * divergence;
}

}  // namespace eddyline::physics
