#include "solvers/sph/particle_update.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/portable_math.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"
#include "physics/delta/update.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/sph/tension.hpp"
#include "physics/sph/volume_fraction.hpp"
#include "solvers/sph/clearance.hpp"

namespace eddyline::sph {

namespace {

constexpr double k_sound_ratio = 10;  // the speed of sound over the highest speed that a world expects
// The speed of shifting with a free surface has, besides a particle's own speed, this factor times h and the shear
// rate.
constexpr double k_of_shear = 3;
// Rate at which loose fluid loses its pressure, relative to volume_relaxation.
constexpr double k_unloading = 10;
constexpr int k_rates = 1;  // passes over pairs up to the rates, see DeferredExchange

/// The volume fraction at a particle, from the sum over its neighbours and its own contribution.
double volume_fraction_of(const Constants& c, double neighbors, double mass) {
  return physics::delta::volume_fraction_of(c.to_volume_fraction, neighbors, mass * c.inverse_mass);
}

}  // namespace

template <class T, int D>
void ParticleUpdate<T, D>::write_midpoint_rows(double dt) {
  for_each_span(flow_.fluid_after(0), [&](const ParticleSpan& span) { rows_.write_midpoint_rows(span, dt); });
}

template <class T, int D>
void ParticleUpdate<T, D>::write_state(int passes) {
  for_each_span(flow_.fluid_after(passes), [&](const ParticleSpan& span) { rows_.write_state(span); });
}

template <class T, int D>
void ParticleUpdate<T, D>::write_end_ghosts() {
  if (!flow_.lazy.exchanges() || !flow_.openings.empty()) return;
  flow_.fluid_halo.for_each_received(
      [&](std::int32_t first, std::int32_t count) { rows_.write_end_ghosts(first, count, flow_.time_step); });
}

template <class T, int D>
void ParticleUpdate<T, D>::half_kick_and_drift(std::span<const Block> blocks) {
  const auto& c = flow_.constants();
  const double dt = flow_.time_step, factor = dt * c.rate * c.kernel, delta = flow_.world().method.density_diffusion;
  for_each_span(blocks, flow_.fluid_after(k_rates), [&](const ParticleSpan& span) {
    const std::size_t first = span.first, n = span.count;
    double* s = flow_.fluid.s.data() + first;
    const T *divergence = flow_.delta.divergence() + first, *diffusion = flow_.delta.diffusion() + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l)
      s[l] = physics::delta::advanced_density(s[l], static_cast<double>(divergence[l]),
                                              static_cast<double>(diffusion[l]), factor, delta);
    for (int d = 0; d < D; ++d) {
      double* v = flow_.fluid.v[d] + first;
      const T* a = flow_.fluid.a[d] + first;
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l) v[l] += 0.5 * dt * static_cast<double>(a[l]);
    }
    rows_.write_end_rows(span, dt);
    for (int d = 0; d < D; ++d) {
      double* x = flow_.fluid.x[d] + first;
      const double* v = flow_.fluid.v[d] + first;
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l) x[l] += dt * v[l];
    }
  });
}

template <class T, int D>
void ParticleUpdate<T, D>::half_kick_and_shift(std::span<const Block> blocks, double dt, double damping, double next) {
  const Shifting step = factors(dt, damping);
  const std::int64_t n = flow_.fluid_after(flow_.lazy.passes()), owned = flow_.fluid_rows.owned();
  WorkShares shares(static_cast<std::int64_t>(blocks.size()));
  Extremes squares;
  std::int64_t contacts = 0;
#pragma omp parallel
  {
    Extremes own;
    std::int64_t touched = 0;
    Destination to;
    shares.take([&](std::int64_t b) {
      for_each_span(blocks[static_cast<std::size_t>(b)], n, [&](const ParticleSpan& span) {
        const auto first = static_cast<std::int64_t>(span.first);
        const auto counted = static_cast<std::size_t>(std::clamp<std::int64_t>(owned - first, 0, k_span));
        accelerate(span, step, to);
        shift(span, step, to);
        if (step.dt > 0 && flow_.constants().free_surface) stop_at_walls(span, step, to);
        if (step.relaxation > 0) relax_density(span, step);
        if (flow_.constants().free_surface) limit_tension(span);
        touched += apply_contact(span, counted, to);
        if (friction_.acts() && step.dt > 0) apply_friction(span, step.dt, to);
        commit(span, std::min(counted, span.count), step, to, own);
        rows_.write_midpoint_rows(span, next);
      });
    });
#pragma omp critical(kick_extremes)
    {
      contacts += touched;
      squares.speed = std::max(squares.speed, own.speed);
      squares.corrected = std::max(squares.corrected, own.corrected);
      squares.bad = squares.bad || own.bad;
    }
  }
  flow_.contacts += contacts;
  auto& latest = flow_.control.latest;
  latest.speed = std::max(latest.speed, std::sqrt(squares.speed));
  latest.corrected = std::max(latest.corrected, std::sqrt(squares.corrected));
  latest.bad = latest.bad || squares.bad;
}

