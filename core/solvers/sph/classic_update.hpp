#pragma once

#include "solvers/sph/contact.hpp"
#include "solvers/sph/flow.hpp"
#include "solvers/sph/particle_span.hpp"
#include "solvers/sph/external_forcing.hpp"

namespace eddyline::sph {

/// How the middle of a step is predicted: a rate is taken to change as it did between its last two evaluations, so that
/// y_middle = y + dt/2 rate + slope (rate - rate_old). With the last rate alone, sound would grow without end.
struct MidpointPrediction {
  double dt = 0;     // [s]
  double slope = 0;  // [s]

  double of(double rate, double rate_old) const { return 0.5 * dt * rate + slope * (rate - rate_old); }
};

/// What a step of the scheme classic does to each fluid particle by itself.
template <class T, int D>
class ClassicUpdate {
 public:
  ClassicUpdate(Flow<T, D>& flow, const Contact& contact, const ExternalForcing<D>& forcing)
      : flow_(flow), contact_(contact), forcing_(forcing) {}

  /// Rows of the middle of the step: x + v dt/2, and v, rho, u as predicted.
  void write_midpoint_rows(const MidpointPrediction& prediction);
  /// The whole step with the rates of its middle, from the state at its start:
  ///   rho += dt d rho/dt,  v += dt a,  x += dt (v_middle + drift),  v_middle = v_old + a dt/2,
  ///   u += dt [du/dt - a_pairs . (v_middle - v_predicted)]
  /// The pairs' work went with the predicted velocity, as rows have it; what it misses of the work with the velocity
  /// that moves the particle is taken from its own heat, so that no energy is lost. What a contact takes is heat as
  /// well. v is damped at a rate of `damping`. The extremes of the step are its latest.
  void correct(const MidpointPrediction& prediction, double damping);
  /// Rows of the state as it is.
  void write_state();

 private:
  /// Where the particles of a span are going.
  struct Destination {
    SpanValues x[D], v[D];
    SpanValues s, u;    // rows are made of these four
    SpanValues missed;  // of the pairs' work
    SpanValues a2;
  };
  /// Squares, but the signal.
  struct Largest {
    double signal = 0, speed = 0, acceleration = 0, moved = 0;
    std::int64_t bad = 0, contacts = 0;
  };

  void write_rows(const ParticleSpan& span, const Destination& at);
  void accelerate(const ParticleSpan& span, const MidpointPrediction& prediction, Destination& to);
  void heat(const ParticleSpan& span, const MidpointPrediction& prediction, Destination& to);
  void apply_contact(const ParticleSpan& span, std::size_t counted, Destination& to, Largest& largest);
  void commit(const ParticleSpan& span, std::size_t counted, const MidpointPrediction& prediction, const Destination& to,
                 Largest& largest);

  Flow<T, D>& flow_;
  const Contact& contact_;
  const ExternalForcing<D>& forcing_;
};

}  // namespace eddyline::sph
