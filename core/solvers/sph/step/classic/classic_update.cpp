#include "solvers/sph/step/classic/classic_update.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/portable_math.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/sph/free_surface.hpp"
#include "solvers/sph/step/clearance.hpp"
#include "solvers/sph/step/row_columns.hpp"

namespace eddyline::sph {

namespace {

/// Computes dimensionless pressures and speeds of sound from density excess and thermal energy [m^2/s^2].
void apply(const physics::classic::RowUnits& units, const SpanValues& s, const SpanValues& u, std::size_t n,
           SpanValues& p, SpanValues& sound_speed) {
  const auto each = [&](const physics::StateEquation& state) {
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const double heat = units.heat(u[l]);
      p[l] = state.pressure(s[l], heat);
      sound_speed[l] = state.sound_speed(s[l], heat);
    }
  };
  using Kind = physics::StateEquation::Kind;
  switch (units.state.kind) {  // a constant in each loop, so that the compiler removes branches
    case Kind::linear: each({.kind = Kind::linear}); break;
    case Kind::tait: each({.kind = Kind::tait}); break;
    case Kind::ideal_gas: each({.kind = Kind::ideal_gas, .gamma = units.state.gamma}); break;
  }
}

}  // namespace

template <class T, int D>
physics::classic::RowUnits ClassicUpdate<T, D>::row_units() const {
  const auto& c = state_.constants;
  return {c.fixed, c.inverse_c0, c.inverse_mass, c.state};
}

template <class T, int D>
physics::classic::UpdateFactors ClassicUpdate<T, D>::factors(double dt, double damping) const {
  const auto& c = state_.constants;
  const auto& method = state_.world.method;
  const double per_time = c.rate * c.kernel;
  return {.dt = dt,
          .keep = damping > 0 ? portable::exp(-damping * dt) : 1.0,
          .c0 = c.c0,
          .acceleration = c.rate * c.kernel * c.c0,
          .density = -per_time,
          .heating = -(per_time * c.c0 * c.c0),
          .drift = method.xsph > 0 ? dt * (-method.xsph * c.c0 * c.kernel / 4) : 0.0,  // W of w: a quarter of K
          .kernel = c.kernel,
          .alpha = method.artificial_viscosity,
          .beta = method.artificial_viscosity_beta};
}

template <class T, int D>
physics::classic::Soundness ClassicUpdate<T, D>::soundness() const {
  const auto& c = state_.constants;
  return {c.speed_limit * c.speed_limit, 4 * c.length.cell_edge * c.length.cell_edge, c.thinnest, c.densest};
}

template <class T, int D>
void ClassicUpdate<T, D>::write_rows(const ParticleSpan& span, const Destination& at) {
  const std::size_t n = span.count;
  const auto& c = state_.constants;
  const FixedPoint fixed = c.fixed;
  const double inverse_c0 = c.inverse_c0, inverse_mass = c.inverse_mass;
  RowColumns<T, D, physics::classic::k_fluid_width<D>> columns;  // x v m rho p c
  for (int d = 0; d < D; ++d) {
    const double *x = at.x[d].value, *v = at.v[d].value;
    auto& x_row = columns.x[d];
    T(&v_row)[k_span] = columns.value[d];
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      x_row[l] = fixed.wrapped(x[l]);
      v_row[l] = static_cast<T>(v[l] * inverse_c0);
    }
  }
  SpanValues p, sound_speed;
  apply(row_units(), at.s, at.u, n, p, sound_speed);
  const double* mass = state_.fluid.mass.data() + span.first;
  T(&m_row)[k_span] = columns.value[D], (&rho_row)[k_span] = columns.value[D + 1];
  T(&p_row)[k_span] = columns.value[D + 2], (&c_row)[k_span] = columns.value[D + 3];
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    m_row[l] = static_cast<T>(mass[l] * inverse_mass);
    rho_row[l] = static_cast<T>(1 + at.s[l]);
    p_row[l] = static_cast<T>(p[l]);
    c_row[l] = static_cast<T>(sound_speed[l]);
  }
  columns.write_to(scratch_.end_rows, domain_.fluid_rows, span);
}

template <class T, int D>
void ClassicUpdate<T, D>::write_state() {
  for_each_span(domain_.fluid_after(domain_.lazy.passes()), [&](const ParticleSpan& span) {
    const auto& fluid = state_.fluid;
    Destination at;
    for (int d = 0; d < D; ++d) {
      std::copy_n(fluid.x[d] + span.first, span.count, at.x[d].value);
      std::copy_n(fluid.v[d] + span.first, span.count, at.v[d].value);
    }
    std::copy_n(fluid.s.data() + span.first, span.count, at.s.value);
    std::copy_n(fluid.classic->u.data() + span.first, span.count, at.u.value);
    write_rows(span, at);
  });
}

