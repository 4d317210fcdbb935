#pragma once
// What both schemes write into the row of a dummy particle, from what it has summed over the fluid around it (Adami).

#include <algorithm>
#include <cstddef>

#include "base/vec.hpp"
#include "integrate/flow/schedule.hpp"
#include "integrate/flow/state.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::integrate {

/// Sums over the fluid around a block of wall particles.
template <class T, int D>
struct WallBlock {
  static constexpr std::size_t k_size = k_block * neighbors::k_chunk;
  alignas(64) T weight[k_size], pressure[k_size], density[k_size];  // density: in the scheme classic
  T lever[D][k_size], velocity[D][k_size];
};

/// Pressure of particle l of the block: sums over its weight, and what the fluid's acceleration relative to it, g in
/// units of c0^2/R, adds along the lever. Not negative where there may be a free surface.
template <class T, int D>
double extrapolated_pressure(const WallBlock<T, D>& sums, std::size_t l, const Vec3& g, bool free_surface) {
  double p = static_cast<double>(sums.pressure[l]);
  for (int d = 0; d < D; ++d) p += g[d] * static_cast<double>(sums.lever[d][l]);
  p /= static_cast<double>(sums.weight[l]);
  return free_surface ? std::max(p, 0.0) : p;
}

/// Velocities of wall particle k, number l of the block: its own, and the fluid's mirrored at it where that sticks to
/// it.
template <class T, int D>
void write_velocities(const neighbors::RowParts<T>& row, const WallState<D>& wall, std::size_t k,
                      const WallBlock<T, D>& sums, std::size_t l, double inverse_c0) {
  const double weight = static_cast<double>(sums.weight[l]);
  for (int d = 0; d < D; ++d) {
    const double v_wall = wall.velocity(k, d) * inverse_c0;
    const double mirrored = weight > 0 ? 2 * v_wall - static_cast<double>(sums.velocity[d][l]) / weight : v_wall;
    row[D + 2 + d] = static_cast<T>(wall.no_slip[k] != 0 ? mirrored : v_wall);
    row[2 * D + 2 + d] = static_cast<T>(v_wall);
  }
}

}  // namespace eddyline::integrate
