#pragma once
// The state of a flow: fluid and wall particles, where they stand, their neighbours, and the results of the last
// sweeps. T is the type of pair sums (float, or double in double precision), D the dimension. SI units, except for
// rows and sweep results (see physics/delta/sweeps.hpp).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "base/timers.hpp"
#include "exchange/routes.hpp"
#include "integrate/classic_results.hpp"
#include "integrate/openings.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"
#include "particles/cells.hpp"
#include "particles/place.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/state_equations/choice.hpp"
#include "world/world.hpp"

namespace eddyline::integrate {

/// How a run is computed. None of it changes what is computed.
struct Execution {
  int boxes = 1;
  int threads = 0;                    // 0: all cores
  std::string instructions = "auto";  // scalar, avx2, avx512
  bool all_pairs = false;             // no cells: the plain test oracle
  std::int64_t shuffle = 0;           // not 0: group particles into chunks in a random order
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

template <int D>
struct FluidState {
  Array<std::int64_t> id;
  Array<double> mass;
  Array<double> s;             // density excess rho/rho0 - 1
  Array<std::uint8_t> buffer;  // 1 + the opening whose buffer the particle belongs to; 0: none, it is fluid
  VectorArray<double, D> x, v;
  VectorArray<double, D> a;      // acceleration of the last evaluation, everything included
  VectorArray<double, D> G;      // density gradient for the diffusion, dimensionless
  VectorArray<double, D> x_ref;  // position at the last rebuild

  // Where there is no free surface only, else empty.
  bool confined = false;
  VectorArray<double, D> w;  // velocity of shifting in the last step

  // Of the scheme classic only, else empty.
  bool classic = false;
  Array<double> u;                       // thermal energy [J/kg]
  Array<double> s_rate, u_rate;          // of the last evaluation [1/s], [W/kg]
  Array<double> s_rate_old, u_rate_old;  // of the one before
  VectorArray<double, D> a_old;

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Every array that belongs to a particle and goes with it when particles are sorted: visit(array). The reference
  /// position is set anew by every sort.
  template <class Visit>
  void for_each_array(Visit&& visit) {
    visit(id), visit(mass), visit(s), visit(buffer), visit(x), visit(v), visit(a);
    if (classic) {
      visit(u), visit(s_rate), visit(u_rate), visit(s_rate_old), visit(u_rate_old), visit(a_old);
    } else {
      visit(G);
      if (confined) visit(w);
    }
  }

  /// Copies all that belongs to particle `from` to place `to`.
  void copy(std::size_t from, std::size_t to) {
    for_each_array([&](auto& array) {
      if constexpr (std::is_same_v<decltype(array), VectorArray<double, D>&>) {
        for (int d = 0; d < D; ++d) array[d][to] = array[d][from];
      } else {
        array[to] = array[from];
      }
    });
  }
};

template <int D>
struct WallState {
  Array<std::int64_t> id;
  Array<std::int32_t> owner;  // body, or -1 - side
  VectorArray<double, D> x, v;
  VectorArray<double, D> x_file;  // place at t = 0, as the world file gives it
  Array<double> volume;
  Array<std::uint8_t> no_slip;

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Every array with the same one of another state: visit(mine, other's).
  template <class Visit>
  void for_each_array(WallState& other, Visit&& visit) {
    visit(id, other.id), visit(owner, other.owner), visit(x, other.x), visit(v, other.v);
    visit(x_file, other.x_file), visit(volume, other.volume), visit(no_slip, other.no_slip);
  }
};

/// What the last step leaves for decisions: time step, rebuild, stop. Maxima are exact, so they are the same for any
/// number of threads and boxes.
struct Control {
  double speed = 0;      // largest |v| [m/s]
  double corrected = 0;  // largest distance that shifting and contact have moved a particle in the step [m]
  double approach = 0;   // of particles in touching cells since the last rebuild, at the end of the step [m]
  double moved = 0;      // of any particle since the last rebuild, at the end of the step [m]
  bool bad = false;      // a value is not finite, too fast or has jumped
  double signal = 0;     // classic: the highest signal speed [m/s]
};

template <class T, int D>
class Flow {
 public:
  Flow(const world::World& world, const Execution& execution);

