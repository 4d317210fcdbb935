#pragma once
// The state of a flow: fluid and wall particles, where they stand, their neighbours, and the results of the last
// sweeps. T is the type of pair sums (float, or double in double precision), D the dimension. SI units, except for
// rows and sweep results (see physics/delta/sweeps.hpp).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "base/reproducible_sum.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "decompose/partition.hpp"
#include "exchange/halo.hpp"
#include "integrate/balance.hpp"
#include "integrate/classic_results.hpp"
#include "integrate/migrate.hpp"
#include "integrate/openings.hpp"
#include "integrate/schedule.hpp"
#include "integrate/state.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"
#include "particles/cells.hpp"
#include "particles/place.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/state_equations/choice.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::integrate {

/// How a run is computed. None of it changes what is computed.
struct Execution {
  int boxes = 1;                            // of each rank
  int threads = 0;                          // 0: all cores
  std::string instructions = "auto";        // scalar, avx2, avx512
  bool all_pairs = false;                   // no cells: the plain test oracle
  std::int64_t shuffle = 0;                 // not 0: group particles into chunks in a random order
  std::string decomposition = "bisection";  // see decompose::cuts_of()
  std::string exchange = "nonblocking";     // see exchange::strategy_names()
  bool rebalance = true;                    // share the domain out anew when that is worth its price
  int rebalance_every = 0;                  // not 0: at every so many rebuilds, whatever it costs (a test of the law)
};

/// Constants of a run in SI units, from the world.
struct Constants {
  particles::Lengths length;
  FixedPoint fixed;
  double rho0, c0, nu;
  double nu_fluid;                           // max(nu, nu of the artificial viscosity): between fluid particles
  double volume;                             // of a lattice cell [m^D]
  double inverse_c0, inverse_mass;           // 1/c0, 1/(rho0 volume): to dimensionless rows
  physics::StateEquation state;              // dimensionless
  double kernel;                             // K: grad W dx^D = -K F r / R^2, see the kernels
  double rate;                               // c0 / R [1/s]
  double speed_limit;                        // of the blow-up doctor [m/s]
  bool free_surface;                         // pressure at walls is then never negative
  double shifting_strength;                  // A
  double acoustic_damping;                   // alpha, 0 with a free surface: div v of spray is no sound
  physics::delta::FluidViscosity viscosity;  // by whether there is a free surface

  /// Whether a density excess is one that the blow-up doctor lets pass.
  bool density_is_sound(double s) const { return state.is_gas() ? s > -1 && s < INFINITY : std::abs(s) < 0.5; }
};

/// Exact maxima over the particles at the end of a step: of this rank, until agree() makes them those of all. They are
/// the same for any number of threads, boxes and ranks.
struct Extremes {
  double speed = 0;         // largest |v| [m/s]
  double corrected = 0;     // largest distance that shifting and contact have moved a particle in the step [m]
  bool bad = false;         // a value is not finite, too fast or has jumped
  double signal = 0;        // classic: the highest signal speed [m/s]
  double acceleration = 0;  // classic: the largest of the last evaluation [m/s^2]
};

/// What decisions rest on: time step, rebuild, stop. The same on all ranks. What a step leaves is agreed on at the
/// control point of the next one, which asks all ranks anyway.
struct Control {
  double speed = 0;     // largest |v| when the last control point was passed, at the start of a step [m/s]
  double approach = 0;  // of particles in touching cells since the last rebuild, at the end of the step [m]
  double moved = 0;     // of any particle since the last rebuild, at the end of the step [m]
  bool bad = false;     // the last step has gone wrong
  bool stop = false;    // somebody has asked for an end after this step
};

template <class T, int D>
class Flow {
 public:
  /// Collective, as most of what follows: all ranks of the communicator do the same.
  Flow(const world::World& world, const Execution& execution, comm::Communicator& communicator);

  /// Sorts particles into cells, finds ghosts and neighbours. The only place where order and membership change, and
  /// where particles go from rank to rank.
  void rebuild();