template <class T, int D>
void ClassicUpdate<T, D>::write_midpoint_rows(const MidpointPrediction& prediction) {
  const double half = 0.5 * prediction.dt;
  for_each_span(domain_.fluid_after(0), [&](const ParticleSpan& span) {
    const std::size_t first = span.first, n = span.count;
    const auto& fluid = state_.fluid;
    Destination at;
    for (int d = 0; d < D; ++d) {
      const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
      const T *a = fluid.classic->v_rate[d] + first, *a_old = fluid.classic->v_rate_old[d] + first;
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l) {
        at.x[d][l] = x[l] + half * v[l];
        at.v[d][l] = v[l] + prediction.of(a[l], a_old[l]);
      }
    }
    const auto predict = [&](const Array<double>& y, const Array<T>& rate, const Array<T>& rate_old,
                             SpanValues& middle) {
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l)
        middle[l] = y[first + l] + prediction.of(rate[first + l], rate_old[first + l]);
    };
    predict(fluid.s, fluid.classic->s_rate, fluid.classic->s_rate_old, at.s);
    predict(fluid.classic->u, fluid.classic->u_rate, fluid.classic->u_rate_old, at.u);
    write_rows(span, at);
  });
}

template <class T, int D>
void ClassicUpdate<T, D>::correct(const MidpointPrediction& prediction, double damping) {
  const std::int64_t n = domain_.fluid_after(domain_.lazy.passes()), owned = domain_.fluid_rows.owned();
  const physics::classic::UpdateFactors by = factors(prediction.dt, damping);
  Largest largest;
#pragma omp parallel
  {
    Largest own;
    Destination to;
#pragma omp for schedule(static) nowait
    for (std::int64_t first = 0; first < n; first += k_span) {
      const ParticleSpan span{static_cast<std::size_t>(first), static_cast<std::size_t>(std::min(k_span, n - first))};
      const auto counted =
          static_cast<std::size_t>(std::clamp<std::int64_t>(owned - first, 0, static_cast<std::int64_t>(span.count)));
      accelerate(span, by, to);
      heat(span, by, to);
      for (int d = 0; d < D; ++d)
        for (std::size_t l = 0; l < span.count; ++l) to.v[d][l] = by.keep * to.v[d][l];
      apply_contact(span, counted, to, own);
      commit(span, counted, by, to, own);
    }
#pragma omp critical(classic_extremes)
    {
      largest.signal = std::max(largest.signal, own.signal);
      largest.speed = std::max(largest.speed, own.speed);
      largest.acceleration = std::max(largest.acceleration, own.acceleration);
      largest.from_midpoint = std::max(largest.from_midpoint, own.from_midpoint);
      largest.bad += own.bad;
      largest.contacts += own.contacts;
    }
  }
  state_.contacts += largest.contacts;
  state_.control.latest = {.speed = std::sqrt(largest.speed),
                           .bad = largest.bad > 0,
                           .from_midpoint = std::sqrt(largest.from_midpoint),
                           .signal = largest.signal,
                           .acceleration = std::sqrt(largest.acceleration)};
}

/// Computes a, and v and x at the end of the step, and the part of the pairs' work that is missing.
template <class T, int D>
void ClassicUpdate<T, D>::accelerate(const ParticleSpan& span, const physics::classic::UpdateFactors& by,
                                     Destination& to) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
  const double half = 0.5 * by.dt;
  SpanValues g[D];
  const auto middle = [&](std::size_t l) {
    return vector_of(fluid.x, first + l) + half * vector_of(fluid.v, first + l);
  };
  forcing_.forces(n, state_.time + half, middle, g);
  std::fill_n(to.missed.value, n, 0.0);
  std::fill_n(to.a2.value, n, 0.0);
  T predicted[k_columns_at_once][k_span];  // velocities over c0, as pair sums have used them
  read_columns(scratch_.end_rows, D, domain_.fluid_rows, span, predicted);
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
    const T* v_seen = predicted[d];
    T *a = fluid.classic->v_rate[d] + first, *a_old = fluid.classic->v_rate_old[d] + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const auto next = physics::classic::advanced(by, x[l], v[l], static_cast<double>(a_old[l]), g[d][l],
                                                   static_cast<double>(v_seen[l]));
      to.missed[l] += next.missed;
      to.v[d][l] = next.v;
      to.x[d][l] = next.x;
      a_old[l] = a[l];
      a[l] = static_cast<T>(next.a);
      to.a2[l] += next.a * next.a;
    }
    if (by.drift == 0) continue;
    const T* moved = scratch_.classic.drift(d) + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) to.x[d][l] += by.drift * static_cast<double>(moved[l]);
  }
}