  /// Sorts particles into cells, finds ghosts and neighbours. The only place where order and membership change.
  void rebuild();

  /// Lists over the fluid without buffers, for forces: of the buffers' particles, in the order of openings.members(),
  /// and of walls. They hold until the next rebuild; a second call does nothing, nor does one without openings.
  void find_free_neighbors();
  /// Walls over the fluid that they exert forces on.
  const neighbors::NeighborList& wall_reaction() const { return openings.empty() ? wall_fluid : wall_free; }

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return layout_; }
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
  double time = 0, time_step = 0;
  std::int64_t steps = 0, rebuilds = 0;
  std::int64_t contacts = 0;        // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;  // through open sides; they are removed at rebuilds
  double left_mass = 0;             // [kg], kg/m in 2D
  Timers timers;

  // Rows of all particles and ghosts, and who stands where. In the scheme classic `pressed` holds its only rows.
  neighbors::Rows<T> moving{physics::delta::k_moving_stride<D>};
  neighbors::Rows<T> pressed;
  neighbors::Rows<T> walls{physics::delta::k_wall_stride<D>};
  neighbors::Rows<T> nodes{physics::delta::k_node_stride};
  particles::CellRows fluid_rows, wall_rows, node_rows;
  exchange::Routes fluid_routes, wall_routes;
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

  physics::delta::Sweeps<T, D> sweeps;
  physics::delta::SweepInput<T> input() const;

  /// Rows of dummy particles as far as they never change: place, volume and whether the fluid sticks; zeros else.
  void write_wall_rows();

  /// How far particles will have moved since the last rebuild at the end of this step, whose middle is in `moving`.
  neighbors::Drift drift();
  /// How much farther than the skin a particle may move before lists of what stands still may lack it [m]. Nodes of
  /// openings, which stand in the stream, look less far than R.
  double reach_of_lists() const {
    const double R = constants_.length.interaction_radius;
    return openings.empty() ? 0.5 * R : (1 - particles::k_node_reach) * R;
  }

 private:
  void place();
  void place_walls(const particles::Placement& placement);
  void place_nodes();
  void make_grid(const particles::Placement& placement, int boxes);
  double buffer_length(int axis) const;
  void wrap_into_periods();
  void remove_leavers();
  void sort_fluid();
  void sort_walls();
  void find_neighbors();
  void hide_buffers();
  void find_node_neighbors();
  void find_positions(const particles::CellRows& rows, const VectorArray<double, D>& x, exchange::Routes& routes,
                      neighbors::FixedPositions& positions);
  static void find_routes(const particles::CellLayout& layout, const particles::CellRows& rows,
                          exchange::Routes& routes);

  // Where a field of each type is reordered before the two are swapped.
  Array<double>& scratch_for(const Array<double>&) { return scratch_; }
  Array<std::int64_t>& scratch_for(const Array<std::int64_t>&) { return id_scratch_; }
  Array<std::uint8_t>& scratch_for(const Array<std::uint8_t>&) { return buffer_scratch_; }
  VectorArray<double, D>& scratch_for(const VectorArray<double, D>&) { return vector_scratch_; }

  world::World world_;
  Execution execution_;
  Constants constants_;
  particles::CellLayout layout_;
  particles::CellSort sort_;
  Array<std::int32_t> order_;
  Array<double> scratch_;
  VectorArray<double, D> vector_scratch_;
  Array<std::int64_t> id_scratch_;
  bool walls_move_ = false;
  WallState<D> wall_scratch_;
  Array<T> wall_row_scratch_;
  Array<std::uint8_t> buffer_scratch_;
  neighbors::FixedPositions fluid_positions_, wall_positions_, node_positions_;
  neighbors::FixedPositions free_positions_;  // of the fluid, buffers out of reach
  particles::CellRows buffer_rows_;           // where the buffers' particles stand
  bool free_neighbors_found_ = false;
  Array<std::uint8_t> hidden_;  // rows of buffers
  neighbors::DriftBound<T, D> drift_bound_;
};

}  // namespace eddyline::integrate
