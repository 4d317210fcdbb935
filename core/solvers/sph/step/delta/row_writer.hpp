#pragma once

#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/particle_span.hpp"

namespace eddyline::sph {

/// Converts the state of fluid particles to pair rows of the scheme delta: fixed-point positions and dimensionless
/// values, see physics/delta/sweeps.hpp.
template <class T, int D>
class RowWriter {
 public:
  explicit RowWriter(Parts<T, D>& parts) : state_(parts.state), scratch_(parts.scratch), domain_(parts.domain) {}

  /// Writes rows of the midpoint of a step of length dt: at x + v dt/2 with v = v + a dt/2.
  void write_midpoint_rows(const ParticleSpan& span, double dt);
  /// Writes rows of the end of the step, for particles that are still at x, with the v of its midpoint and the
  /// densities of its end.
  void write_end_rows(const ParticleSpan& span, double dt);
  /// Writes rows of the state.
  void write_state(const ParticleSpan& span);
  /// Computes place and velocity at the end of the step from `midpoint_rows`: the values that write_end_rows() would
  /// give.
  void write_end_ghosts(std::int32_t first, std::int32_t count, double dt);

 private:
  /// sound(l): additional term in the pressure of the span's l-th particle.
  template <class Sound>
  void write_end(const ParticleSpan& span, double dt, Sound&& sound);

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
};

}  // namespace eddyline::sph
