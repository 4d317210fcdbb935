#pragma once
// Openings in a time step.

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "domain/node_fits.hpp"
#include "solvers/sph/openings/opening_reactions.hpp"
#include "solvers/sph/openings/opening_rules.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Sets the buffers of openings in a time step, and sums their forces on the fluid.
template <class T, int D>
class OpeningStep {
 public:
  explicit OpeningStep(Parts<T, D>& parts);

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
  /// Tells whether each step needs the forces on walls before extrapolate(): a stream depends on the forces on bodies.
  bool takes_forces() const { return state_.openings.far_field().is_needed(); }
  /// Sum the forces of the buffers on the fluid: viscous ones at the midpoint of the step, pressure at its end.
  void react_viscous() {
    if (!state_.openings.empty()) reactions_.add_viscous();
  }
  void react_pressure() {
    if (!state_.openings.empty()) reactions_.add_pressure();
  }
  /// Clear what sweeps have summed for buffers, which must not move them.
  void discard_rates();
  void discard_forces();
  /// Prevents walls beside inflows from spreading jets into air.
  void enforce_jet_cohesion();
  /// Sets velocities and density gradients that extrapolate() has found, and no acceleration.
  void hold();

 private:
  template <class Visit>
  void for_each_member(double seconds, Visit&& visit) const;
  void enforce_cohesion(const Opening<D>& opening);
  void set_inflow_velocities(double t, bool at_rest);
  void let_sound_out(Opening<D>& opening, std::int64_t site) const;
  void sum_forces_on_bodies();
  void share_out();
  void fit_nodes();
  void sum_nodes(physics::delta::SweepInput<T> in, const physics::delta::NodeResults<T, D>& out);
  double reflected(const Opening<D>& opening, std::int64_t site, double depth, std::array<double, D>& gradient) const;
  std::array<double, D> velocity_of(std::size_t i) const;

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  SumNodes sum_nodes_;
  NodeFits<D> fits_;
  OpeningRules<D> rules_;
  OpeningReactions<T, D> reactions_;
  physics::delta::Sweeps<T, D> sweeps_;          // compiled for the instruction set of the run
  std::int64_t shared_ = 0;                      // number of partitions of the domain when fits_ was set up
  std::vector<std::array<double, D>> gradient_;  // G of the buffers' particles
};

}  // namespace eddyline::sph