/// Computes the rates of density and heat, density and heat at the end of the step before contact, and which particles
/// are at the surface.
template <class T, int D>
void ClassicUpdate<T, D>::heat(const ParticleSpan& span, const physics::classic::UpdateFactors& by, Destination& to) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
  const double dt = by.dt;
  T *s_rate = fluid.classic->s_rate.data() + first, *s_rate_old = fluid.classic->s_rate_old.data() + first;
  T *u_rate = fluid.classic->u_rate.data() + first, *u_rate_old = fluid.classic->u_rate_old.data() + first;
  const double *s = fluid.s.data() + first, *u = fluid.classic->u.data() + first;
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    const double rate = by.density * static_cast<double>(s_rate_old[l]);
    s_rate_old[l] = s_rate[l];
    s_rate[l] = static_cast<T>(rate);
    to.s[l] = s[l] + dt * rate;
  }
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    const double rate = by.heating * static_cast<double>(u_rate_old[l]);
    u_rate_old[l] = u_rate[l];
    u_rate[l] = static_cast<T>(rate);
    to.u[l] = u[l] + dt * (rate - to.missed[l]);
  }
  const T* spread = scratch_.classic.spread() + first;
  auto* surface = state_.fluid.surface.data() + first;
  if (!state_.constants.free_surface) {
    std::fill_n(surface, n, std::uint8_t{0});
    return;
  }
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l)
    surface[l] = physics::classic::surrounding_of<D>(by, static_cast<double>(spread[l]));
}

/// Puts particles that have entered a wall back on its surface; the energy that they lose becomes heat.
template <class T, int D>
void ClassicUpdate<T, D>::apply_contact(const ParticleSpan& span, std::size_t counted, Destination& to,
                                        Largest& largest) {
  if (is_clear(lists_, contact_, span, to.x)) return;
  const Vec3 gravity = state_.world.gravity;
  for (std::size_t l = 0; l < span.count; ++l) {
    if (state_.fluid.buffer[span.first + l] != 0) continue;
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = to.x[d][l], v[d] = to.v[d][l];
    const Vec3 x_free = x, v_free = v;
    const bool near_walls = lists_.is_near_walls(span.first + l);
    if (!contact_.with_sides(x, v) && !contact_.with_inflows(x, v) && !(near_walls && contact_.with_bodies(x, v)))
      continue;
    for (int d = 0; d < D; ++d) to.x[d][l] = x[d], to.v[d][l] = v[d];
    to.u[l] += physics::classic::heat_of_contact(x_free, v_free, x, v, gravity);
    largest.contacts += l < counted ? 1 : 0;
  }
}

/// Makes the destinations the state. Its extremes include the first `counted` particles.
template <class T, int D>
void ClassicUpdate<T, D>::commit(const ParticleSpan& span, std::size_t counted,
                                 const physics::classic::UpdateFactors& by, const Destination& to, Largest& largest) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
  const double half = 0.5 * by.dt;
  SpanValues v2, moved2;
  std::fill_n(v2.value, n, 0.0);
  std::fill_n(moved2.value, n, 0.0);
  for (int d = 0; d < D; ++d) {
    double *x = fluid.x[d] + first, *v = fluid.v[d] + first, *v_squared = v2.value, *moved_squared = moved2.value;
    const double *to_x = to.x[d].value, *to_v = to.v[d].value;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const double away = to_x[l] - (x[l] + half * v[l]);
      x[l] = to_x[l];
      v[l] = to_v[l];
      v_squared[l] += to_v[l] * to_v[l];
      moved_squared[l] += away * away;
    }
  }
  std::copy_n(to.s.value, n, fluid.s.data() + first);
  std::copy_n(to.u.value, n, fluid.classic->u.data() + first);

  SpanValues p, sound_speed;
  apply(row_units(), to.s, to.u, counted, p, sound_speed);
  const T* closing = scratch_.classic.closing() + first;
  double signal = largest.signal, speed2 = largest.speed, acceleration2 = largest.acceleration,
         farthest2 = largest.from_midpoint;
  std::int64_t bad = 0;
#pragma omp simd reduction(max : signal, speed2, acceleration2, farthest2)
  for (std::size_t l = 0; l < counted; ++l) {
    signal = std::max(signal, physics::classic::signal_speed(by, sound_speed[l], static_cast<double>(closing[l])));
    speed2 = std::max(speed2, v2[l]);
    acceleration2 = std::max(acceleration2, to.a2[l]);
    farthest2 = std::max(farthest2, moved2[l]);
  }
  const physics::classic::Soundness sound = soundness();
#pragma omp simd reduction(+ : bad)
  for (std::size_t l = 0; l < counted; ++l) bad += sound.holds(v2[l], moved2[l], to.s[l], to.u[l], to.a2[l]) ? 0 : 1;
  largest.signal = signal, largest.speed = speed2, largest.acceleration = acceleration2,
  largest.from_midpoint = farthest2;
  largest.bad += bad;
}

template class ClassicUpdate<float, 2>;
template class ClassicUpdate<float, 3>;
template class ClassicUpdate<double, 2>;
template class ClassicUpdate<double, 3>;

}  // namespace eddyline::sph
