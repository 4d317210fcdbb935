#pragma once
// What a time step does at openings.

#include <array>
#include <cstdint>
#include <vector>

#include "solvers/sph/flow.hpp"
#include "solvers/sph/openings/node_fits.hpp"
#include "solvers/sph/openings/opening_reactions.hpp"
#include "solvers/sph/openings/opening_rules.hpp"

namespace eddyline::sph {

/// What a time step does at openings.
template <class T, int D>
class OpeningStep {
 public:
  explicit OpeningStep(Flow<T, D>& flow);

  /// Velocities and rows of the buffers half way through the step. `at_rest` while a start settles.
  void write_midpoint_rows(double dt, bool at_rest);
  /// Buffers drift along the normals of their openings only, so that the particles of a site stay in file.
  void align_particle_columns();
  /// Pressure and velocity of the buffers at time t from the fluid in front of them, and their rows.
  void extrapolate(double t, double dt, bool at_rest);
  /// Whether each step needs the forces on walls before extrapolate(): a stream follows those on bodies.
  bool takes_forces() const { return flow_.openings.far_field().is_needed(); }
  /// Forces of the buffers on the fluid: viscous ones half way through the step, pressure at its end.
  void react_viscous() {
    if (!flow_.openings.empty()) reactions_.add_viscous();
  }
  void react_pressure() {
    if (!flow_.openings.empty()) reactions_.add_pressure();
  }
  /// What sweeps summed for buffers does not move them.
  void discard_rates();
  void discard_forces();
  /// Jets into air are not drawn apart by the walls beside inflows.
  void enforce_jet_cohesion();
  /// Velocities and density gradients as extrapolate() found them, no acceleration.
  void hold();

 private:
  template <class Visit>
  void for_each_member(double seconds, Visit&& visit) const;
  void enforce_cohesion(const Opening<D>& opening);
  void set_inflow_velocities(double t, bool at_rest);
  void sum_forces_on_bodies();
  void share_out();
  void fit_nodes();
  double reflected(const Opening<D>& opening, std::int64_t site, double depth, std::array<double, D>& gradient) const;
  std::array<double, D> velocity_of(std::size_t i) const;

  Flow<T, D>& flow_;
  NodeFits<D> fits_;
  OpeningRules<D> rules_;
  OpeningReactions<T, D> reactions_;
  std::int64_t shared_ = 0;                      // how often the domain had been shared out when fits_ was told
  std::vector<std::array<double, D>> gradient_;  // G of the buffers' particles
};

}  // namespace eddyline::sph
