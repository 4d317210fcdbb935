#pragma once
// The loops of the scheme classic, by the formulas of physics/.

#include <cmath>
#include <cstdint>

#include "base/pack.hpp"
#include "device/atomics.hpp"
#include "device/classic.hpp"
#include "device/force_formulas.hpp"
#include "device/packed_list.hpp"
#include "device/rows.hpp"
#include "device/sides.hpp"
#include "device/walls.hpp"
#include "physics/classic/sweeps_impl.hpp"

namespace eddyline::device {

using neighbors::k_chunk;

template <class T>
using ClassicInput = WithPackedLists<physics::classic::SweepInput<T>>;

/// Arrays on the device. Rates before the last ones give way to the pair sums of the next.
template <class T, int D>
struct ClassicFluid {
  double *mass, *s, *u, *x[D], *v[D];
  T *s_rate, *u_rate, *v_rate[D], *s_rate_old, *u_rate_old, *v_rate_old[D];
  std::uint8_t *surface, *near_walls;  // near_walls: null if there are no bodies
  std::int32_t* slot;                  // null: the row of a particle is its number
  RowParts<T> rows;                    // of the midpoint
  T *drift[D], *spread, *closing;      // results of sweeps

  EDDYLINE_INLINE RowParts<T> row(std::int64_t i) const {
    return row_of<physics::classic::k_fluid_width<D>>(rows, slot == nullptr ? i : slot[i]);
  }
};

template <class T, int D>
struct WriteClassicRows {
  ClassicFluid<T, D> fluid;
  physics::classic::RowUnits units;
  physics::classic::MidpointPrediction by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    const auto row = fluid.row(i);
    const double half = 0.5 * by.dt;
    for (int d = 0; d < D; ++d) {
      const double v = fluid.v[d][i];
      neighbors::PairData<T>::put_fixed(row.first + d, units.fixed.wrapped(fluid.x[d][i] + half * v));
      const double v_middle = v + by.of(fluid.v_rate[d][i], fluid.v_rate_old[d][i]);
      row[D + d] = static_cast<T>(v_middle * units.inverse_c0);
    }
    const double s = fluid.s[i] + by.of(fluid.s_rate[i], fluid.s_rate_old[i]);
    const double heat = units.heat(fluid.u[i] + by.of(fluid.u_rate[i], fluid.u_rate_old[i]));
    row[2 * D] = static_cast<T>(fluid.mass[i] * units.inverse_mass);
    row[2 * D + 1] = static_cast<T>(1 + s);
    row[2 * D + 2] = static_cast<T>(units.state.pressure(s, heat));
    row[2 * D + 3] = static_cast<T>(units.state.sound_speed(s, heat));
  }
};

template <class T, int D, std::size_t terms>
struct SumClassicRates {
  ClassicInput<T> in;
  physics::classic::RateResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    physics::classic::rates_of<Pack<T, 1>, D, terms>(in, out, i / k_chunk, static_cast<int>(i % k_chunk));
  }
};

template <class T, int D, bool gas>
struct SumClassicReactions {
  ClassicInput<T> in;
  physics::classic::ReactionResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::classic::reaction_of<Pack<T, 1>, D, gas>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

/// Pressure, density and velocities of a dummy particle, from its sums over the fluid.
template <class T, int D>
struct ExtrapolateClassic {
  ClassicInput<T> in;
  WallArrays<T, D> walls;
  const double *share, *volume;
  WallFactors by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    T weight, pressure, sum_of_density, lever[D], velocity[D];
    physics::classic::WallResults<T, D> sums{&weight, &pressure, &sum_of_density, {}, {}};
    for (int d = 0; d < D; ++d) sums.lever[d] = lever + d, sums.velocity[d] = velocity + d;
    physics::classic::walls_of<Pack<T, 1>, D>(in, sums, k / k_chunk, static_cast<int>(k % k_chunk), 0);
    const auto row = row_of<physics::classic::k_wall_width<D>>(walls.rows, walls.row_of(k));
    const T p = write_extrapolated(walls, k, by.free_surface, row, WallSum<T, D>{weight, pressure, lever, velocity});
    physics::classic::WallDensity density{0, 0};
    if (weight > T(0)) {
      const bool gas = by.state.is_gas();
      const double mean = gas ? static_cast<double>(sum_of_density) / static_cast<double>(weight) : 1;
      const double excess = gas ? 0 : by.state.density_excess(static_cast<double>(p));
      density = physics::classic::density_at_wall(by.state, static_cast<double>(p), mean, excess);
    }
    const double rho = 1 + density.s;
    row[D + 1] = static_cast<T>(rho * share[k] * volume[k] / by.volume);
    row[3 * D + 3] = static_cast<T>(rho);
    row[3 * D + 4] = static_cast<T>(density.sound_speed);
  }
};

