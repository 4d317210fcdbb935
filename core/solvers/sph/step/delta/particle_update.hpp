#pragma once

#include <optional>

#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "domain/wall_friction.hpp"
#include "physics/delta/update.hpp"
#include "physics/modules/load_terms.hpp"
#include "physics/terms/terms.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/delta/row_writer.hpp"
#include "solvers/sph/step/particle_span.hpp"

namespace eddyline::sph {

using domain::Contact;
using domain::ExternalForcing;

/// The update of each single fluid particle in a step, after its pair sums.
template <class T, int D>
class ParticleUpdate {
 public:
  ParticleUpdate(Parts<T, D>& parts, Contact& contact, const domain::WallFriction& friction,
                 const ExternalForcing<D>& forcing)
      : state_(parts.state),
        scratch_(parts.scratch),
        domain_(parts.domain),
        lists_(parts.lists),
        contact_(contact),
        friction_(friction),
        forcing_(forcing),
        rows_(parts),
        instructions_(parts.domain.execution().instructions) {
    world_changed();
  }

  /// Computes rho += dt d rho/dt;  v += a dt/2;  x += dt v, and rows of the end of the step, for the particles in some
  /// blocks.
  void kick_and_drift(std::span<const Block> blocks);
  /// Computes a = pressure + viscosity + body forces;  v += a dt/2;  G from the pressure force;  x += shift. Density
  /// relaxes to the volume fraction. In confined flows shifting transports momentum in the next step, of length `next`;
  /// the first rows of that step are written. v is damped at a rate of `damping`. Processes the particles in some
  /// blocks, and adds them to the extremes of the step.
  void kick_and_shift(std::span<const Block> blocks, double dt, double damping, double next);

  /// Terms of single particles that the world states.
  const physics::terms::ParticleProgram& terms() const { return terms_; }
  /// Adopts terms that have changed.
  void world_changed();

  /// Velocity of the wall beside which shifting may hold a particle at x, if there is one. near_bodies: see
  /// Lists::is_near_walls().
  std::optional<Vec3> wall_beside(bool near_bodies, const Vec3& x) const;
  /// Puts a particle back on the surface of a wall that it has entered. Returns whether it had.
  bool apply_contact(bool near_bodies, Vec3& x, Vec3& v) const;
  /// Factors of kick_and_shift().
  physics::delta::UpdateFactors factors(double dt, double damping) const;

  /// Writes rows of the midpoint of a step, see RowWriter.
  void write_midpoint_rows(double dt);
  /// Writes rows of the state, for the particles that are correct after so many passes over pairs.
  void write_state(int passes);
  /// Computes the end rows of ghosts of other ranks, where they follow from the midpoint rows.
  void write_end_ghosts();
  /// Mean excess of the volume fraction over the relative density, after forces have been summed. In sealed fluid with
  /// too little mass this is negative, and the fluid would tear; there it is subtracted as an offset. Collective.
  double mean_excess_volume_fraction() const;

 private:
  /// New values of the particles of a span.
  struct Destination {
    SpanValues x[D], v[D];
    SpanValues v2, a2;  // squares before contact
  };
  using Shifting = physics::delta::UpdateFactors;

  void accelerate(const ParticleSpan& span, const Shifting& step, Destination& to);
  void add_terms(const ParticleSpan& span, SpanValues (&g)[D]) const;
  void shift(const ParticleSpan& span, const Shifting& step, Destination& to);
  void relax_density(const ParticleSpan& span, const Shifting& step);
  void limit_tension(const ParticleSpan& span);
  void stop_at_walls(const ParticleSpan& span, const Shifting& step, Destination& to);
  void apply_friction(const ParticleSpan& span, double dt, Destination& to) const;
  std::int64_t apply_contact(const ParticleSpan& span, std::size_t counted, Destination& to);
  void commit(const ParticleSpan& span, std::size_t counted, const Shifting& step, const Destination& to,
              Extremes& squares);
  bool is_bad(const ParticleSpan& span, const Shifting& step, const Destination& to, const SpanValues& moved2) const;

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  Contact& contact_;
  const domain::WallFriction& friction_;
  const ExternalForcing<D>& forcing_;
  RowWriter<T, D> rows_;
  physics::terms::ParticleProgram terms_;
  std::string instructions_;
  std::vector<std::unique_ptr<physics::terms::ModuleTerms>> module_terms_;
};

}  // namespace eddyline::sph
