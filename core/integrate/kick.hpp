#pragma once

#include "integrate/contact.hpp"
#include "integrate/flow.hpp"
#include "integrate/particle_span.hpp"
#include "integrate/row_writer.hpp"
#include "integrate/surroundings.hpp"

namespace eddyline::integrate {

/// What a step does to each fluid particle by itself, when its pair sums are done.
template <class T, int D>
class Kick {
 public:
  Kick(Flow<T, D>& flow, Contact& contact, const Surroundings<D>& surroundings)
      : flow_(flow), contact_(contact), surroundings_(surroundings), rows_(flow) {}

  /// rho += dt d rho/dt;  v += a dt/2;  x += dt v; rows of the end of the step. Of the particles in some blocks.
  void half_and_drift(std::span<const Block> blocks);
  /// a = pressure + viscosity + body forces;  v += a dt/2;  G from the pressure force;  x += shift. Density follows
  /// the filling of space, and velocity in confined flows follows shifting in the next step, of length `next`, whose
  /// first rows are written. v is damped at a rate of `damping`. Of the particles in some blocks; adds them to the
  /// extremes of the step.
  void half_and_shift(std::span<const Block> blocks, double dt, double damping, double next);

  /// Rows of the middle of a step, see RowWriter.
  void write_moving(double dt);
  /// Rows of the state as it is, of the particles that are right after so many passes over pairs.
  void write_state(int passes);
  /// Ghosts of other ranks, as far as their middle tells their end.
  void write_pressed_ghosts();
  /// By how much the fluid fills space more densely than it weighs, on average, after forces have been summed. Sealed
  /// fluid of too little mass would tear: there that is left out. Collective.
  double mean_excess_of_filling() const;

 private:
  /// Where the particles of a span are going.
  struct Destination {
    SpanValues x[D], v[D];
    SpanValues v2, a2;  // before contact
  };
  /// Constants of half_and_shift() in a step.
  struct Shifting {
    double dt, keep;             // keep: what damping leaves of a velocity
    double strength, cap;        // of shifting [s], [m]
    double sheared2;             // its speed where fluid is sheared, squared, by what is dissipated [m^2/s^2]
    double relaxation;           // of density to the filling of space, in the step
    double unloading;            // of loose fluid, in the step
    double speed_limit2, jump2;  // of the blow-up doctor
  };

  Shifting constants_of(double dt, double damping) const;
  void accelerate(const ParticleSpan& span, const Shifting& step, Destination& to);
  void shift(const ParticleSpan& span, const Shifting& step, Destination& to);
  void relax_density(const ParticleSpan& span, const Shifting& step);
  void limit_tension(const ParticleSpan& span);
  void stop_at_walls(const ParticleSpan& span, const Shifting& step, Destination& to);
  std::int64_t touch_walls(const ParticleSpan& span, std::size_t counted, Destination& to);
  void take_over(const ParticleSpan& span, std::size_t counted, const Shifting& step, const Destination& to,
                 Extremes& squares);
  bool is_bad(const ParticleSpan& span, const Shifting& step, const Destination& to, const SpanValues& moved2) const;

  Flow<T, D>& flow_;
  Contact& contact_;
  const Surroundings<D>& surroundings_;
  RowWriter<T, D> rows_;
};

}  // namespace eddyline::integrate