/// Numbers that a step raises, and particles that wait for the host.
struct EntrantArrays {
  StepNumbers* most;
  Entrant* entrant;
  const Vec3* body_corners;
};

/// Makes the destination of a particle its state.
template <class T, int D>
EDDYLINE_INLINE void commit(const ClassicFluid<T, D>& fluid, StepNumbers* most, const CorrectFactors& by,
                            std::int64_t i, const Vec3& x, const Vec3& v, double a2) {
  const double half = 0.5 * by.update.dt;
  double v2 = 0, moved2 = 0;
  for (int d = 0; d < D; ++d) {
    const double away = x[d] - (fluid.x[d][i] + half * fluid.v[d][i]);
    fluid.x[d][i] = x[d];
    fluid.v[d][i] = v[d];
    v2 += v[d] * v[d];
    moved2 += away * away;
  }
  const double sound = by.units.state.sound_speed(fluid.s[i], by.units.heat(fluid.u[i]));
  raise(&most->signal, physics::classic::signal_speed(by.update, sound, static_cast<double>(fluid.closing[i])));
  raise(&most->speed2, v2);
  raise(&most->acceleration2, a2);
  raise(&most->moved2, moved2);
  if (!by.sound.holds(v2, moved2, fluid.s[i], fluid.u[i], a2)) most->bad = 1;
}

template <class T, int D>
struct Correct {
  ClassicFluid<T, D> fluid;
  ForceFormulas formulas;
  EntrantArrays step;
  CorrectFactors by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    Vec3 x, v;
    double missed = 0, a2 = 0;
    accelerate(i, x, v, missed, a2);
    heat(i, missed);
    for (int d = 0; d < D; ++d) v[d] = by.update.keep * v[d];
    if (by.sides.is_outside(x)) {
      const Vec3 x_free = x, v_free = v;
      by.sides.put_back(x, v);
      fluid.u[i] += physics::classic::heat_of_contact(x_free, v_free, x, v, by.gravity);
      take_number(&step.most->contacts);
    } else if (by.bodies > 0 && fluid.near_walls[i] != 0 && meets_body<D>(step.body_corners, by.bodies, x, x)) {
      step.entrant[take_number(&step.most->suspects)] = {i, x, v, a2, 0};
      return;
    }
    commit(fluid, step.most, by, i, x, v, a2);
  }

 private:
  /// Computes a, and x and v at the end of the step.
  EDDYLINE_INLINE void accelerate(std::int64_t i, Vec3& x, Vec3& v, double& missed, double& a2) const {
    const double half = 0.5 * by.update.dt;
    Vec3 middle;
    for (int d = 0; d < D; ++d) middle[d] = fluid.x[d][i] + half * fluid.v[d][i];
    const Vec3 force = formulas.at<D>(by.force, middle, by.time);
    const auto row = fluid.row(i);
    for (int d = 0; d < D; ++d) {
      T &a = fluid.v_rate[d][i], &a_old = fluid.v_rate_old[d][i];
      const auto next = physics::classic::advanced(by.update, fluid.x[d][i], fluid.v[d][i], static_cast<double>(a_old),
                                                   force[d], static_cast<double>(row[D + d]));
      missed += next.missed;
      x[d] = next.x, v[d] = next.v;
      a_old = a, a = static_cast<T>(next.a);
      a2 += next.a * next.a;
      if (by.update.drift != 0) x[d] += by.update.drift * static_cast<double>(fluid.drift[d][i]);
    }
  }
  /// Computes the rates of density and heat, both at the end of the step, and the kind of the neighbourhood.
  EDDYLINE_INLINE void heat(std::int64_t i, double missed) const {
    const double density = by.update.density * static_cast<double>(fluid.s_rate_old[i]);
    const double heating = by.update.heating * static_cast<double>(fluid.u_rate_old[i]);
    fluid.s_rate_old[i] = fluid.s_rate[i], fluid.s_rate[i] = static_cast<T>(density);
    fluid.u_rate_old[i] = fluid.u_rate[i], fluid.u_rate[i] = static_cast<T>(heating);
    fluid.s[i] = fluid.s[i] + by.update.dt * density;
    fluid.u[i] = fluid.u[i] + by.update.dt * (heating - missed);
    const double spread = static_cast<double>(fluid.spread[i]);
    fluid.surface[i] = by.free_surface ? physics::classic::surrounding_of<D>(by.update, spread) : physics::k_inside;
  }
};

/// Makes the checked destinations of entrants their state.
template <class T, int D>
struct FinishEntrants {
  ClassicFluid<T, D> fluid;
  EntrantArrays step;
  CorrectFactors by;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const Entrant checked = step.entrant[k];
    fluid.u[checked.particle] += checked.heat;
    commit(fluid, step.most, by, checked.particle, checked.x, checked.v, checked.a2);
  }
};

}  // namespace eddyline::device
