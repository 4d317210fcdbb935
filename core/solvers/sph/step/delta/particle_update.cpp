#include "solvers/sph/step/delta/particle_update.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable_math.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/collectives.hpp"
#include "physics/delta/update.hpp"
#include "solvers/sph/step/delta/passes.hpp"

namespace eddyline::sph {

namespace {

// The speed of shifting with a free surface has, besides a particle's own speed, this factor times h and the shear
// rate.
constexpr double k_of_shear = 3;
constexpr double k_sound_ratio = 10;  // the speed of sound over the highest speed that a world expects
// Rate at which loose fluid loses its pressure, relative to volume_relaxation.
constexpr double k_unloading = 10;

}  // namespace

template <class T, int D>
void ParticleUpdate<T, D>::write_midpoint_rows(double dt) {
  for_each_span(domain_.fluid_after(0), [&](const ParticleSpan& span) { rows_.write_midpoint_rows(span, dt); });
}

template <class T, int D>
void ParticleUpdate<T, D>::write_state(int passes) {
  for_each_span(domain_.fluid_after(passes), [&](const ParticleSpan& span) { rows_.write_state(span); });
}

template <class T, int D>
void ParticleUpdate<T, D>::write_end_ghosts() {
  if (!domain_.lazy.exchanges() || !state_.openings.empty()) return;
  domain_.fluid_halo.for_each_received(
      [&](std::int32_t first, std::int32_t count) { rows_.write_end_ghosts(first, count, state_.time_step); });
}

template <class T, int D>
void ParticleUpdate<T, D>::kick_and_drift(std::span<const Block> blocks) {
  const auto& c = state_.constants;
  const double dt = state_.time_step, factor = dt * c.rate * c.kernel, delta = state_.world.method.density_diffusion;
  for_each_span(blocks, domain_.fluid_after(k_rates), [&](const ParticleSpan& span) {
    const std::size_t first = span.first, n = span.count;
    double* s = state_.fluid.s.data() + first;
    const T *divergence = scratch_.delta.divergence() + first, *diffusion = scratch_.delta.diffusion() + first;
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l)
      s[l] = physics::delta::advanced_density(s[l], static_cast<double>(divergence[l]),
                                              static_cast<double>(diffusion[l]), factor, delta);
    for (int d = 0; d < D; ++d) {
      double* v = state_.fluid.v[d] + first;
      const T* a = state_.fluid.a[d] + first;
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l) v[l] += 0.5 * dt * static_cast<double>(a[l]);
    }
    rows_.write_end_rows(span, dt);
    for (int d = 0; d < D; ++d) {
      double* x = state_.fluid.x[d] + first;
      const double* v = state_.fluid.v[d] + first;
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l) x[l] += dt * v[l];
    }
  });
}

template <class T, int D>
void ParticleUpdate<T, D>::kick_and_shift(std::span<const Block> blocks, double dt, double damping, double next) {
  const Shifting step = factors(dt, damping);
  const std::int64_t n = domain_.fluid_after(domain_.lazy.passes()), owned = domain_.fluid_rows.owned();
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
        if (step.dt > 0 && state_.constants.free_surface) stop_at_walls(span, step, to);
        if (step.relaxation > 0) relax_density(span, step);
        if (state_.constants.free_surface) limit_tension(span);
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
  state_.contacts += contacts;
  auto& latest = state_.control.latest;
  latest.speed = std::max(latest.speed, std::sqrt(squares.speed));
  latest.corrected = std::max(latest.corrected, std::sqrt(squares.corrected));
  latest.bad = latest.bad || squares.bad;
}

