#pragma once
// The state of a flow: the fields of its particles and their clock. SI units.

#include <cstddef>
#include <cstdint>

#include "base/reproducible_sum.hpp"
#include "base/vec.hpp"
#include "domain/openings.hpp"
#include "domain/walls.hpp"
#include "solvers/sph/state/constants.hpp"
#include "solvers/sph/state/control.hpp"
#include "solvers/sph/state/fluid_state.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

using domain::Opening;
using domain::Openings;

using domain::WallState;

/// Everything that a run computes and that ends up in series, snapshots and checkpoints. T is the type of pair sums
/// (float, or double in double precision), D the dimension. Who computes it where is the matter of Domain.
template <class T, int D>
struct State {
  explicit State(const world::World& world);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  world::World world;  // periods are whole quanta; changes during a run
  Constants constants;

  FluidState<T, D> fluid;
  WallState<D> wall;
  Openings<D> openings;
  bool walls_move;  // whether any body moves: walls are then sorted at every rebuild, as the fluid is

  double time = 0, time_step = 0;
  std::int64_t steps = 0;
  Control control;
  /// Offset of the volume fraction in sealed fluid: mean_excess_volume_fraction() at the start, if negative.
  double volume_fraction_offset = 0;

  // Counts of events on this rank.
  std::int64_t contacts = 0;        // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;  // through open sides, or displaced by a body; they are removed at rebuilds
  ReproducibleSum left_mass;        // [kg], kg/m in 2D

  /// Pressure of particle i [Pa].
  double pressure(std::size_t i) const;
  /// Share of wall particle k that counts at x, see fraction_inside_walls(), and its volume there, relative to a fluid
  /// particle.
  double wall_share(std::size_t k, const Vec3& x) const;
  double wall_volume(std::size_t k, const Vec3& x) const;
  /// The distance that sound travels in a time [quanta].
  double acoustic_distance(double duration) const { return duration * constants.c0 / constants.fixed.quantum(); }
  /// The acoustic distance of half a step.
  float half_a_step() const { return static_cast<float>(acoustic_distance(0.5 * time_step)); }
  /// Largest displacement of a particle beyond the skin for which lists of rows that stand still are complete [m].
  /// Nodes of openings, which stand in the stream, look less far than R.
  double reach_of_lists() const {
    const double R = constants.length.interaction_radius;
    return openings.empty() ? 0.5 * R : (1 - particles::k_node_reach) * R;
  }
  /// Estimates the largest displacement of a particle in this step: by the largest speed, plus the last correction [m].
  double step_displacement() const {
    constexpr double k_faster = 1.05;  // than before the step
    return k_faster * control.speed * time_step + control.latest.corrected;
  }
  /// Tells whether openings hold until the end of this step. Particles enter and leave them at rebuilds only, and until
  /// then must not have moved farther than buffers are made for.
  bool openings_hold(double farthest) const {
    return openings.empty() || control.path_since_rebuild + step_displacement() <= farthest;
  }
};

}  // namespace eddyline::sph
