#pragma once

#include <algorithm>

#include "physics/pair.hpp"
#include "physics/sph/free_surface.hpp"

namespace eddyline::physics {

/// Volume fraction of particles, independent of the density that they carry:
///   phi_i = sum_j (m_j / rho0) W_ij        (dimensionless; m_j / rho0 = V_j (1 + s_j))
/// Adds V_j (1 + s_j) W without the kernel's constant; the caller adds the particle's own contribution.
template <class S>
EDDYLINE_INLINE void volume_fraction(S& sum, S volume_j, S s_j, S W) {
  sum = fma(fma(volume_j, s_j, volume_j), W, sum);
}

/// True if fluid surrounds a particle completely, in a flow with a free surface: changes of volume there are sound, and
/// nearer to the surface they are spray. The second row of a lattice below its surface has the volume fraction 0.93 in
/// 2D and 0.984 in 3D, the third row 0.9955 and 1.
EDDYLINE_INLINE bool is_deep(double volume_fraction) { return volume_fraction > 0.985; }

/// Difference between the volume fraction and the density rho/rho0 of a particle that is tolerated. Beyond it, the
/// density is relaxed towards the volume fraction.
struct VolumeFractionTolerance {
  bool free_surface;

  /// Tolerated deficit. At a free surface the kernel is truncated, so that a deficit does not show that particles have
  /// separated. Inside, two rows below the surface of a lattice, the truncated part is still 0.0045.
  constexpr double deficit_limit(Surrounding surrounding) const { return is_inside(surrounding) ? inside() : 1; }
  /// Tolerated excess. Outside the fluid's interior only particles count that are closer than in any regular flow.
  constexpr double excess_limit(Surrounding surrounding) const { return surrounding == k_inside ? inside() : 0.05; }

 private:
  constexpr double inside() const { return free_surface ? 0.005 : 0; }
};

/// Difference between the volume fraction phi and the density 1 + s = rho/rho0 beyond the tolerated limits:
///   max(0, d - excess_limit) + min(0, d + deficit_limit),   d = phi - 1 - s
EDDYLINE_INLINE double excess_volume_fraction(double volume_fraction, double s, double deficit_limit,
                                              double excess_limit) {
  const double excess = volume_fraction - 1 - s;
  return std::max(0.0, excess - excess_limit) + std::min(0.0, excess + deficit_limit);
}

/// Volume fraction below which fluid at a surface is loose (spray, drops and foam), relative to that of the first row
/// of a flat surface.
constexpr double k_loose = 0.875;

/// Removes a share of the positive density excess s of loose fluid, which carries no pressure: foam in a pool would
/// otherwise lift the fluid above it. Tension stays.
EDDYLINE_INLINE double unloaded(double s, double filling, double loose, double share) {
  return s - (filling < loose ? share : 0.0) * std::max(0.0, s);
}

}  // namespace eddyline::physics
