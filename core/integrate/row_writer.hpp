#pragma once

#include "integrate/flow.hpp"
#include "integrate/particle_span.hpp"

namespace eddyline::integrate {

/// Turns the state of fluid particles into pair rows of the scheme delta: fixed-point positions and dimensionless
/// values, see physics/delta/sweeps.hpp.
template <class T, int D>
class RowWriter {
 public:
  explicit RowWriter(Flow<T, D>& flow) : flow_(flow) {}

  /// The middle of a step of length dt: at x + v dt/2 with v = v + a dt/2.
  void write_moving(const ParticleSpan& span, double dt);
  /// Its end.
  void write_pressed(const ParticleSpan& span);

 private:
  Flow<T, D>& flow_;
};

}  // namespace eddyline::integrate
