#pragma once
// Inflow and outflow. Beyond each opening lies a buffer of particles. They have rows like any fluid, but their velocity
// and pressure are set and not computed. Particles enter or leave a buffer at rebuilds only; there new particles are
// inserted at the far end of an inflow's buffer and particles are removed at the far end of an outflow's.

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

/// Layers of nodes, counted inwards: the opening's own, and the layer for the slope of the pressure.
inline constexpr std::int32_t k_slope_layer = 2, k_outflow_layers = k_slope_layer + 1;

/// An opening and its state. Sites are the points from which particles are injected; sites and nodes stand still. SI
/// units.
template <int D>
struct Opening {
  world::Opening world;
  particles::OpeningSites sites;
  std::int32_t first_node = 0,
               layers = 0;  // layers of nodes inside the fluid, for an inflow as many as in the buffer
  std::vector<std::array<double, D>> velocity;  // of the buffer at each site, if this rank has cells at it [m/s]
  double pace = 1;                              // inflow: speed over the imposed one, see measure_inflow()
  double allowed_depth = 0;    // inflow: largest distance beyond it at which particles became fluid [m]
  bool is_here = true;         // whether this rank has cells at it or in its buffer
  double pressure = 0;         // outflow: pressure of its buffer above the imposed one [Pa]
  double reference_speed = 0;  // outflow: running mean of the speed through it [m/s];
                               // stream: depth beyond it at which fluid is removed [m]
  double lead = 0;             // outflow: excess speed from the fit or the surface level [m/s];
                               // stream: mass that should have entered by its velocity [kg/m]
  double slope = 0;            // running mean of the pressure's outward gradient [Pa/m]
  /// Sound at a site of a stream, of rho0 c0^2: running mean of the pressure, and the excess over it.
  struct Sound {
    double mean = 0, wave = 0;
  };
  std::vector<Sound> sound;  // at each site; empty before the start

  /// Highest inward speed of an inflow.
  double fastest() const {
    double most = 0;
    for (const auto& v : velocity) most = std::max(most, sites.inward * v[static_cast<std::size_t>(sites.axis)]);
    return most;
  }

  // Values of this rank; the opening's are sums over ranks.
  ReproducibleSum mass_flow;                // into the flow, at the sites [kg/s, kg/(m s) in 2D]
  std::array<ReproducibleSum, D> force;     // of the buffer on the fluid, if requested [N, N/m in 2D]
  ReproducibleSum mass;                     // total that has entered the flow [kg, kg/m in 2D]
  std::array<ReproducibleSum, D> momentum;  // total that has entered the flow [kg m/s, kg/s in 2D]
};

/// All openings of a world. Decides which particles are in which buffer, and which enter and leave.
template <int D>
class Openings {
 public:
  explicit Openings(const world::World& world);

  bool empty() const { return all_.empty(); }
  std::vector<Opening<D>>& all() { return all_; }
  const std::vector<Opening<D>>& all() const { return all_; }

  /// The axis normal to all openings; -1 if there is no common one.
  int common_axis() const {
    int axis = all_.empty() ? -1 : all_.front().sites.axis;
    for (const auto& opening : all_) axis = opening.sites.axis == axis ? axis : -1;
    return axis;
  }
  /// Number of nodes. They are numbered by opening, layer and site.
  std::int32_t nodes() const { return nodes_; }
  Vec3 node(std::int32_t number) const;

  /// Moves particles between fluid and buffers. Fluid beyond an outflow joins its buffer; a particle that has passed an
  /// inflow becomes fluid, and the next of its site is inserted one buffer length upstream. A stream takes fluid that
  /// leaves through it; where it flows outwards, the last particle of a site becomes the first. Decisions use the
  /// places of particles after the time `ahead` [s], half the time to the next call, so that on average particles
  /// change at the opening.
  template <class T>
  void pass(FluidState<T, D>& fluid, double ahead);
  /// Tells whether particle i has reached the end of an outflow's buffer, or has left through a stream.
  template <class T>
  bool is_spent(const FluidState<T, D>& fluid, std::size_t i) const;
  /// Finds the buffers' particles, in the order of the fluid.
  template <class T>
  void find_members(const FluidState<T, D>& fluid);
  const Array<std::int32_t>& members() const { return members_; }

  FarField<D>& far_field() { return far_field_; }
  const FarField<D>& far_field() const { return far_field_; }

  /// Adds the state of openings to a checkpoint.
  void save(ArchiveWriter& archive) const;
  /// Gives all ranks what only ranks at an opening know, before cells change ranks. Collective.
  void share(comm::Communicator& communicator);
  /// Restores the state; the root provides the first part. Collective.
  void restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

 private:
  static bool take_flow(Opening<D>& opening, const std::vector<ArchiveReader>& parts);
  static void share_sites(Opening<D>& opening, bool known, comm::Communicator& communicator);

  std::vector<Opening<D>> all_;
  FarField<D> far_field_;
  std::int32_t nodes_ = 0;
  Array<std::int32_t> members_, entering_;
  SparseIterations sparse_;  // particles that pass an opening, or are in buffers
};

}  // namespace eddyline::sph
