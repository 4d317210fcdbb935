#pragma once
// The loops over particles of a time step: functors that are called once for each particle, row or cell, by the host or
// by a thread of a GPU. Terms of pair sums and formulas of updates are those of physics/.

#include <cmath>
#include <cstdint>
#include <limits>

#include "base/pack.hpp"
#include "device/atomics.hpp"
#include "device/cells.hpp"
#include "device/delta.hpp"
#include "device/lists.hpp"
#include "device/parameters.hpp"
#include "physics/delta/sweeps_impl.hpp"
#include "physics/delta/update.hpp"
#include "physics/sph/acoustic_damping.hpp"
#include "physics/state_equations/linear.hpp"
#include "physics/walls/adami.hpp"

namespace eddyline::device {

using neighbors::k_chunk;
using neighbors::RowParts;
using physics::delta::FluidViscosity;
using physics::delta::SweepInput;

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

/// Row `r` of some rows of a width.
template <int Width, class T>
EDDYLINE_INLINE RowParts<T> row_of(const RowParts<T>& rows, std::int64_t r) {
  return {rows.first + r * neighbors::k_first_part, rows.rest + r * neighbors::rest_of(Width)};
}

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

/// Copies rows to their images; Width: number of values that a row holds.
template <class T, int D, int Width>
struct CopyRows {
  RowParts<T> rows;
  const RowImage* images;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const RowImage image = images[k];
    const auto from = row_of<Width>(rows, image.from), to = row_of<Width>(rows, image.to);
    for (int c = 0; c < neighbors::k_first_part; ++c) to.first[c] = from.first[c];
    for (int c = 0; c < neighbors::rest_of(Width); ++c) to.rest[c] = from.rest[c];
    for (int d = 0; d < D; ++d) {
      const auto x = static_cast<std::uint32_t>(neighbors::PairData<T>::get_fixed(from.first + d));
      neighbors::PairData<T>::put_fixed(to.first + d,
                                        static_cast<std::int32_t>(x + static_cast<std::uint32_t>(image.shift[d])));
    }
  }
};

// --- drift, see neighbors::DriftBound -------------------------------------------------------------------------------

template <int D>
struct DriftArrays {
  CellArrays cells;
  CellRanges fluid, walls;
  const GhostCell* ghosts;
  float *lower[D], *upper[D];   // of the displacements in each cell
  const std::int32_t* from[D];  // places of rows at the last rebuild [quanta]
  const float* walls_moved[D];
};

/// Range of the displacements of the particles in a cell; images have none of their own.
template <class T, int D>
struct MeasureCell {
  DriftArrays<D> drift;
  RowParts<T> rows;
  float remaining, share;
  bool walls_move;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    constexpr float k_none = std::numeric_limits<float>::infinity();
    const particles::RowRange fluid = drift.fluid.real_rows(static_cast<std::int32_t>(k)),
                              walls = drift.walls.real_rows(static_cast<std::int32_t>(k));
    for (int d = 0; d < D; ++d) {
      float lower = k_none, upper = -k_none;
      if (!walls_move) {
        if (walls.end > walls.begin) lower = upper = 0;
      } else {
        for (std::int32_t r = walls.begin; r < walls.end; ++r)
          lower = std::min(lower, drift.walls_moved[d][r]), upper = std::max(upper, drift.walls_moved[d][r]);
        lower = share * lower, upper = share * upper;
      }
      for (std::int32_t r = fluid.begin; r < fluid.end; ++r) {
        const T* row = rows.first + std::int64_t{r} * neighbors::k_first_part;
        const typename neighbors::PredictedPath<T>::Axis axis{row + d, row + D + d, remaining};
        const float by = axis.displacement(0, drift.from[d][r]);
        lower = std::min(lower, by), upper = std::max(upper, by);
      }
      drift.lower[d][k] = lower, drift.upper[d][k] = upper;
    }
  }
};

template <int D>
struct CopyCell {
  DriftArrays<D> drift;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const GhostCell& ghost = drift.ghosts[k];
    for (int d = 0; d < D; ++d) {
      drift.lower[d][ghost.to_cell] = drift.lower[d][ghost.from_cell];
      drift.upper[d][ghost.to_cell] = drift.upper[d][ghost.from_cell];
    }
  }
};

