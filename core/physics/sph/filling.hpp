#pragma once

#include <algorithm>

#include "physics/pair.hpp"
#include "physics/sph/free_surface.hpp"

namespace eddyline::physics {

/// How densely particles fill space, whatever density they carry:
///   filling_i = sum_j (m_j / rho0) W_ij
/// Adds V_j (1 + s_j) W without the kernel's constant; the particle itself is left to the caller.
template <class S>
EDDYLINE_INLINE void filling(S& sum, S volume_j, S s_j, S W) {
  sum = fma(fma(volume_j, s_j, volume_j), W, sum);
}

/// Whether fluid is all around a particle, in a flow with a free surface. What changes its volume there is sound, above
/// it spray. The second row of a lattice below its surface fills 0.93 in 2D and 0.984 in 3D, the third 0.9955 and 1.
inline bool is_deep(double filling) { return filling > 0.985; }

/// By how much the filling may be less or more than the density that a particle carries before that is drawn to it.
struct FillingTolerance {
  bool free_surface;

  /// At a free surface the sum misses what is not there: nothing there tells that particles have come apart. Inside,
  /// two rows below the surface of a lattice, it still misses 0.0045.
  constexpr double apart(Surrounding surrounding) const { return is_inside(surrounding) ? inside() : 1; }
  /// Elsewhere only those count that have come together more closely than any flow asks for.
  constexpr double crowded(Surrounding surrounding) const { return surrounding == k_inside ? inside() : 0.05; }

 private:
  constexpr double inside() const { return free_surface ? 0.005 : 0; }
};

/// What density is drawn by.
inline double excess_of_filling(double filling, double s, double apart, double crowded) {
  const double excess = filling - 1 - s;
  return std::max(0.0, excess - crowded) + std::min(0.0, excess + apart);
}

/// Fluid at a surface is loose where it fills less than this share of what the first row of a flat surface does: in
/// spray, in drops and in what is left of them.
constexpr double k_loose = 0.875;

/// Loose fluid carries no pressure, whatever pressed it together before: in a pool it would lift what lies on it.
/// By a share of its density excess s; fluid under tension keeps it.
inline double unloaded(double s, double filling, double loose, double share) {
  return s - (filling < loose ? share : 0.0) * std::max(0.0, s);
}

}  // namespace eddyline::physics
