#pragma once
// The loops that update particles, by the formulas of physics/.

#include <cmath>
#include <cstdint>
#include <limits>

#include "device/atomics.hpp"
#include "device/delta_fluid.hpp"
#include "device/sides.hpp"
#include "physics/delta/update.hpp"
#include "physics/sph/acoustic_damping.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::device {

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

/// Numbers that a step raises, and particles that wait for the host.
struct StepArrays {
  StepNumbers* most;
  Suspect* suspect;
  unsigned int room;         // for suspects
  const Vec3* body_corners;  // two of each body's bounding box
  const InflowPlane* inflow;
  const double* force[3] = {};  // external acceleration, if it varies
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
  if (!by.sound.holds(v2, moved2, fluid.s[i], a2) && !sound.holds(dot(v, v), moved2, fluid.s[i], a2))
    step.most->bad = 1;
  raise(&step.most->speed2, v2);
  raise(&step.most->moved2, moved2);
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
    const bool may_touch = !in_buffer && (near_bodies || may_touch_sides(x_old, x, v, v2));
    if (!may_touch && !in_buffer && by.update.dt > 0 && by.free_surface) stop_at_sides(x_old, x, v2, v);
    if (by.update.relaxation > 0) relax_density(i, in_buffer);
    if (by.free_surface && !in_buffer) {
      const double least = physics::least_density_excess(static_cast<physics::Surrounding>(fluid.surface[i]));
      fluid.s[i] = std::max(fluid.s[i], least);
    }
    if (may_touch) {
      const bool may_touch_body = by.bodies > 0 && fluid.near_walls[i] != 0;
      const unsigned int number = take_number(&step.most->suspects);
      if (number < step.room) step.suspect[number] = {i, may_touch_body ? 1 : 0, x, v, x_old, v2, a2};
      return;
    }
    if (!in_buffer && by.sides.is_outside(x)) {
      by.sides.put_back(x, v);
      take_number(&step.most->contacts);
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
      const double a = physics::delta::acceleration(per_density, pressure, by.unit, viscous,
                                                    by.force_varies ? step.force[d][i] : by.force[d]);
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
    Vec3 lowest, highest;
    for (int d = 0; d < D; ++d)
      lowest[d] = std::min(x_old[d], x[d]) - by.near_body, highest[d] = std::max(x_old[d], x[d]) + by.near_body;
    return meets_body<D>(step.body_corners, by.bodies, lowest, highest);
  }
  /// The host decides, where there are openings, whether a side has a wall there and whether fluid goes back into an
  /// inflow; and where walls have a law of friction, it slows the fluid.
  EDDYLINE_INLINE bool may_touch_sides(const Vec3& x_old, const Vec3& x, const Vec3& v, double v2) const {
    if (by.near_side > 0 && by.sides.is_beside(x, by.near_side)) return true;
    if (!by.has_openings) return false;
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
  /// Density is imposed in buffers, and stays.
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
