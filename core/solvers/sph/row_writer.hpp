#pragma once

#include "solvers/sph/flow.hpp"
#include "solvers/sph/particle_span.hpp"

namespace eddyline::sph {

/// Turns the state of fluid particles into pair rows of the scheme delta: fixed-point positions and dimensionless
/// values, see physics/delta/sweeps.hpp.
template <class T, int D>
class RowWriter {
 public:
  explicit RowWriter(Flow<T, D>& flow) : flow_(flow) {}

  /// The middle of a step of length dt: at x + v dt/2 with v = v + a dt/2.
  void write_midpoint_rows(const ParticleSpan& span, double dt);
  /// Its end, for particles that are still at x, with the v of its middle and the densities of its end.
  void write_end_rows(const ParticleSpan& span, double dt);
  /// The state as it is.
  void write_state(const ParticleSpan& span);
  /// Place and velocity at its end of rows whose middle is in `midpoint_rows`: what write_end_rows() would give.
  void write_end_ghosts(std::int32_t first, std::int32_t count, double dt);

 private:
  /// sound(l): what the pressure of the span's l-th particle has besides.
  template <class Sound>
  void write_end(const ParticleSpan& span, double dt, Sound&& sound);

  Flow<T, D>& flow_;
};

}  // namespace eddyline::sph