/// Bits of the maxima of DriftBound::largest().
struct DriftMaxima {
  unsigned int approach2 = 0, moved2 = 0, closing = 0;
};

/// Bounds the drift between a cell and those around it.
template <int D>
struct BoundDrift {
  DriftArrays<D> drift;
  DriftMaxima* most;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    constexpr float k_none = std::numeric_limits<float>::infinity();
    const auto i = static_cast<std::int32_t>(k);
    if (!drift.cells.is_computed(i)) return;
    float approach2 = 0, from_below[D], from_above[D];
    for (int d = 0; d < D; ++d) from_below[d] = -k_none, from_above[d] = k_none;
    int line = 0;
    for_each_line_around<D>(drift.cells, i, [&](std::int32_t first) {
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        const std::int32_t j = first + 1 + dx;
        const std::int32_t side[3] = {dx, line % 3 - 1, line / 3 - 1};
        float apart2 = 0;
        for (int d = 0; d < D; ++d) {
          const float above = drift.upper[d][i] - drift.lower[d][j], below = drift.upper[d][j] - drift.lower[d][i];
          const float apart = std::max(above, below);
          apart2 += apart * apart;
        }
        approach2 = std::max(approach2, drift.lower[0][j] <= drift.upper[0][j] ? apart2 : 0);
        for (int d = 0; d < D; ++d) {
          if (side[d] < 0) from_below[d] = std::max(from_below[d], drift.upper[d][j]);
          if (side[d] > 0) from_above[d] = std::min(from_above[d], drift.lower[d][j]);
        }
      }
      ++line;
    });
    float far2 = 0, closing = 0;
    for (int d = 0; d < D; ++d) {
      closing = std::max(closing, from_below[d] - from_above[d]);
      const float far = std::max(drift.upper[d][i], -drift.lower[d][i]);
      far2 += far * far;
    }
    raise(&most->closing, closing);
    if (!(drift.lower[0][i] <= drift.upper[0][i])) return;
    raise(&most->approach2, approach2);
    raise(&most->moved2, far2);
  }
};

// --- pair sums ------------------------------------------------------------------------------------------------------

template <class T, int D, FluidViscosity viscosity>
struct SumRates {
  SweepInput<T> in;
  physics::delta::RateResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    physics::delta::rates_of<Pack<T, 1>, D, viscosity>(in, out, i / k_chunk, static_cast<int>(i % k_chunk));
  }
};

template <class T, int D, bool free_surface>
struct SumForces {
  SweepInput<T> in;
  physics::delta::ForceResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    physics::delta::forces_of<Pack<T, 1>, D, free_surface>(in, out, i / k_chunk, static_cast<int>(i % k_chunk));
  }
};

