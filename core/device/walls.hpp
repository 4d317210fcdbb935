#pragma once
// Dummy particles on a device.

#include <cstdint>
#include <limits>

#include "device/rows.hpp"
#include "physics/walls/adami.hpp"

namespace eddyline::device {

template <class T, int D>
struct WallArrays {
  std::int64_t count;
  std::uint8_t *no_slip, *is_wet;
  std::int32_t* slot;
  RowParts<T> rows;
  bool can_move;
  T* v[D];  // velocity at the end of the step [c0], if walls can move
  T* g[D];  // null: uniform
  T uniform_g[D];
  double* turn[3];  // null: no body turns

  EDDYLINE_INLINE std::int64_t row_of(std::int64_t k) const { return slot == nullptr ? k : slot[k]; }
};

/// Sums of a dummy particle over the fluid around it.
template <class T, int D>
struct WallSum {
  T weight, pressure;
  const T *lever, *velocity;
};

/// Writes pressure and velocities of dummy particle k into its row, from its sums; returns the pressure.
template <class T, int D>
EDDYLINE_INLINE T write_extrapolated(const WallArrays<T, D>& walls, std::int64_t k, bool free_surface,
                                     const RowParts<T>& row, const WallSum<T, D>& sum) {
  T g[D], lever[D];
  for (int d = 0; d < D; ++d) {
    g[d] = !(sum.weight > T(0)) ? T(0) : walls.g[0] == nullptr ? walls.uniform_g[d] : walls.g[d][k];
    lever[d] = sum.lever[d];
  }
  const T least = free_surface ? T(0) : std::numeric_limits<T>::lowest();
  row[D] = physics::wall_pressure<D>(sum.weight, sum.pressure, g, lever, least);
  for (int d = 0; d < D; ++d) {
    const T v_wall = walls.can_move ? walls.v[d][k] : T(0);
    row[D + 2 + d] = physics::mirrored_velocity(sum.weight, sum.velocity[d], v_wall, walls.no_slip[k] != 0);
    if (walls.can_move) row[2 * D + 2 + d] = v_wall;
  }
  return row[D];
}

}  // namespace eddyline::device