template <class T, int D>
physics::delta::UpdateFactors ParticleUpdate<T, D>::factors(double dt, double damping) const {
  const auto& c = state_.constants;
  const auto& method = state_.world.method;
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
  auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  const double unit = c.rate * c.c0 * c.kernel, half = 0.5 * step.dt, keep = step.keep;
  const double to_half_g = -0.5 * c.kernel * c.scale;
  SpanValues per_density, g[D];
  const double* s = fluid.s.data() + first;
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    per_density[l] = unit / (1 + s[l]);
    to.v2[l] = to.a2[l] = 0;
  }
  forcing_.forces(n, state_.time, [&](std::size_t l) { return vector_of(fluid.x, first + l); }, g);
  if (terms_.acts || !module_terms_.empty()) add_terms(span, g);
  for (int d = 0; d < D; ++d) {
    const T *pressure_force = scratch_.delta.pressure_force(d) + first,
            *viscous_force = scratch_.delta.viscous(d) + first;
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

/// Adds the accelerations by terms of single particles that the world states.
template <class T, int D>
void ParticleUpdate<T, D>::add_terms(const ParticleSpan& span, SpanValues (&g)[D]) const {
  static_assert(k_span <= physics::terms::k_lanes);
  const auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  SpanValues density, pressure;
  const double* s = fluid.s.data() + span.first;
  for (std::size_t l = 0; l < span.count; ++l) {
    density[l] = c.rho0 * (1 + s[l]);
    pressure[l] = c.rho0 * c.c0 * c.c0 * s[l];
  }
  std::array<const double*, physics::terms::k_particle_variables> values{};  // x y z t vx vy vz rho p
  double* out[D];
  for (int d = 0; d < D; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    values[axis] = fluid.x[d] + span.first;
    values[4 + axis] = fluid.v[d] + span.first;
    out[d] = g[d].value;
  }
  values[7] = density.value, values[8] = pressure.value;
  const int count = static_cast<int>(span.count);
  if (terms_.acts) terms_.add(count, state_.time, values.data(), D, out);
  for (const auto& each : module_terms_) each->accelerate(count, state_.time, values.data(), out);
}

template <class T, int D>
void ParticleUpdate<T, D>::world_changed() {
  terms_ = {physics::terms::terms_of(state_.world), D};
  module_terms_ = physics::module_terms_of(state_.world, instructions_);
  std::erase_if(module_terms_, [](const auto& each) { return !each->acts_on_particles(); });
}

template <class T, int D>
double ParticleUpdate<T, D>::mean_excess_volume_fraction() const {
  const auto& c = state_.constants;
  const auto& fluid = state_.fluid;
  const T* neighbor_sum = scratch_.delta.volume_fraction();
  std::array<ReproducibleSum, 2> sums;  // sums of the excess and of particles
  for (std::size_t i = 0; i < static_cast<std::size_t>(domain_.fluid_rows.owned()); ++i) {
    sums[0].add(c.volume_fraction(static_cast<double>(neighbor_sum[i]), fluid.mass[i]) - 1 - fluid.s[i]);
    sums[1].add(1);
  }
  comm::sum(domain_.communicator(), sums, "filling");
  return sums[1].value() > 0 ? sums[0].value() / sums[1].value() : 0.0;
}

/// Makes the destinations the state. Adds to `squares`, the squared extremes, those of the first `counted` particles.
template <class T, int D>
void ParticleUpdate<T, D>::commit(const ParticleSpan& span, std::size_t counted, const Shifting& step,
                                  const Destination& to, Extremes& squares) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
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
  const physics::delta::Soundness sound{step.speed_limit2, step.jump2, state_.constants.thinnest,
                                        state_.constants.densest};
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
  const auto& fluid = state_.fluid;
  for (std::size_t l = 0; l < span.count; ++l) {
    const std::size_t i = span.first + l;
    const Vec3 v = vector_of(fluid.v, i);
    const double limit2 = fluid.buffer[i] != 0 ? INFINITY : step.speed_limit2;
    const bool good = dot(v, v) <= limit2 && moved2[l] <= step.jump2 && to.a2[l] < INFINITY &&
                      state_.constants.density_is_sound(fluid.s[i]);
    if (!good) return true;
  }
  return false;
}

template class ParticleUpdate<float, 2>;
template class ParticleUpdate<float, 3>;
template class ParticleUpdate<double, 2>;
template class ParticleUpdate<double, 3>;

}  // namespace eddyline::sph