template <class T, int D, bool confined>
struct SumViscousReactions {
  SweepInput<T> in;
  physics::delta::ReactionResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::delta::viscous_reaction_of<Pack<T, 1>, D, confined>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

template <class T, int D>
struct SumPressureReactions {
  SweepInput<T> in;
  physics::delta::ReactionResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::delta::pressure_reaction_of<Pack<T, 1>, D>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

// --- walls ----------------------------------------------------------------------------------------------------------

/// Pressure and velocities of a dummy particle, from its sums over the fluid.
template <class T, int D>
struct ExtrapolateToWalls {
  SweepInput<T> in;
  WallArrays<T, D> walls;
  bool free_surface;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    T weight, pressure, lever[D], velocity[D];
    physics::delta::WallResults<T, D> sums{&weight, &pressure, {}, {}};
    for (int d = 0; d < D; ++d) sums.lever[d] = lever + d, sums.velocity[d] = velocity + d;
    physics::delta::walls_of<Pack<T, 1>, D>(in, sums, k / k_chunk, static_cast<int>(k % k_chunk), 0);
    const bool is_wet = weight > T(0);
    T g[D];
    for (int d = 0; d < D; ++d) g[d] = !is_wet ? T(0) : walls.g[0] == nullptr ? walls.uniform_g[d] : walls.g[d][k];
    if (is_wet && walls.turn[0] != nullptr) {
      const Vec3 turn{walls.turn[0][k], walls.turn[1][k], walls.turn[2][k]};
      if (turn.x != 0 || turn.y != 0 || turn.z != 0) physics::turn_velocity<D>(turn, weight, pressure, lever, velocity);
    }
    const T least = free_surface ? T(0) : std::numeric_limits<T>::lowest();
    const auto row = row_of<physics::delta::k_wall_width<D>>(walls.rows, walls.row_of(k));
    walls.is_wet[k] = is_wet ? 1 : 0;
    row[D] = physics::wall_pressure<D>(weight, pressure, g, lever, least);
    for (int d = 0; d < D; ++d) {
      const T v_wall = walls.can_move ? walls.v[d][k] : T(0);
      row[D + 2 + d] = physics::mirrored_velocity(weight, velocity[d], v_wall, walls.no_slip[k] != 0);
      if (walls.can_move) row[2 * D + 2 + d] = v_wall;
    }
  }
};

template <class T, int D>
struct MovedArrays {
  const std::int32_t* moving;
  const std::int32_t* x[D];
  const T *V, *v[D];
};

/// Sets places of moving dummy particles; at the midpoint mirrored velocities change with those of the body.
template <class T, int D, bool at_midpoint>
struct MoveWalls {
  WallArrays<T, D> walls;
  MovedArrays<T, D> moved;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const auto row = row_of<physics::delta::k_wall_width<D>>(walls.rows, walls.row_of(moved.moving[m]));
    row[D + 1] = moved.V[m];
    for (int d = 0; d < D; ++d) {
      neighbors::PairData<T>::put_fixed(row.first + d, moved.x[d][m]);
      if (!at_midpoint) continue;
      row[D + 2 + d] += moved.v[d][m] - row[2 * D + 2 + d];
      row[2 * D + 2 + d] = moved.v[d][m];
    }
  }
};

// --- updates --------------------------------------------------------------------------------------------------------

template <class T, int D>
struct KickAndDrift {
  FluidArrays<T, D> fluid;
  DriftFactors by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    const double divergence = static_cast<double>(fluid.divergence()[i]);
    const double s = physics::delta::advanced_density(fluid.s[i], divergence, static_cast<double>(fluid.diffusion()[i]),
                                                      by.density, by.diffusion);
    fluid.s[i] = s;
    const auto row = row_of<physics::delta::k_midpoint_width<D>>(fluid.rows, fluid.row_of(i));
    for (int d = 0; d < D; ++d) {
      const double x = fluid.x[d][i], v = fluid.v[d][i] + 0.5 * by.dt * static_cast<double>(fluid.a[d][i]);
      const T v_row = static_cast<T>(v * by.units.inverse_c0);
      neighbors::PairData<T>::put_fixed(
          row.first + d,
          physics::delta::second_half(by.units.fixed, by.distance, by.units.fixed.wrapped(x + 0.5 * by.dt * v), v_row));
      row.first[D + 2 + d] = v_row;
      fluid.v[d][i] = v;
      fluid.x[d][i] = x + by.dt * v;
    }
    const double alpha =
        by.damping_everywhere + by.damping_below * static_cast<double>(fluid.surface[i] == physics::k_deep);
    const double sound = physics::acoustic_damping(alpha, by.h_c, by.to_divergence * divergence);
    row.first[D] = static_cast<T>(physics::StateEquationLinear::pressure(s) + sound);
    row.first[D + 1] = static_cast<T>(by.units.volume(fluid.mass[i], s));
  }
};

/// Maxima and particles that wait for the host.
struct StepArrays {
  unsigned long long *speed2, *corrected2;
  unsigned int *bad, *contacts, *suspects;
  Suspect* suspect;
  const Vec3* body_corners;  // two of each body's bounding box
  const InflowPlane* inflow;
};

