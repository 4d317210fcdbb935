#pragma once
// Particles of the fluid on a device, in the scheme delta, and the loop that writes their rows.

#include <cstdint>

#include "device/delta.hpp"
#include "device/rows.hpp"

namespace eddyline::device {

/// Arrays on the device.
template <class T, int D>
struct FluidArrays {
  std::int64_t count;
  double *mass, *s, *x[D], *v[D];
  T *a[D], *half_g[D];
  std::uint8_t *surface, *near_walls, *buffer;  // near_walls: null if there are no bodies; buffer: or no openings
  std::int32_t* slot;                           // null: the row of a particle is its number
  RowParts<T> rows;                             // of the midpoint; later, in the same memory, of the end of a step
  // Results of sweeps, in whole chunks.
  T *viscous[D], *pressure[D], *shift[D], *volume_fraction, *dissipation;

  EDDYLINE_INLINE bool in_buffer(std::int64_t i) const { return buffer != nullptr && buffer[i] != 0; }
  EDDYLINE_INLINE T* divergence() const { return pressure[0]; }
  EDDYLINE_INLINE T* diffusion() const { return pressure[1]; }
  EDDYLINE_INLINE std::int64_t row_of(std::int64_t i) const { return slot == nullptr ? i : slot[i]; }
};

template <class T, int D>
EDDYLINE_INLINE void write_midpoint_row(const FluidArrays<T, D>& fluid, const RowFactors& by, std::int64_t i) {
  const auto row = row_of<physics::delta::k_midpoint_width<D>>(fluid.rows, fluid.row_of(i));
  for (int d = 0; d < D; ++d) {
    const double v_half = fluid.v[d][i] + 0.5 * by.dt * static_cast<double>(fluid.a[d][i]);
    neighbors::PairData<T>::put_fixed(row.first + d, by.units.fixed.wrapped(fluid.x[d][i] + 0.5 * by.dt * v_half));
    row[D + d] = static_cast<T>(v_half * by.units.inverse_c0);
    row[2 * D + 2 + d] = fluid.half_g[d][i];
  }
  row[2 * D] = static_cast<T>(fluid.s[i]);
  row[2 * D + 1] = static_cast<T>(by.units.volume(fluid.mass[i], fluid.s[i]));
}

template <class T, int D>
struct WriteMidpointRows {
  FluidArrays<T, D> fluid;
  RowFactors by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const { write_midpoint_row(fluid, by, i); }
};

}  // namespace eddyline::device
