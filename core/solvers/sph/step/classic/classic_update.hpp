#pragma once

#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "physics/classic/update.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/particle_span.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

using physics::classic::MidpointPrediction;

/// The update of each single fluid particle in a step of the scheme classic.
template <class T, int D>
class ClassicUpdate {
 public:
  ClassicUpdate(Parts<T, D>& parts, const Contact& contact, const ExternalForcing<D>& forcing)
      : state_(parts.state),
        scratch_(parts.scratch),
        domain_(parts.domain),
        lists_(parts.lists),
        contact_(contact),
        forcing_(forcing) {}

  /// Writes rows of the midpoint: x + v dt/2, and v, rho, u as predicted.
  void write_midpoint_rows(const MidpointPrediction& prediction);
  /// Advances the whole step with the rates of its midpoint, from the state at its start:
  ///   rho += dt d rho/dt,  v += dt a,  x += dt (v_middle + drift),  v_middle = v_old + a dt/2,
  ///   u += dt [du/dt - a_pairs . (v_middle - v_predicted)]
  /// Pair sums use the predicted velocity of the rows. The difference from the work with the velocity that moves the
  /// particle is taken from the particle's heat, so that no energy is lost. The energy that a contact takes becomes
  /// heat as well. v is damped at a rate of `damping`. Sets the extremes of the step.
  void correct(const MidpointPrediction& prediction, double damping);
  /// Writes rows of the state.
  void write_state();

  // Numbers of this run and of a step, which devices take over.
  physics::classic::RowUnits row_units() const;
  physics::classic::UpdateFactors factors(double dt, double damping) const;
  physics::classic::Soundness soundness() const;

 private:
  /// New values of the particles of a span.
  struct Destination {
    SpanValues x[D], v[D];
    SpanValues s, u;    // rows consist of x, v and these
    SpanValues missed;  // missing part of the pairs' work
    SpanValues a2;
  };
  /// Maxima; all but the signal are squares.
  struct Largest {
    double signal = 0, speed = 0, acceleration = 0, from_midpoint = 0;
    std::int64_t bad = 0, contacts = 0;
  };

  void write_rows(const ParticleSpan& span, const Destination& at);
  void accelerate(const ParticleSpan& span, const physics::classic::UpdateFactors& by, Destination& to);
  void heat(const ParticleSpan& span, const physics::classic::UpdateFactors& by, Destination& to);
  void apply_contact(const ParticleSpan& span, std::size_t counted, Destination& to, Largest& largest);
  void commit(const ParticleSpan& span, std::size_t counted, const physics::classic::UpdateFactors& by,
              const Destination& to, Largest& largest);

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  const Contact& contact_;
  const ExternalForcing<D>& forcing_;
};

}  // namespace eddyline::sph
