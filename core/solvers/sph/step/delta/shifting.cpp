// ParticleUpdate: what moves a particle besides its velocity, and what keeps density and volume together.
#include "solvers/sph/step/delta/particle_update.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "physics/delta/update.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/sph/tension.hpp"
#include "physics/sph/volume_fraction.hpp"
#include "solvers/sph/step/clearance.hpp"

namespace eddyline::sph {

/// Computes x += shift, at most the cap, and w, which is packed with G/2.
template <class T, int D>
void ParticleUpdate<T, D>::shift(const ParticleSpan& span, const Shifting& step, Destination& to) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
  const bool free_surface = state_.constants.free_surface;
  const double strength = step.strength, cap = step.cap;
  const double to_w = step.dt > 0 ? state_.constants.inverse_c0 * state_.constants.scale / step.dt : 0.0;
  SpanValues wanted, factor;
  if (free_surface) {
    const T* dissipation = scratch_.delta.dissipation.data() + first;
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
  for (int d = 0; d < D; ++d) moved[d] = scratch_.delta.shift(d) + first;
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
  const auto& fluid = state_.fluid;
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
    const std::optional<Vec3> wall = wall_beside(lists_.is_near_walls(i), x);
    if (!wall) continue;
    v = physics::delta::stopped_velocity(v, shift, *wall, step.dt);
    for (int d = 0; d < D; ++d) to.v[d][l] = v[d];
  }
}

template <class T, int D>
std::optional<Vec3> ParticleUpdate<T, D>::wall_beside(bool near_bodies, const Vec3& x) const {
  const double within = physics::delta::k_beside_wall * state_.constants.length.spacing;
  if (contact_.is_beside_side(x, within)) return Vec3{};
  if (near_bodies) return contact_.velocity_of_body_beside(x, within);
  return std::nullopt;
}

template <class T, int D>
bool ParticleUpdate<T, D>::apply_contact(bool near_bodies, Vec3& x, Vec3& v) const {
  return contact_.with_sides(x, v) || contact_.with_inflows(x, v) || (near_bodies && contact_.with_bodies(x, v));
}

/// Slows the fluid along walls with a law of friction.
template <class T, int D>
void ParticleUpdate<T, D>::apply_friction(const ParticleSpan& span, double dt, Destination& to) const {
  for (std::size_t l = 0; l < span.count; ++l) {
    if (state_.fluid.buffer[span.first + l] != 0) continue;
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = to.x[d][l], v[d] = to.v[d][l];
    v = friction_.after(x, v, dt);
    for (int d = 0; d < D; ++d) to.v[d][l] = v[d];
  }
}

/// Relaxes density to the volume fraction, except in buffers, where density is imposed. Marks particles deep below a
/// surface.
template <class T, int D>
void ParticleUpdate<T, D>::relax_density(const ParticleSpan& span, const Shifting& step) {
  const std::size_t first = span.first, n = span.count;
  auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  const double offset = state_.volume_fraction_offset;
  const T* neighbor_sum = scratch_.delta.volume_fraction() + first;
  const double* mass = fluid.mass.data() + first;
  double* s = fluid.s.data() + first;
  std::uint8_t* surface = fluid.surface.data() + first;
  SpanValues in_buffer, deficit_limit, excess_limit, volume_fraction;
  SpanValues unloading;
  const physics::delta::DensityRelaxation by{{c.free_surface}, step.relaxation, step.unloading, c.loose};
  for (std::size_t l = 0; l < n; ++l) {
    const auto surrounding = static_cast<physics::Surrounding>(surface[l]);
    in_buffer[l] = fluid.buffer[first + l];
    deficit_limit[l] = by.tolerance.deficit_limit(surrounding);
    excess_limit[l] = by.tolerance.excess_limit(surrounding);
    unloading[l] = by.unloading_of(surrounding);
  }
#pragma omp simd
  for (std::size_t l = 0; l < n; ++l) {
    volume_fraction[l] = c.volume_fraction(static_cast<double>(neighbor_sum[l]), mass[l]) - offset;
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
  auto& fluid = state_.fluid;
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
  if (is_clear(lists_, contact_, span, to.x)) return 0;
  std::int64_t contacts = 0;
  for (std::size_t l = 0; l < span.count; ++l) {
    const std::size_t i = span.first + l;
    if (state_.fluid.buffer[i] != 0) continue;
    Vec3 x, v;
    for (int d = 0; d < D; ++d) x[d] = to.x[d][l], v[d] = to.v[d][l];
    if (!apply_contact(lists_.is_near_walls(i), x, v)) continue;
    for (int d = 0; d < D; ++d) to.x[d][l] = x[d], to.v[d][l] = v[d];
    contacts += l < counted ? 1 : 0;
  }
  return contacts;
}

#define EDDYLINE_SPH_SHIFTING(T, D)                                                                          \
  template void ParticleUpdate<T, D>::shift(const ParticleSpan&, const Shifting&, Destination&);             \
  template void ParticleUpdate<T, D>::stop_at_walls(const ParticleSpan&, const Shifting&, Destination&);     \
  template void ParticleUpdate<T, D>::relax_density(const ParticleSpan&, const Shifting&);                   \
  template void ParticleUpdate<T, D>::limit_tension(const ParticleSpan&);                                    \
  template std::int64_t ParticleUpdate<T, D>::apply_contact(const ParticleSpan&, std::size_t, Destination&); \
  template bool ParticleUpdate<T, D>::apply_contact(bool, Vec3&, Vec3&) const;                               \
  template std::optional<Vec3> ParticleUpdate<T, D>::wall_beside(bool, const Vec3&) const;                   \
  template void ParticleUpdate<T, D>::apply_friction(const ParticleSpan&, double, Destination&) const;

EDDYLINE_SPH_SHIFTING(float, 2)
EDDYLINE_SPH_SHIFTING(float, 3)
EDDYLINE_SPH_SHIFTING(double, 2)
EDDYLINE_SPH_SHIFTING(double, 3)

#undef EDDYLINE_SPH_SHIFTING

}  // namespace eddyline::sph
