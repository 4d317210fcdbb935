#pragma once
// Openings in a time step, as both schemes have them.

#include <array>
#include <cstdint>
#include <vector>

#include "base/parallel_for.hpp"
#include "domain/contact.hpp"
#include "domain/node_fits.hpp"
#include "solvers/sph/openings/opening_rules.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Evaluates the flow in front of the openings, and what they impose on their buffers. A scheme derives from this class
/// what it does with the rows, the sums and the rates of the buffers' particles.
template <class T, int D>
class OpeningStep {
 public:
  explicit OpeningStep(Parts<T, D>& parts);

  /// Tells whether each step needs the forces on walls before openings are evaluated: a stream depends on the forces on
  /// bodies.
  bool takes_forces() const { return state_.openings.far_field().is_needed(); }
  /// Sets how far beyond inflows contact leaves fluid.
  void set_allowed_depths(domain::Contact& contact) const;

 protected:
  static constexpr double k_light = 3e-8, k_formulas = 2e-7;  // approximate time of one iteration of some loops [s]

  /// Sets velocities of the buffers at the midpoint of the step, and their places and velocities in `rows`, which
  /// begin with x and v. `at_rest` while a start settles.
  void put_midpoint_places(neighbors::PairData<T>& rows, double dt, bool at_rest);
  /// Input for the sums of the fluid at the nodes, from that of other sweeps.
  template <class Input>
  Input for_nodes(Input in) const;
  physics::NodeResults<T, D> node_results();
  /// Sums the fluid at the nodes by a sweep.
  template <class Input, class Sweep>
  void sum_nodes(const Input& in, Sweep sweep);
  /// Fits the sums at the nodes and evaluates what openings impose at time t.
  void evaluate(double t, double dt, bool at_rest);
  /// Sets density, and in inflows mass, of particle i of a buffer at time t. G: becomes the gradient of its pressure in
  /// an inflow, else 0.
  void set_density(std::size_t i, double t, std::array<double, D>& G);
  /// Returns the velocity of a particle in a buffer: that of its site, or interpolated between sites in an outflow.
  std::array<double, D> velocity_of(std::size_t i) const;
  /// Returns the axis along which a particle in a buffer moves.
  int axis_of(std::size_t i) const { return state_.openings.all()[state_.fluid.buffer[i] - 1u].sites.axis; }
  /// Prevents walls beside inflows from spreading jets into air. divergence: sums that are positive where fluid
  /// expands.
  void enforce_jet_cohesion(T* divergence) const;
  /// Calls visit(m, i) for the m-th of the buffers' particles, which is the fluid's i-th, in parallel if that pays.
  /// `seconds`: approximate time of one call.
  template <class Visit>
  void for_each_member(double seconds, Visit&& visit) const;

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;

 private:
  void enforce_cohesion(const Opening<D>& opening, T* divergence) const;
  void set_inflow_velocities(double t, bool at_rest);
  void let_sound_out(Opening<D>& opening, std::int64_t site) const;
  void sum_forces_on_bodies();
  void share_out();
  void fit_nodes();
  double reflected(const Opening<D>& opening, std::int64_t site, double depth, std::array<double, D>& gradient) const;

  NodeFits<D> fits_;
  OpeningRules<D> rules_;
  std::int64_t shared_ = 0;  // number of partitions of the domain when fits_ was set up
};

template <class T, int D>
template <class Input>
Input OpeningStep<T, D>::for_nodes(Input in) const {
  in.nodes = scratch_.nodes.data();
  in.scale = static_cast<T>(state_.constants.scale / particles::k_node_reach);
  return in;
}

template <class T, int D>
template <class Input, class Sweep>
void OpeningStep<T, D>::sum_nodes(const Input& input, Sweep sweep) {
  Input in = input;
  in.targets = lists_.node_fluid.targets();
  in.fluid_neighbors = lists_.node_fluid.chunks().data();
  const physics::NodeResults<T, D> out = node_results();
  const auto chunks = static_cast<std::int64_t>(lists_.node_fluid.chunks().size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t c = 0; c < chunks; ++c) sweep(in, out, c, c + 1);
}

template <class T, int D>
template <class Visit>
void OpeningStep<T, D>::for_each_member(double seconds, Visit&& visit) const {
  const auto& members = state_.openings.members();
  const auto n = static_cast<std::int64_t>(members.size());
#pragma omp parallel for schedule(static) if (pays_in_parallel(n, seconds))
  for (std::int64_t m = 0; m < n; ++m) {
    const auto k = static_cast<std::size_t>(m);
    visit(k, static_cast<std::size_t>(members[k]));
  }
}

}  // namespace eddyline::sph
