#pragma once
// Openings in a step of the scheme delta.

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "physics/delta/sweeps.hpp"
#include "solvers/sph/openings/opening_step.hpp"
#include "solvers/sph/step/delta/opening_reactions.hpp"

namespace eddyline::sph {

/// Sets the buffers of openings in a time step, and sums their forces on the fluid.
template <class T, int D>
class DeltaOpenings : public OpeningStep<T, D> {
 public:
  explicit DeltaOpenings(Parts<T, D>& parts);

  /// Sums the fluid at the nodes where a device has the rows; returns whether it has.
  using SumNodes = std::function<bool(physics::delta::SweepInput<T> in, T* const* value)>;
  void sum_elsewhere(SumNodes nodes, typename OpeningReactions<T, D>::SumElsewhere reactions) {
    sum_nodes_ = std::move(nodes);
    reactions_.sum_elsewhere(std::move(reactions));
  }

  /// Sets velocities and rows of the buffers at the midpoint of the step. `at_rest` while a start settles.
  void write_midpoint_rows(double dt, bool at_rest);
  /// Moves buffers along the normals of their openings only, so that the particles of each site stay in one column.
  void align_particle_columns();
  /// Sets pressure and velocity of the buffers at time t from the fluid in front of them, and their rows.
  void extrapolate(double t, double dt, bool at_rest);
  /// Sum the forces of the buffers on the fluid: viscous ones at the midpoint of the step, pressure at its end.
  void react_viscous() {
    if (!state_.openings.empty()) reactions_.add_viscous();
  }
  void react_pressure() {
    if (!state_.openings.empty()) reactions_.add_pressure();
  }
  /// Clear what sweeps have summed for buffers, which must not move them. Rates keep jets together as well.
  void discard_rates();
  void discard_forces();
  /// Sets velocities and density gradients that extrapolate() has found, and no acceleration.
  void hold();

 private:
  using Base = OpeningStep<T, D>;
  using Base::state_, Base::scratch_, Base::domain_, Base::lists_, Base::for_each_member, Base::velocity_of,
      Base::axis_of, Base::k_light, Base::k_formulas;

  SumNodes sum_nodes_;
  OpeningReactions<T, D> reactions_;
  physics::delta::Sweeps<T, D> sweeps_;          // compiled for the instruction set of the run
  std::vector<std::array<double, D>> gradient_;  // G of the buffers' particles
};

}  // namespace eddyline::sph