template <class T, int D>
physics::delta::UpdateFactors ParticleUpdate<T, D>::factors(double dt, double damping) const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double h = c.length.smoothing_length, R = c.length.interaction_radius;
  const double strength = method.shifting ? c.shifting_strength * h * dt * c.kernel / R : 0.0;
  const double reference_speed = c.c0 / k_sound_ratio;
  return {.dt = dt,
          .keep = damping > 0 ? portable::exp(-damping * dt) : 1.0,
          .confined_shift = strength * reference_speed,
          .strength = strength,
          .cap = method.shifting_cap * c.length.spacing,
          .sheared2 = k_of_shear * h * k_of_shear * h * c.shear_rate2,
          .relaxation = method.shifting ? method.volume_relaxation * dt * c.c0 / h : 0.0,
          .unloading = std::min(1.0, k_unloading * method.volume_relaxation * dt * c.c0 / h),
          .speed_limit2 = c.speed_limit * c.speed_limit,
          .jump2 = c.length.cell_edge * c.length.cell_edge};
}

/// Computes a = pressure + viscosity + body forces;  v += a dt/2;  G/2.
template <class T, int D>
void ParticleUpdate<T, D>::accelerate(const ParticleSpan& span, const Shifting& step, Destination& to) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const double unit = c.rate * c.c0 * c.kernel, half = 0.5 * step.dt, keep = step.keep;
  const double to_half_g = -0.5 * c.kernel * c.scale;
  SpanValues per_density, g[D];
  const double* s = fluid.s.data() + first;
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    per_density[l] = unit / (1 + s[l]);
    to.v2[l] = to.a2[l] = 0;
  }
  forcing_.forces(n, flow_.time, [&](std::size_t l) { return vector_of(fluid.x, first + l); }, g);
  for (int d = 0; d < D; ++d) {
    const T *pressure_force = flow_.delta.pressure_force(d) + first, *viscous_force = flow_.delta.viscous(d) + first;
    const double *v_old = fluid.v[d] + first, *force = g[d].value;
    T *a_new = fluid.a[d] + first, *half_g = fluid.half_g[d] + first;
    double *v = to.v[d].value, *v2 = to.v2.value, *a2 = to.a2.value;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const double pressure = static_cast<double>(pressure_force[l]), viscous = static_cast<double>(viscous_force[l]);
      const double a = physics::delta::acceleration(per_density[l], pressure, unit, viscous, force[l]);
      v[l] = (v_old[l] + half * a) * keep;
      a_new[l] = static_cast<T>(a);
      half_g[l] = static_cast<T>(to_half_g * pressure);
      a2[l] += a * a;
      v2[l] += v[l] * v[l];
    }
  }
}

/// Computes x += shift, at most the cap, and w, which is packed with G/2.
template <class T, int D>
void ParticleUpdate<T, D>::shift(const ParticleSpan& span, const Shifting& step, Destination& to) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = flow_.fluid;
  const bool free_surface = flow_.constants().free_surface;
  const double strength = step.strength, cap = step.cap;
  const double to_w = step.dt > 0 ? flow_.constants().inverse_c0 * flow_.constants().scale / step.dt : 0.0;
  SpanValues wanted, factor;
  if (free_surface) {
    const T* dissipation = flow_.delta.dissipation.data() + first;
    const std::uint8_t* surface = fluid.surface.data() + first;
    SpanValues sheared2;
    for (std::size_t l = 0; l < n; ++l)
      sheared2[l] = physics::is_inside(static_cast<physics::Surrounding>(surface[l])) ? step.sheared2 : 0.0;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l)
      wanted[l] = strength * std::sqrt(to.v2[l] + sheared2[l] * static_cast<double>(dissipation[l]));
  } else {
    std::fill_n(wanted.value, n, step.confined_shift);
  }
  const T* moved[D];
  for (int d = 0; d < D; ++d) moved[d] = flow_.delta.shift(d) + first;
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    double squares = 0;
    for (int d = 0; d < D; ++d) squares += static_cast<double>(moved[d][l]) * static_cast<double>(moved[d][l]);
    factor[l] = physics::delta::shift_factor(wanted[l], squares, cap);
  }
  for (int d = 0; d < D; ++d) {
    const double* x = fluid.x[d] + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) to.x[d][l] = x[l] + factor[l] * static_cast<double>(moved[d][l]);
    if (!fluid.confined) continue;
    T* half_g = fluid.half_g[d] + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l)
      half_g[l] = pack_halves(half_g[l], static_cast<T>(to_w * factor[l] * static_cast<double>(moved[d][l])));
  }
}

