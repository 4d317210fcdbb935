#pragma once
// The state of a liquid: particles of the fluid and of walls, their cells, rows and neighbours. D is the dimension.
// SI units, except for rows, see physics/mps/sweeps.hpp. Pressures are divided by the density [m^2/s^2].

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "base/parallel_for.hpp"
#include "base/reproducible_sum.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "domain/balance.hpp"
#include "domain/contact.hpp"
#include "domain/external_forcing.hpp"
#include "domain/openings.hpp"
#include "domain/reordering.hpp"
#include "domain/subdomain.hpp"
#include "domain/wall_friction.hpp"
#include "domain/walls.hpp"
#include "exchange/halo.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/place.hpp"
#include "physics/mps/sweeps.hpp"
#include "solver/execution.hpp"
#include "solvers/mps/options.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::mps {

/// Quantities that a world fixes for a whole run.
struct Constants {
  explicit Constants(const world::World& world);

  Options options;
  particles::Lengths length{};
  FixedPoint fixed;
  physics::mps::Factors factors{};
  double R = 0;              // interaction radius [m]
  double scale = 0;          // quantum / R
  double volume = 0;         // of a lattice cell [m^D]
  double rho = 0, mass = 0;  // [kg/m^3]; of a particle [kg], kg/m in 2D
  bool free_surface = false;
  bool pressure_is_given = false;  // somewhere, by a free surface or an opening
};

/// The fluid. Every array belongs to particles and is sorted with them.
template <int D>
struct FluidState {
  Array<std::int64_t> id;
  VectorArray<double, D> x, v;
  VectorArray<double, D> place;  // by which the particle was sorted at the last rebuild, in whole quanta
  Array<double> p;               // of the last step, see above
  Array<std::uint8_t> surface;   // a Surrounding
  Array<std::uint8_t> buffer;    // 1 + the opening whose buffer holds it; 0: none
  bool has_volumes = false;      // in a start that follows bodies; else all fill a lattice cell
  Array<float> volume;           // of the particle, in lattice cells

  float volume_of(std::size_t i) const { return has_volumes ? volume[i] : 1.0F; }
  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }
  template <class Visit>
  void for_each_array(Visit&& visit) {
    for_each_named([&visit](const char*, auto& array) { visit(array); });
  }
  template <class Visit>
  void for_each_named(Visit&& visit) {
    visit("id", id), visit("x", x), visit("v", v), visit("place", place), visit("p", p), visit("surface", surface);
    visit("buffer", buffer);
    if (has_volumes) visit("volume", volume);
  }
};

/// Kind of neighbourhood.
enum Surrounding : std::uint8_t { k_inside_fluid, k_at_surface, k_isolated };

template <int D>
class Liquid {
 public:
  /// Collective, as are most functions of this class.
  Liquid(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  /// Finds the places of the particles half a step ahead, where pairs are summed, and moves walls there. Rebuilds if
  /// particles have come nearer to each other than cells and lists allow. speed: the largest of all particles.
  void move_to_midpoint(double time, double dt, double speed);
  /// Sets walls at a time, at rest since before.
  void start(double time);

  /// Sends rows to ghosts.
  void gather_fluid();
  void gather_walls();
  /// Calls sweep(first, last) for all chunks of a list, in parallel.
  template <class Sweep>
  void for_chunks(const neighbors::NeighborList& list, Sweep&& sweep) const {
    constexpr std::int64_t k_block = 8;
    parallel_for(static_cast<std::int64_t>(list.chunks().size()), k_block, sweep);
  }
  physics::mps::Input fluid_input() const;
  physics::mps::Input wall_input() const;

  /// Changes the world between two steps; see Simulation::change(). Collective.
  double change(const world::Change& change);
  /// Number of bodies added or removed so far.
  std::int64_t body_changes() const { return body_changes_made_; }

  void save(ArchiveWriter& archive);
  void restore(const std::vector<ArchiveReader>& parts);

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return subdomain_.layout(); }
  const decompose::Partition& partition() const { return subdomain_.partition(); }
  comm::Communicator& communicator() const { return communicator_; }
  const solver::Execution& execution() const { return execution_; }
  std::int64_t memory() const;
  double mass_of(std::size_t i) const { return constants_.mass * static_cast<double>(fluid.volume_of(i)); }
  /// The time for the motion of bodies at time t.
  double motion_time(double t) const { return settles ? -1.0 : t; }
  /// The particle of a row of this rank.
  std::size_t fluid_in(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return fluid_of_row_.size() > 0 ? static_cast<std::size_t>(fluid_of_row_[r]) : r;
  }
  std::int64_t fluid_everywhere() const { return everywhere_[0]; }
  std::int64_t walls_everywhere() const { return everywhere_[1]; }
  /// Tells whether many pairs in the lists are farther apart than R.
  bool lists_reach_far() const { return margin_ > 0.2 * constants_.R; }
  /// Largest speed of a moving wall [m/s].
  double wall_speed() const { return wall_speed_; }
  /// The pose of a moving body at the end of the step; null for others.
  const world::Pose* pose_of(std::int32_t owner) const {
    if (owner < 0 || poses_.empty()) return nullptr;
    const std::optional<world::Pose>& pose = poses_[static_cast<std::size_t>(owner)];
    return pose ? &*pose : nullptr;
  }

