#pragma once
// The state of a flow: fluid and wall particles, where they stand, their neighbours, and the results of the last
// sweeps. T is the type of pair sums (float, or double in double precision), D the dimension. SI units, except for
// rows and sweep results (see physics/delta/sweeps.hpp).

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "base/timers.hpp"
#include "exchange/routes.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"
#include "particles/cells.hpp"
#include "particles/place.hpp"
#include "physics/delta/sweeps.hpp"
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
  double kernel;                             // K = 20 sigma dx^D / R^D
  double rate;                               // c0 / R [1/s]
  double speed_limit;                        // of the blow-up doctor [m/s]
  bool free_surface;                         // pressure at walls is then never negative
  physics::delta::FluidViscosity viscosity;  // by whether there is a free surface
};

template <int D>
struct FluidState {
  Array<std::int64_t> id;
  Array<double> mass;
  Array<double> s;  // density excess rho/rho0 - 1
  VectorArray<double, D> x, v;
  VectorArray<double, D> a;      // acceleration of the last evaluation, everything included
  VectorArray<double, D> G;      // density gradient for the diffusion, dimensionless
  VectorArray<double, D> x_ref;  // position at the last rebuild

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }

  /// Every array that belongs to a particle and goes with it when particles are sorted: visit(array). The reference
  /// position is set anew by every sort.
  template <class Visit>
  void for_each_array(Visit&& visit) {
    visit(id), visit(mass), visit(s), visit(x), visit(v), visit(a), visit(G);
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
};

template <class T, int D>
class Flow {
 public:
  Flow(const world::World& world, const Execution& execution);

  /// Sorts particles into cells, finds ghosts and neighbours. The only place where order and membership change.
  void rebuild();

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return layout_; }
  /// Whether some body moves: walls are then sorted at every rebuild, as the fluid is.
  bool walls_move() const { return walls_move_; }
  /// Where the rows of walls stood at the last rebuild.
  const neighbors::FixedPositions& wall_positions() const { return wall_positions_; }
  std::int64_t memory() const;

  FluidState<D> fluid;
  WallState<D> wall;
  Control control;
  double time = 0, time_step = 0;
  std::int64_t steps = 0, rebuilds = 0;
  std::int64_t contacts = 0;        // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;  // through open sides; they are removed at rebuilds
  double left_mass = 0;             // [kg], kg/m in 2D
  Timers timers;

  // Rows of all particles and ghosts, and who stands where.
  neighbors::Rows<T> moving{physics::delta::k_moving_stride<D>};
  neighbors::Rows<T> pressed{physics::delta::k_pressed_stride<D>};
  neighbors::Rows<T> walls{physics::delta::k_wall_stride<D>};
  particles::CellRows fluid_rows, wall_rows;
  exchange::Routes fluid_routes, wall_routes;
  neighbors::WallDisplacement wall_displacement;  // at the end of the step; only where walls move
  neighbors::NeighborList fluid_fluid, fluid_wall, wall_fluid;

  // Results of the sweeps, in whole chunks.
  Array<T> divergence, diffusion, viscous[D], pressure_force[D], shift[D], surface;
  Array<T> wall_weight, wall_pressure, wall_lever[D], wall_velocity[D];
  Array<T> viscous_reaction[D], pressure_reaction[D];

  physics::delta::Sweeps<T, D> sweeps;
  physics::delta::SweepInput<T> input() const;

  /// How far particles will have moved since the last rebuild at the end of this step, whose middle is in `moving`.
  neighbors::Drift drift();

 private:
  void place();
  void place_walls(const particles::Placement& placement);
  void make_grid(const particles::Placement& placement, int boxes);
  void wrap_into_periods();
  void remove_leavers();
  void sort_fluid();
  void sort_walls();
  void find_neighbors();
  void find_positions(const particles::CellRows& rows, const VectorArray<double, D>& x, exchange::Routes& routes,
                      neighbors::FixedPositions& positions);
  static void find_routes(const particles::CellLayout& layout, const particles::CellRows& rows,
                          exchange::Routes& routes);

  // Where a field of each type is reordered before the two are swapped.
  Array<double>& scratch_for(const Array<double>&) { return scratch_; }
  Array<std::int64_t>& scratch_for(const Array<std::int64_t>&) { return id_scratch_; }
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
  neighbors::FixedPositions fluid_positions_, wall_positions_;
  neighbors::DriftBound<T, D> drift_bound_;
};

}  // namespace eddyline::integrate
