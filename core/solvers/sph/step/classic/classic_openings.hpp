#pragma once
// Openings in a step of the scheme classic.

#include <vector>

#include "base/arrays.hpp"
#include "physics/classic/sweeps.hpp"
#include "solvers/sph/openings/opening_step.hpp"

namespace eddyline::sph {

/// Sets the buffers of openings at the midpoint of a step, and sums their forces on the fluid. A buffer's particles
/// have no rates: their density and velocity are imposed, and they keep the thermal energy with which they came.
template <class T, int D>
class ClassicOpenings : public OpeningStep<T, D> {
 public:
  using SweepInput = physics::classic::SweepInput<T>;

  explicit ClassicOpenings(Parts<T, D>& parts)
      : Base(parts), sweeps_(physics::classic::choose_sweeps<T, D>(parts.domain.execution().instructions)) {}

  /// Sets velocities and rows of the buffers at the midpoint of the step. `at_rest` while a start settles.
  void write_midpoint_rows(double dt, bool at_rest) { this->put_midpoint_places(scratch_.end_rows, dt, at_rest); }
  /// Sets density and velocity of the buffers at time t from the fluid in front of them, and their rows.
  void extrapolate(const SweepInput& in, double t, double dt, bool at_rest);
  /// Sums the forces of the buffers on the fluid at the midpoint of the step.
  void react(SweepInput in, physics::classic::Terms terms);
  /// Clears what sweeps have summed for buffers, and keeps jets together.
  void discard_rates();
  /// Moves the buffers along the normals of their openings by the whole step, so that the particles of each site stay
  /// in one column, and sets the velocities that extrapolate() has found, after the update of the fluid.
  void hold();
  /// Keeps where buffers will be at the end of the step, before the update of the fluid.
  void find_ends(double dt);

 private:
  using Base = OpeningStep<T, D>;
  using Base::state_, Base::scratch_, Base::domain_, Base::lists_, Base::for_each_member, Base::velocity_of,
      Base::axis_of, Base::k_light, Base::k_formulas;

  physics::classic::Sweeps<T, D> sweeps_;   // compiled for the instruction set of the run
  std::vector<double> end_;                 // of the buffers' particles, along their normals [m]
  std::vector<neighbors::Chunk> no_walls_;  // empty lists
  Array<T> unused_, force_[D], drift_[D];   // results of the buffers
};

}  // namespace eddyline::sph
