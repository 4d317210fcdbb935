#pragma once
// What both schemes write into the row of a dummy particle, from what it has summed over the fluid around it (Adami).

#include <algorithm>
#include <cstddef>

#include "base/arrays.hpp"
#include "base/vec.hpp"
#include "integrate/flow/state.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::integrate {

/// Pressure of wall particle k: sums over its weight, and what the fluid's acceleration relative to it, g in units of
/// c0^2/R, adds along the lever. Not negative where there may be a free surface.
template <int D, class T>
double extrapolated_pressure(double weight, const Array<T>& pressure, const Array<T> (&lever)[D], const Vec3& g,
                             std::size_t k, bool free_surface) {
  double p = static_cast<double>(pressure[k]);
  for (int d = 0; d < D; ++d) p += g[d] * static_cast<double>(lever[d][k]);
  p /= weight;
  return free_surface ? std::max(p, 0.0) : p;
}

/// Its velocities: its own, and the fluid's mirrored at it where that sticks to it.
template <int D, class T>
void write_velocities(const neighbors::RowParts<T>& row, const WallState<D>& wall, std::size_t k, double weight,
                      const Array<T> (&velocity)[D], double inverse_c0) {
  for (int d = 0; d < D; ++d) {
    const double v_wall = wall.v[d][k] * inverse_c0;
    const double mirrored = weight > 0 ? 2 * v_wall - static_cast<double>(velocity[d][k]) / weight : v_wall;
    row[D + 2 + d] = static_cast<T>(wall.no_slip[k] != 0 ? mirrored : v_wall);
    row[2 * D + 2 + d] = static_cast<T>(v_wall);
  }
}

}  // namespace eddyline::integrate
