#pragma once
// Inflow and outflow. Beyond each opening lies a buffer of particles that are rows like any fluid, but whose velocity
// and pressure are set and not computed. A particle changes its kind at rebuilds only, where also new ones enter at the
// far end of an inflow's buffer and others leave at the far end of an outflow's.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/communicator.hpp"
#include "particles/openings.hpp"
#include "solvers/sph/openings/far_field.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

template <class T, int D>
struct FluidState;

/// Layers of nodes, counted inwards: the opening's own, and where the slope of the pressure is taken.
inline constexpr std::int32_t k_slope_layer = 2, k_outflow_layers = k_slope_layer + 1;

/// An opening and its state. Sites and nodes stand still. SI units.
template <int D>
struct Opening {
  world::Opening world;
  particles::OpeningSites sites;
  std::int32_t first_node = 0,
               layers = 0;  // nodes: layers of sites inside the fluid, beside an inflow as many as the buffer's
  std::vector<std::array<double, D>> velocity;  // of the buffer at each site, where this rank has cells at it [m/s]
  double pace = 1;                              // inflow: speed over the imposed one, see measure_inflow()
  double allowed_depth = 0;                            // inflow: fluid has begun so far beyond it at most [m]
  bool is_here = true;                          // whether this rank has cells at it or in its buffer
  double pressure = 0;                          // outflow: of its buffer, above its level [Pa]
  double reference_speed = 0;                   // outflow: running mean of the speed through it [m/s];
                                                // stream: fluid is taken so far beyond it [m]
  double lead = 0;                              // outflow: faster than that for the fit or the level [m/s];
                                                // stream: mass that has come in by its velocity [kg/m]
  double slope = 0;                             // running mean of the pressure's outward gradient [Pa/m]

  /// The highest speed inwards, of an inflow.
  double fastest() const {
    double most = 0;
    for (const auto& v : velocity) most = std::max(most, sites.inward * v[static_cast<std::size_t>(sites.axis)]);
    return most;
  }

  // Of this rank: sums over ranks are the opening's.
  ReproducibleSum mass_flow;                // into the flow, at the sites [kg/s, kg/(m s) in 2D]
  std::array<ReproducibleSum, D> force;     // of the buffer on the fluid, if asked for [N, N/m in 2D]
  ReproducibleSum mass;                     // carried into the flow so far [kg, kg/m in 2D]
  std::array<ReproducibleSum, D> momentum;  // likewise [kg m/s, kg/s in 2D]
};

/// All openings of a world: who is in which buffer, who enters and who leaves.
template <int D>
class Openings {
 public:
  explicit Openings(const world::World& world);

  bool empty() const { return all_.empty(); }
  std::vector<Opening<D>>& all() { return all_; }
  const std::vector<Opening<D>>& all() const { return all_; }

  /// The axis that all of them lie across; -1 if there is none.
  int common_axis() const {
    int axis = all_.empty() ? -1 : all_.front().sites.axis;
    for (const auto& opening : all_) axis = opening.sites.axis == axis ? axis : -1;
    return axis;
  }
  /// Nodes are numbered by opening, layer and site.
  std::int32_t nodes() const { return nodes_; }
  Vec3 node(std::int32_t number) const;

  /// Change of kind and insertion: fluid beyond an outflow joins its buffer; a particle that has passed an inflow
  /// becomes fluid, and the next of its site enters one buffer length upstream. A stream takes fluid in that leaves
  /// through it, and where it runs outwards the last particle of a site becomes the first. What counts is where
  /// particles will be in the time `ahead` [s], half way to when they are asked again, so that on average they change
  /// at the opening.
  template <class T>
  void pass(FluidState<T, D>& fluid, double ahead);
  /// Whether particle i has reached the end of an outflow's buffer, or has left through a stream.
  template <class T>
  bool is_spent(const FluidState<T, D>& fluid, std::size_t i) const;
  /// Finds the buffers' particles in the order of the fluid.
  template <class T>
  void find_members(const FluidState<T, D>& fluid);
  const Array<std::int32_t>& members() const { return members_; }

  FarField<D>& far_field() { return far_field_; }
  const FarField<D>& far_field() const { return far_field_; }

  /// Adds all that openings carry from step to step to a checkpoint.
  void save(ArchiveWriter& archive) const;
  /// Gives what only ranks at an opening know to all: cells change hands. Collective.
  void share(comm::Communicator& communicator);
  /// Takes it back; the root brings the first part. Collective.
  void restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

 private:
  static bool take_flow(Opening<D>& opening, const std::vector<ArchiveReader>& parts);
  static void share_velocities(Opening<D>& opening, bool known, comm::Communicator& communicator);

  std::vector<Opening<D>> all_;
  FarField<D> far_field_;
  std::int32_t nodes_ = 0;
  Array<std::int32_t> members_, entering_;
  SparseIterations sparse_;  // particles that pass an opening, or stand in buffers
};

}  // namespace eddyline::sph