  FluidState<D> fluid;
  domain::WallState<D> wall;
  VectorArray<double, D> middle;  // places half a step ahead [m]
  neighbors::PairData<float> rows{physics::mps::FluidColumns<D>::k_width};
  neighbors::PairData<float> wall_rows_data{physics::mps::WallColumns<D>::k_width};
  particles::CellIndex fluid_rows, wall_rows;
  comm::Tags tags;  // of all halos of the solver
  exchange::Halo fluid_halo, wall_halo;
  neighbors::NeighborList fluid_fluid, fluid_wall, wall_fluid;
  domain::ExternalForcing<D> forcing;
  domain::Contact contact;
  domain::WallFriction wall_friction;
  domain::Openings<D> openings;
  physics::mps::Sweeps<D> sweeps;
  Timers timers;
  domain::Balance balance;
  std::int64_t steps = 0, rebuilds = 0, last_rebuild = 0, migrants = 0, left_particles = 0;
  ReproducibleSum left_mass;
  double friction_ratio = 0;  // nu at walls over that between fluid particles, for wall rows
  bool settles = false;       // before t = 0, while a start settles: bodies rest

 private:
  /// A body that was added, with the number of the addition from 1, or removed: 0.
  struct BodyChange {
    std::size_t body;
    std::int64_t addition;
  };
  /// Part of the margin that may be used up: lists select in single precision.
  static constexpr double k_safe_margin = 0.999;

  void place();
  bool is_here(Vec3 x) const {
    for (int d = 0; d < D; ++d) x[d] = constants_.fixed.round(x[d]);
    return layout().owned_cell(x) >= 0;
  }
  void set_in_motion(const world::Change& change);
  double add_body(const world::Change& change);
  bool is_in_the_way(const world::Body& body, std::size_t i) const;
  bool bodies_change() const { return body_changes_made_ < static_cast<std::int64_t>(body_changes_.size()); }
  void change_bodies();
  void place_added_body(const world::Body& body, const BodyChange& change);
  template <class Visit>
  void for_each_wall_array(Visit&& visit) {
    wall.for_each_array(visit);
    visit(wall_places_);
    if (walls_move_) visit(wall_middle_), visit(wall_turn_);
  }
  void append_walls(const ArchiveReader& part);
  void find_middle(double dt);
  double farthest_moved() const;
  void choose_margin(double dt, double speed);
  void rebuild(double dt, double speed);
  void remove_leavers();
  void rebalance();
  void sort_fluid();
  void rest_walls();
  void send_walls();
  void sort_walls();
  void find_poses(double time);
  void move_walls(double time, double dt);
  void write_wall_rows(double time, double dt);
  void build_lists();
  void put_positions(const particles::CellIndex& index, const VectorArray<double, D>& places,
                     neighbors::FixedPositions& positions) const;
  void count();

  world::World world_;
  solver::Execution execution_;
  comm::Communicator& communicator_;
  Constants constants_;
  domain::Subdomain subdomain_;
  bool walls_move_;
  domain::Reordering<D> reorder_;
  Array<std::int32_t> room_;
  VectorArray<double, D> wall_places_;  // by which walls were sorted, in whole quanta
  VectorArray<double, D> wall_middle_;  // of walls half a step ahead
  VectorArray<double, D> wall_turn_;    // R times the acceleration of walls over the step
  neighbors::FixedPositions fluid_positions_, wall_positions_;
  Array<std::int32_t> fluid_of_row_;
  std::vector<std::optional<world::Pose>> poses_;
  std::array<std::int64_t, 2> everywhere_{};
  double wall_speed_ = 0;
  double margin_ = 0;  // by which lists reach beyond R, up to the skin
  std::vector<BodyChange> body_changes_;
  std::int64_t body_changes_made_ = 0;
};

}  // namespace eddyline::mps