/// Sets the velocity of particles that shifting holds in place beside a wall to that of their actual motion. Otherwise
/// such a particle would keep its velocity towards the wall for ever, because a velocity that moves no particle changes
/// no pressure. Changes the component relative to the wall and along the shift; a pure function of one particle and the
/// time.
template <class T, int D>
void ParticleUpdate<T, D>::stop_at_walls(const ParticleSpan& span, const Shifting& step, Destination& to) {
  const std::size_t first = span.first, n = span.count;
  const auto& fluid = flow_.fluid;
  SpanValues taken_back;  // displacement that shifting has taken back, times the velocity
  std::fill_n(taken_back.value, n, 0.0);
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d] + first, *to_x = to.x[d].value, *v = to.v[d].value;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) taken_back[l] += (x[l] - to_x[l]) * v[l];
  }
  for (std::size_t l = 0; l < n; ++l) {
    const std::size_t i = first + l;
    if (!(taken_back[l] > physics::delta::k_taken_back * step.dt * to.v2[l]) || fluid.buffer[i] != 0) continue;
    Vec3 x, v, shift;
    for (int d = 0; d < D; ++d) x[d] = fluid.x[d][i], v[d] = to.v[d][l], shift[d] = to.x[d][l] - x[d];
    const std::optional<Vec3> wall = wall_beside(i, x);
    if (!wall) continue;
    v = physics::delta::stopped_velocity(v, shift, *wall, step.dt);
    for (int d = 0; d < D; ++d) to.v[d][l] = v[d];
  }
}

template <class T, int D>
std::optional<Vec3> ParticleUpdate<T, D>::wall_beside(std::size_t i, const Vec3& x) const {
  const double within = physics::delta::k_beside_wall * flow_.constants().length.spacing;
  if (contact_.is_beside_side(x, within)) return Vec3{};
  if (flow_.is_near_walls(i)) return contact_.velocity_of_body_beside(x, within);
  return std::nullopt;
}

template <class T, int D>
bool ParticleUpdate<T, D>::apply_contact(std::size_t i, Vec3& x, Vec3& v) const {
  return contact_.with_sides(x, v) || contact_.with_inflows(x, v) ||
         (flow_.is_near_walls(i) && contact_.with_bodies(x, v));
}

template <class T, int D>
double ParticleUpdate<T, D>::mean_excess_volume_fraction() const {
  const auto& c = flow_.constants();
  const auto& fluid = flow_.fluid;
  const T* neighbor_sum = flow_.delta.volume_fraction();
  std::array<ReproducibleSum, 2> sums;  // sums of the excess and of particles
  for (std::size_t i = 0; i < static_cast<std::size_t>(flow_.fluid_rows.owned()); ++i) {
    sums[0].add(volume_fraction_of(c, neighbor_sum[i], fluid.mass[i]) - 1 - fluid.s[i]);
    sums[1].add(1);
  }
  comm::sum(flow_.communicator(), sums, "filling");
  return sums[1].value() > 0 ? sums[0].value() / sums[1].value() : 0.0;
}

/// Relaxes density to the volume fraction, except in buffers, where density is imposed. Marks particles deep below a
/// surface.
template <class T, int D>
void ParticleUpdate<T, D>::relax_density(const ParticleSpan& span, const Shifting& step) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const double offset = flow_.volume_fraction_offset;
  const T* neighbor_sum = flow_.delta.volume_fraction() + first;
  const double* mass = fluid.mass.data() + first;
  double* s = fluid.s.data() + first;
  std::uint8_t* surface = fluid.surface.data() + first;
  SpanValues in_buffer, deficit_limit, excess_limit, volume_fraction;
  SpanValues unloading;
  const physics::delta::DensityRelaxation by{{c.free_surface}, step.relaxation, step.unloading, c.loose};
  for (std::size_t l = 0; l < n; ++l) {
    const auto surrounding = static_cast<physics::Surrounding>(surface[l]);
    in_buffer[l] = fluid.buffer[first + l];
    deficit_limit[l] = by.tolerance.deficit_limit(surrounding),
    excess_limit[l] = by.tolerance.excess_limit(surrounding);
    unloading[l] = by.unloading_of(surrounding);
  }
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    volume_fraction[l] = volume_fraction_of(c, neighbor_sum[l], mass[l]) - offset;
    const double relaxed =
        physics::delta::relaxed_density(by, volume_fraction[l], s[l], deficit_limit[l], excess_limit[l], unloading[l]);
    s[l] = in_buffer[l] > 0 ? s[l] : relaxed;
  }
  if (!c.free_surface) return;
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    const bool deep = (surface[l] == physics::k_inside) & physics::is_deep(volume_fraction[l]);
    surface[l] = deep ? std::uint8_t{physics::k_deep} : surface[l];
  }
}