  /// Adds what this rank holds to a checkpoint, and what is the same on all ranks.
  void save(ArchiveWriter& archive);
  /// Goes on where a checkpoint was written, on any number of ranks: order, ghosts and lists become those of the
  /// rebuild before it. Each rank brings some of its parts, the root the first. Collective.
  void restore(const std::vector<ArchiveReader>& parts);

  /// Lists over the fluid without buffers, for forces: of the buffers' particles, in the order of openings.members(),
  /// and of walls. They hold until the next rebuild; a second call does nothing, nor does one without openings.
  void find_free_neighbors();
  /// Walls over the fluid that they exert forces on.
  const neighbors::NeighborList& wall_reaction() const { return openings.empty() ? wall_fluid : wall_free; }
  const std::vector<Block>& wall_reaction_blocks() const {
    return openings.empty() ? schedule.walls : schedule.free_walls;
  }

  /// Changes the world between two steps, the same on all ranks. The stepper is told next, see Step::world_changed().
  /// Throws UserError, and then nothing has changed.
  void change(const world::Change& change);

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return layout_; }
  const decompose::Partition& partition() const { return partition_; }
  comm::Communicator& communicator() const { return communicator_; }
  /// Whether some body moves: walls are then sorted at every rebuild, as the fluid is.
  bool walls_move() const { return walls_move_; }
  /// Where the rows of walls stood at the last rebuild.
  const neighbors::FixedPositions& wall_positions() const { return wall_positions_; }
  std::int64_t memory() const;
  const std::string& instructions() const { return execution_.instructions; }
  /// Pressure of particle i [Pa].
  double pressure(std::size_t i) const;

  FluidState<D> fluid;
  WallState<D> wall;
  Openings<D> openings;
  Control control;
  Extremes latest;  // of the last step
  double time = 0, time_step = 0;
  std::int64_t steps = 0, rebuilds = 0;
  std::int64_t last_rebuild = 0;    // the step before which it was
  std::int64_t contacts = 0;        // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;  // through open sides; they are removed at rebuilds
  ReproducibleSum left_mass;        // [kg], kg/m in 2D
  struct {
    std::int64_t fluid = 0, walls = 0;
  } everywhere;               // particles of all ranks, since the last rebuild
  std::int64_t migrants = 0;  // particles that have come from other ranks
  Balance balance;
  Timers timers;

  // Rows of all particles and ghosts, and who stands where. In the scheme classic `pressed` holds its only rows.
  neighbors::Rows<T> moving{physics::delta::k_moving_stride<D>};
  neighbors::Rows<T> pressed;
  neighbors::Rows<T> walls{physics::delta::k_wall_stride<D>};
  neighbors::Rows<T> nodes{physics::delta::k_node_stride};
  particles::CellRows fluid_rows, wall_rows, node_rows;
  exchange::Halo fluid_halo, wall_halo;
  neighbors::WallDisplacement wall_displacement;  // at the end of the step; only where walls move
  neighbors::NeighborList fluid_fluid, fluid_wall, wall_fluid, node_fluid;
  neighbors::NeighborList buffer_free, wall_free;  // buffers and walls over fluid alone, see find_free_neighbors()
  Array<std::int32_t> node_number;                 // of each node in the order of node_rows, as Openings counts them

  // Results of the sweeps, in whole chunks.
  Array<T> divergence, diffusion, viscous[D], pressure_force[D], shift[D], surface;
  Array<T> filling;  // confined flows
  Array<T> wall_weight, wall_pressure, wall_lever[D], wall_velocity[D];
  Array<T> viscous_reaction[D], pressure_reaction[D];
  ClassicResults<T, D> classic;  // of the scheme classic, else empty
  Array<T> node_sums[physics::LinearFitSums<T, D>::k_values];

  Schedule schedule;  // since the last rebuild

  physics::delta::Sweeps<T, D> sweeps;
  physics::delta::SweepInput<T> input() const;

  /// Rows of dummy particles as far as they never change: place, volume and whether the fluid sticks; zeros else.
  void write_wall_rows();

  /// Makes what this rank has found of the last step that of all ranks. Collective.
  void agree();
  /// The control point of a step: agrees on the last step and on how far particles of all ranks will have moved since
  /// the last rebuild at the end of this one, whose middle is in `moving`. Collective.
  neighbors::Drift drift();
  /// How much farther than the skin a particle may move before lists of what stands still may lack it [m]. Nodes of
  /// openings, which stand in the stream, look less far than R.
  double reach_of_lists() const {
    const double R = constants_.length.interaction_radius;
    return openings.empty() ? 0.5 * R : (1 - particles::k_node_reach) * R;
  }

 private:
  void change_motion(const world::Change& change);
  void place();
  void place_walls(const particles::Placement& placement);
  void place_nodes();
  particles::CellGrid make_grid() const;
  void decompose(const particles::CellGrid& grid);
  void share_out(const particles::CellGrid& grid, const std::vector<Int3>& cells, std::int64_t weight);
  bool rebalance_is_due();
  void rebalance();
  double buffer_length(int axis) const;
  void wrap_into_periods();
  void remove_leavers();
  void sort_fluid();
  void sort_walls();
  void find_fluid_rows();
  void keep_wall_rows();
  void find_wall_rows();
  void find_neighbors();
  void hide_buffers();
  void find_node_neighbors();
  void make_schedule();
  void migrate_fluid();
  void count_everywhere();
  std::vector<int> ranks_of(const VectorArray<double, D>& x) const;
  void agree(std::span<double> more, std::string_view what);
  template <class Visit>
  void for_each_wall_field(Visit&& visit) {
    wall.for_each_array(visit);
    visit(Strided<T>{wall_row_scratch_, static_cast<std::size_t>(walls.stride())});
  }
  void sort(std::span<const double* const> position, std::span<const std::int64_t> id, particles::CellRows& rows,
            Array<std::int32_t>& order);
  void find_positions(const particles::CellRows& rows, const VectorArray<double, D>& x, exchange::Halo& halo,
                      neighbors::FixedPositions& positions);
  void find_halo(const particles::CellRows& rows, exchange::Halo& halo) const;

  // Where a field of each type is reordered before the two are swapped.
  Array<double>& scratch_for(const Array<double>&) { return scratch_; }
  Array<std::int64_t>& scratch_for(const Array<std::int64_t>&) { return id_scratch_; }
  Array<std::int32_t>& scratch_for(const Array<std::int32_t>&) { return owner_scratch_; }
  Array<std::uint8_t>& scratch_for(const Array<std::uint8_t>&) { return buffer_scratch_; }
  VectorArray<double, D>& scratch_for(const VectorArray<double, D>&) { return vector_scratch_; }

  world::World world_;
  Execution execution_;
  comm::Communicator& communicator_;
  Constants constants_;
  decompose::Partition partition_;
  particles::CellLayout layout_;
  exchange::Halo cell_halo_;  // of numbers of particles in cells
  particles::CellSort sort_;
  Array<std::int32_t> order_;
  Array<double> scratch_;
  VectorArray<double, D> vector_scratch_;
  Array<std::int64_t> id_scratch_;
  bool walls_move_ = false;
  Array<T> wall_row_scratch_;
  Array<std::int32_t> owner_scratch_;
  Array<std::uint8_t> buffer_scratch_;
  neighbors::FixedPositions fluid_positions_, wall_positions_, node_positions_;
  neighbors::FixedPositions free_positions_;  // of the fluid, buffers out of reach
  particles::CellRows buffer_rows_;           // where the buffers' particles stand
  bool free_neighbors_found_ = false;
  Array<std::uint8_t> hidden_;  // rows of buffers
  neighbors::DriftBound<T, D> drift_bound_;
};

}  // namespace eddyline::integrate
