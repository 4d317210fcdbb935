#pragma once
// Inflow and outflow. Beyond each opening lies a buffer of particles that are rows like any fluid, but whose velocity
// and pressure are set and not computed. A particle changes its kind at rebuilds only, where also new ones enter at the
// far end of an inflow's buffer and others leave at the far end of an outflow's.

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/reproducible_sum.hpp"
#include "exchange/halo.hpp"
#include "neighbors/list.hpp"
#include "particles/openings.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "world/world.hpp"

namespace eddyline::integrate {

template <int D>
struct FluidState;
template <class T, int D>
class Flow;

/// An opening and its state. Sites and nodes stand still. SI units.
template <int D>
struct Opening {
  world::Opening world;
  particles::OpeningSites sites;
  std::int32_t first_node = 0, layers = 0;      // nodes: layers of sites inside the fluid, mirrored buffer columns
  std::vector<std::array<double, D>> velocity;  // of the buffer at each site, where this rank has cells at it [m/s]
  double pace = 1;                              // inflow: speed over the imposed one, see measure_inflow()
  bool is_here = true;                          // whether this rank has cells at it or in its buffer
  double pressure = 0;                          // outflow: of its buffer, above its level [Pa]
  double reference_speed = 0;                   // outflow: running mean of the speed through it [m/s]
  double lead = 0;                              // outflow: what its buffer must be faster than the nodes [m/s]
  double slope = 0;                             // running mean of the pressure's outward gradient [Pa/m]

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

  /// Nodes are numbered by opening, layer and site.
  std::int32_t nodes() const { return nodes_; }
  Vec3 node(std::int32_t number) const;

  /// Change of kind and insertion: fluid beyond an outflow joins its buffer; a particle that has passed an inflow
  /// becomes fluid, and the next of its site enters one buffer length upstream.
  void pass(FluidState<D>& fluid);
  /// Whether particle i has reached the end of an outflow's buffer.
  bool is_spent(const FluidState<D>& fluid, std::size_t i) const;
  /// Finds the buffers' particles in the order of the fluid.
  void find_members(const FluidState<D>& fluid);
  const Array<std::int32_t>& members() const { return members_; }

  /// Adds all that openings carry from step to step to a checkpoint.
  void save(ArchiveWriter& archive) const;
  /// Gives what only ranks at an opening know to all: cells change hands. Collective.
  void share(comm::Communicator& communicator);
  /// Takes it back; the root brings the first part. Collective.
  void restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

 private:
  static void share_velocities(Opening<D>& opening, bool known, comm::Communicator& communicator);

  std::vector<Opening<D>> all_;
  std::int32_t nodes_ = 0;
  Array<std::int32_t> members_, entering_;
};

/// What a time step does at openings.
template <class T, int D>
class OpeningStep {
 public:
  explicit OpeningStep(Flow<T, D>& flow);

  /// Velocities and rows of the buffers half way through the step. `at_rest` while a start settles.
  void write_moving(double dt, bool at_rest);
  /// Buffers drift along the normals of their openings only, so that the particles of a site stay in file.
  void keep_files();
  /// Pressure and velocity of the buffers at time t from the fluid in front of them, and their rows.
  void extrapolate(double t, double dt, bool at_rest);
  /// Forces of the buffers on the fluid: viscous ones half way through the step, pressure at its end.
  void react_viscous();
  void react_pressure();
  /// What sweeps summed for buffers does not move them.
  void discard_rates();
  void discard_forces();
  /// Velocities and density gradients as extrapolate() found them, no acceleration.
  void hold();

 private:
  /// What the fluid in front of an opening is like, on the mean over its wet sites.
  struct Means {
    double speed = 0;     // outwards [m/s]
    double pressure = 0;  // above that of the file [Pa]
    double slope = 0;     // of the pressure, outwards [Pa/m]
    double pace = 1;      // inflow: at which it carries the mass of the file's stream
  };

  void set_inflow_velocities(double t, bool at_rest);
  void fit_nodes();
  void share_fits();
  std::vector<Means> measure(double t);
  void rule_inflow(Opening<D>& opening, const Means& means, double dt);
  void rule_outflow(Opening<D>& opening, const Means& means, double t, double dt, bool at_rest);
  double follow(const Opening<D>& opening, double dt) const;
  bool is_wet(std::int32_t node) const;
  double reflected(const Opening<D>& opening, std::int64_t site, double depth, std::array<double, D>& gradient) const;
  std::array<double, D> velocity_of(std::size_t i) const;
  void prepare_reactions();
  void add_reactions(bool viscous);

  Flow<T, D>& flow_;
  Array<physics::LinearFit<D>> fits_;            // by number of the node
  Array<std::uint8_t> owned_;                    // whether a node stands in this rank's cells
  exchange::Halo fit_halo_;                      // brings fits to all ranks at an opening
  std::int64_t shared_ = 0;                      // how often the domain had been shared out when that was found
  std::vector<std::array<double, D>> gradient_;  // G of the buffers' particles
  std::vector<neighbors::Chunk> no_walls_;       // empty lists
  Array<T> divergence_, diffusion_, surface_, reaction_[D], shift_[D];
};

}  // namespace eddyline::integrate