/// Fluid that has lost neighbours expands instead of pulling; buffers keep the density that is imposed on them.
template <class T, int D>
void ParticleUpdate<T, D>::limit_tension(const ParticleSpan& span) {
  auto& fluid = flow_.fluid;
  const std::uint8_t *surface = fluid.surface.data() + span.first, *buffer = fluid.buffer.data() + span.first;
  double* s = fluid.s.data() + span.first;
#pragma omp simd
  for (std::size_t l = 0; l < span.count; ++l) {
    const double least = physics::least_density_excess(static_cast<physics::Surrounding>(surface[l]));
    s[l] = buffer[l] != 0 ? s[l] : std::max(s[l], least);
  }
}

/// Puts particles that have entered a wall back on its surface; returns how many of the first `counted`.
template <class T, int D>
std::int64_t ParticleUpdate<T, D>::apply_contact(const ParticleSpan& span, std::size_t counted, Destination& to) {
  if (is_clear(flow_, contact_, span, to.x)) return 0;
  std::int64_t contacts = 0;
  for (std::size_t l = 0; l < span.count; ++l) {
    const std::size_t i = span.first + l;
    if (flow_.fluid.buffer[i] != 0) continue;
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = to.x[d][l], v[d] = to.v[d][l];
    if (!apply_contact(i, x, v)) continue;
    for (int d = 0; d < D; ++d) to.x[d][l] = x[d], to.v[d][l] = v[d];
    contacts += l < counted ? 1 : 0;
  }
  return contacts;
}

/// Slows the fluid along walls with a law of friction.
template <class T, int D>
void ParticleUpdate<T, D>::apply_friction(const ParticleSpan& span, double dt, Destination& to) const {
  for (std::size_t l = 0; l < span.count; ++l) {
    if (flow_.fluid.buffer[span.first + l] != 0) continue;
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = to.x[d][l], v[d] = to.v[d][l];
    v = friction_.after(x, v, dt);
    for (int d = 0; d < D; ++d) to.v[d][l] = v[d];
  }
}

/// Makes the destinations the state. Adds to `squares`, the squared extremes, those of the first `counted` particles.
template <class T, int D>
void ParticleUpdate<T, D>::commit(const ParticleSpan& span, std::size_t counted, const Shifting& step,
                                  const Destination& to, Extremes& squares) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = flow_.fluid;
  SpanValues moved2;
  std::fill_n(moved2.value, n, 0.0);
  for (int d = 0; d < D; ++d) {
    double *x = fluid.x[d] + first, *v = fluid.v[d] + first, *square = moved2.value;
    const double *to_x = to.x[d].value, *to_v = to.v[d].value;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      const double by = to_x[l] - x[l];
      square[l] += by * by;
      x[l] = to_x[l];
      v[l] = to_v[l];
    }
  }
  const double* s = fluid.s.data() + first;
  const physics::delta::Soundness sound{step.speed_limit2, step.jump2, flow_.constants().thinnest,
                                        flow_.constants().densest};
  std::int64_t suspects = 0;
#pragma omp simd reduction(+ : suspects)
  for (std::size_t l = 0; l < counted; ++l) {
    suspects += sound.holds(to.v2[l], moved2[l], s[l], to.a2[l]) ? 0 : 1;
  }
  squares.bad = squares.bad || (suspects > 0 && is_bad({first, counted}, step, to, moved2));
  double speed = squares.speed, corrected = squares.corrected;
#pragma omp simd reduction(max : speed, corrected)
  for (std::size_t l = 0; l < counted; ++l) {
    speed = std::max(speed, to.v2[l]);
    corrected = std::max(corrected, moved2[l]);
  }
  squares.speed = speed, squares.corrected = corrected;
}

/// Tells whether any particle of a span is bad. A particle that was too fast before a wall stopped it is not, nor is
/// one in a buffer, because its velocity is imposed when the step ends.
template <class T, int D>
bool ParticleUpdate<T, D>::is_bad(const ParticleSpan& span, const Shifting& step, const Destination& to,
                                  const SpanValues& moved2) const {
  const auto& fluid = flow_.fluid;
  for (std::size_t l = 0; l < span.count; ++l) {
    const std::size_t i = span.first + l;
    const Vec3 v = vector_of(fluid.v, i);
    const double limit2 = fluid.buffer[i] != 0 ? INFINITY : step.speed_limit2;
    const bool good = dot(v, v) <= limit2 && moved2[l] <= step.jump2 && to.a2[l] < INFINITY &&
                      flow_.constants().density_is_sound(fluid.s[i]);
    if (!good) return true;
  }
  return false;
}

template class ParticleUpdate<float, 2>;
template class ParticleUpdate<float, 3>;
template class ParticleUpdate<double, 2>;
template class ParticleUpdate<double, 3>;

}  // namespace eddyline::sph