/// Makes the destination the state of a particle.
template <class T, int D>
EDDYLINE_INLINE void commit(const FluidArrays<T, D>& fluid, const StepArrays& step, const ShiftFactors& by,
                            const RowFactors& next, std::int64_t i, const Vec3& x, const Vec3& v, double v2,
                            double a2) {
  double moved2 = 0;
  for (int d = 0; d < D; ++d) {
    const double moved = x[d] - fluid.x[d][i];
    moved2 += moved * moved;
    fluid.x[d][i] = x[d];
    fluid.v[d][i] = v[d];
  }
  // A particle that was too fast before a wall stopped it is not bad, nor is one in a buffer, whose velocity is
  // imposed.
  physics::delta::Soundness sound = by.sound;
  if (fluid.in_buffer(i)) sound.speed_limit2 = std::numeric_limits<double>::infinity();
  if (!by.sound.holds(v2, moved2, fluid.s[i], a2) && !sound.holds(dot(v, v), moved2, fluid.s[i], a2)) *step.bad = 1;
  raise(step.speed2, v2);
  raise(step.corrected2, moved2);
  write_midpoint_row(fluid, next, i);
}

template <class T, int D>
struct KickAndShift {
  FluidArrays<T, D> fluid;
  StepArrays step;
  ShiftFactors by;
  RowFactors next;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    Vec3 x_old, x, v;
    double v2 = 0, a2 = 0;
    accelerate(i, v, v2, a2);
    shift(i, v2, x_old, x);
    const bool in_buffer = fluid.in_buffer(i), near_bodies = may_touch_bodies(i, x_old, x);
    const bool may_touch = !in_buffer && (near_bodies || (by.has_openings && may_touch_sides(x_old, x, v, v2)));
    if (!may_touch && !in_buffer && by.update.dt > 0 && by.free_surface) stop_at_sides(x_old, x, v2, v);
    if (by.update.relaxation > 0) relax_density(i, in_buffer);
    if (by.free_surface && !in_buffer) {
      const double least = physics::least_density_excess(static_cast<physics::Surrounding>(fluid.surface[i]));
      fluid.s[i] = std::max(fluid.s[i], least);
    }
    if (may_touch) {
      const bool may_touch_body = by.bodies > 0 && fluid.near_walls[i] != 0;
      step.suspect[take_number(step.suspects)] = {i, may_touch_body ? 1 : 0, x, v, x_old, v2, a2};
      return;
    }
    if (!in_buffer && by.sides.is_outside(x)) {
      by.sides.put_back(x, v);
      take_number(step.contacts);
    }
    commit(fluid, step, by, next, i, x, v, v2, a2);
  }

 private:
  /// Computes a = pressure + viscosity + force;  v += a dt/2;  G/2.
  EDDYLINE_INLINE void accelerate(std::int64_t i, Vec3& v, double& v2, double& a2) const {
    const double per_density = by.unit / (1 + fluid.s[i]), half = 0.5 * by.update.dt;
    for (int d = 0; d < D; ++d) {
      const double pressure = static_cast<double>(fluid.pressure[d][i]);
      const double viscous = static_cast<double>(fluid.viscous[d][i]);
      const double a = physics::delta::acceleration(per_density, pressure, by.unit, viscous, by.force[d]);
      v[d] = (fluid.v[d][i] + half * a) * by.update.keep;
      fluid.a[d][i] = static_cast<T>(a);
      fluid.half_g[d][i] = static_cast<T>(by.to_half_g * pressure);
      a2 += a * a;
      v2 += v[d] * v[d];
    }
  }
  /// Computes x += shift, and w, which confined flows pack with G/2.
  EDDYLINE_INLINE void shift(std::int64_t i, double v2, Vec3& x_old, Vec3& x) const {
    double wanted = by.update.confined_shift;
    if (by.free_surface) {
      const bool inside = physics::is_inside(static_cast<physics::Surrounding>(fluid.surface[i]));
      const double sheared2 = inside ? by.update.sheared2 : 0.0;
      wanted = by.update.strength * std::sqrt(v2 + sheared2 * static_cast<double>(fluid.dissipation[i]));
    }
    double squares = 0;
    for (int d = 0; d < D; ++d)
      squares += static_cast<double>(fluid.shift[d][i]) * static_cast<double>(fluid.shift[d][i]);
    const double factor = physics::delta::shift_factor(wanted, squares, by.update.cap);
    for (int d = 0; d < D; ++d) {
      const double moved = static_cast<double>(fluid.shift[d][i]);
      x_old[d] = fluid.x[d][i];
      x[d] = x_old[d] + factor * moved;
      if (by.confined) fluid.half_g[d][i] = pack_halves(fluid.half_g[d][i], static_cast<T>(by.to_w * factor * moved));
    }
  }
  EDDYLINE_INLINE bool may_touch_bodies(std::int64_t i, const Vec3& x_old, const Vec3& x) const {
    if (by.bodies == 0 || fluid.near_walls[i] == 0) return false;
    for (std::int32_t b = 0; b < by.bodies; ++b) {
      const Vec3 lowest = step.body_corners[2 * b], highest = step.body_corners[2 * b + 1];
      bool apart = false;
      for (int d = 0; d < D; ++d)
        apart |= (std::max(x_old[d], x[d]) + by.beside_wall < lowest[d]) |
                 (std::min(x_old[d], x[d]) - by.beside_wall > highest[d]);
      if (!apart) return true;
    }
    return false;
  }
  /// The host decides with openings whether there is a wall at a side, and whether fluid goes back into an inflow.
  EDDYLINE_INLINE bool may_touch_sides(const Vec3& x_old, const Vec3& x, const Vec3& v, double v2) const {
    bool beyond = by.sides.is_outside(x);
    for (std::int32_t k = 0; k < by.inflows; ++k) {
      const InflowPlane& inflow = step.inflow[k];
      beyond = beyond || inflow.inward * (inflow.plane - x[inflow.axis]) > inflow.allowed_depth;
    }
    return beyond || (by.update.dt > 0 && by.free_surface && is_taken_back(x_old, x, v, v2) &&
                      by.sides.is_beside(x_old, by.beside_wall));
  }
  EDDYLINE_INLINE bool is_taken_back(const Vec3& x_old, const Vec3& x, const Vec3& v, double v2) const {
    double taken_back = 0;
    for (int d = 0; d < D; ++d) taken_back += (x_old[d] - x[d]) * v[d];
    return taken_back > physics::delta::k_taken_back * by.update.dt * v2;
  }
  EDDYLINE_INLINE void stop_at_sides(const Vec3& x_old, const Vec3& x, double v2, Vec3& v) const {
    if (!is_taken_back(x_old, x, v, v2)) return;
    if (!by.sides.is_beside(x_old, by.beside_wall)) return;
    Vec3 shift;
    for (int d = 0; d < D; ++d) shift[d] = x[d] - x_old[d];
    v = physics::delta::stopped_velocity(v, shift, Vec3{}, by.update.dt);
  }
  /// Density is imposed in buffers.
  EDDYLINE_INLINE void relax_density(std::int64_t i, bool in_buffer) const {
    const auto surrounding = static_cast<physics::Surrounding>(fluid.surface[i]);
    const double fraction =
        physics::delta::volume_fraction_of(by.to_volume_fraction, static_cast<double>(fluid.volume_fraction[i]),
                                           fluid.mass[i] * by.inverse_mass) -
        by.volume_fraction_offset;
    if (!in_buffer)
      fluid.s[i] = physics::delta::relaxed_density(
          by.density, fraction, fluid.s[i], by.density.tolerance.deficit_limit(surrounding),
          by.density.tolerance.excess_limit(surrounding), by.density.unloading_of(surrounding));
    if (by.free_surface && surrounding == physics::k_inside && physics::is_deep(fraction))
      fluid.surface[i] = physics::k_deep;
  }
};

/// Makes the checked destinations of suspects their state.
template <class T, int D>
struct FinishSuspects {
  FluidArrays<T, D> fluid;
  StepArrays step;
  ShiftFactors by;
  RowFactors next;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const Suspect checked = step.suspect[k];
    commit(fluid, step, by, next, checked.particle, checked.x, checked.v, checked.v2, checked.a2);
  }
};

}  // namespace eddyline::device
