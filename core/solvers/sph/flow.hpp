#pragma once
// The state of a flow: fluid and wall particles, their places and neighbours, and the results of the last sweeps. T is
// the type of pair sums (float, or double in double precision), D the dimension. SI units, except for rows and sweep
// results (see physics/delta/sweeps.hpp).

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "base/reproducible_sum.hpp"
#include "base/timers.hpp"
#include "comm/collectives.hpp"
#include "comm/communicator.hpp"
#include "domain/balance.hpp"
#include "domain/migrate.hpp"
#include "domain/openings.hpp"
#include "domain/remove.hpp"
#include "domain/reordering.hpp"
#include "domain/subdomain.hpp"
#include "exchange/halo.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/fields.hpp"
#include "neighbors/filtered_list.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cell_index.hpp"
#include "particles/place.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/delta/sweeps.hpp"
#include "solver/execution.hpp"
#include "solvers/sph/flow/constants.hpp"
#include "solvers/sph/flow/control.hpp"
#include "solvers/sph/flow/free_fluid.hpp"
#include "solvers/sph/flow/lazy/deferred_exchange.hpp"
#include "solvers/sph/flow/list_margin.hpp"
#include "solvers/sph/flow/saved_rows.hpp"
#include "solvers/sph/flow/schedule.hpp"
#include "solvers/sph/flow/state.hpp"
#include "solvers/sph/flow/sweep_results.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

using domain::Balance;
using domain::copy_particle;
using domain::migrate;
using domain::Opening;
using domain::Openings;
using domain::remove_particles;
using domain::remove_particles_if;
using domain::Reordering;
using domain::Subdomain;

template <class T, int D>
class Flow {
 public:
  /// Collective, as are most functions of this class: all ranks of the communicator must call them.
  Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  /// Sorts particles into cells, finds ghosts and neighbours. Only here order and membership change, and particles
  /// migrate from rank to rank. `by_expected_places`: sort particles by the places where they are expected half way to
  /// the next rebuild.
  void rebuild(bool by_expected_places);

  /// Begins a step, with copies included. Renews copies if that is due. Returns whether ghosts are renewed, too.
  /// Collective.
  bool begin_step();
  /// While an object of this class exists, fields of particles include the copies that exact deferred exchange
  /// computes, behind those of this rank. Otherwise fields end with the particles that the rank owns. A rebuild
  /// includes copies, too.
  class Copies {
   public:
    explicit Copies(Flow& flow) : flow_(flow) { flow_.include_copies(true); }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() { flow_.include_copies(false); }

   private:
    Flow& flow_;
  };
  /// The part of `end_rows` that a halo carries: pressure and volume. Place and velocity follow from `midpoint_rows`,
  /// see RowWriter::write_end_ghosts(), except for buffers: their rows are set in between.
  neighbors::RowField<T> end_field() {
    return openings.empty() ? neighbors::RowField<T>(end_rows, D, {D, 2}) : neighbors::RowField<T>(end_rows, D);
  }
  /// The part of `walls` that a halo carries. Places, volumes and velocities of walls change only if bodies or sides
  /// move.
  neighbors::RowField<T> wall_field(bool change_speed) {
    return walls_move_ || change_speed ? neighbors::RowField<T>(walls, D)
                                       : neighbors::RowField<T>(walls, D, {D, D + 2});
  }
  /// Number of particles, in order, that are correct after so many passes of this step, see DeferredExchange.
  std::int64_t fluid_after(int passes) const { return lazy.computed(fluid_rows, passes); }
  std::int64_t walls_after(int passes) const { return lazy.computed(wall_rows, passes); }
  /// Starts to send values of owners to ghosts; to those of other ranks only in steps that exchange.
  template <class... Field>
  void start_gather(exchange::Halo& halo, Field&&... field) {
    send(halo, field...);
    halo.gather_within(field...);
  }
  /// Starts the part of it that sends messages.
  template <class... Field>
  void send(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.start(field...);
  }
  template <class... Field>
  void finish_gather(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.finish(field...);
  }

  /// Adds what this rank holds to a checkpoint, and values that are the same on all ranks.
  void save(ArchiveWriter& archive);
  /// Continues from a checkpoint, on any number of ranks: order, ghosts and lists become those of the rebuild before
  /// it. Each rank reads some of its parts, the root the first. Collective.
  void restore(const std::vector<ArchiveReader>& parts);

  /// Builds neighbour lists again, in the same cells, where they do not hold to the end of the current step, with its
  /// midpoint rows; with several ranks also where they might not hold in the next step. Returns whether some did not
  /// hold at the midpoint either, so that the sums up to now must be repeated. Each rank decides for itself, because
  /// this changes no bit. Called once a step.
  bool renew_lists();
  /// Tells whether a body may touch particle i before the next rebuild.
  bool is_near_walls(std::size_t i) const { return near_walls_.size() > 0 && near_walls_[i] != 0; }

  /// Finds lists over the fluid without buffers, for forces: those of the buffers' particles, in the order of
  /// openings.members(), and those of walls. They hold in this step. Does nothing without openings.
  void find_free_neighbors();
  /// Lists of walls over the fluid that walls exert forces on.
  const neighbors::Chunk* wall_reaction() const {
    return openings.empty() ? wall_fluid.chunks().data() : wall_free.chunks().data();
  }

  /// Changes the world between two steps, in the same way on all ranks. The caller then calls Step::world_changed().
  /// Bodies are added and removed at the rebuild with which the next step begins. Returns the mass of the fluid that a
  /// body displaces [kg], kg/m in 2D, else 0. Throws UserError, and then nothing has changed.
  double change(const world::Change& change);
  /// Tells whether bodies wait for a rebuild to be added or removed.
  bool bodies_change() const { return body_changes_made_ < static_cast<std::int64_t>(body_changes_.size()); }
  /// Number of bodies that have been added or removed.
  std::int64_t body_changes() const { return body_changes_made_; }

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return subdomain_.layout(); }
  const decompose::Partition& partition() const { return subdomain_.partition(); }
  comm::Communicator& communicator() const { return communicator_; }
  /// Tells whether any body moves: walls are then sorted at every rebuild, as the fluid is.
  bool walls_move() const { return walls_move_; }
  /// Places of the rows of walls at the last rebuild, without periodic images.
  const neighbors::FixedPositions& wall_positions() const { return wall_positions_; }
  /// Places of the rows of the fluid at the last rebuild, without periodic images.
  const neighbors::FixedPositions& fluid_positions() const { return fluid_positions_; }
  const neighbors::DriftBound<T, D>& drift_bound() const { return drift_bound_; }
  /// Whether a body may touch each particle; empty without bodies.
  const Array<std::uint8_t>& near_walls() const { return near_walls_; }
  /// The distance that sound travels in half of this step [quanta].
  float half_a_step() const { return static_cast<float>(acoustic_distance(0.5 * time_step)); }
  const solver::Execution& execution() const { return execution_; }
  std::int64_t memory() const;
  const std::string& instructions() const { return execution_.instructions; }
  /// Pressure of particle i [Pa].
  double pressure(std::size_t i) const;
  /// The particle of a row of this rank.
  std::size_t fluid_in(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return fluid_of_row_.size() > 0 ? static_cast<std::size_t>(fluid_of_row_[r]) : r;
  }
  /// The particle of each row of this rank; empty if rows have the order of particles.
  const Array<std::int32_t>& fluid_of_row() const { return fluid_of_row_; }
  /// The place by which particle i was sorted at the last rebuild, where it was expected some steps later.
  Vec3 sorted_place(std::size_t i) const;
  /// Resizes the reactions of all walls.
  void resize_reactions();

  FluidState<T, D> fluid;
  WallState<D> wall;
  Openings<D> openings;
  Control control;
  DeferredExchange lazy;
  double time = 0, time_step = 0;
  /// Offset of the volume fraction in sealed fluid: mean_excess_volume_fraction() at the start, if negative.
  double volume_fraction_offset = 0;
  std::int64_t steps = 0, rebuilds = 0;
  std::int64_t last_rebuild = 0;     // the step before which the last rebuild took place
  double renewals = 0;               // of lists between rebuilds: how often an average list has been renewed
  std::int64_t predicted_steps = 0;  // steps with cells that were known to hold before ghosts had arrived
  std::int64_t contacts = 0;         // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;   // through open sides, or displaced by a body; they are removed at rebuilds
  ReproducibleSum left_mass;         // [kg], kg/m in 2D
  struct {
    std::int64_t fluid = 0, walls = 0;
  } everywhere;               // particles of all ranks, as of the last control point
  std::int64_t migrants = 0;  // particles that have come from other ranks
  Balance balance;
  Timers timers;

  /// Tells whether rows of a step's end share the memory of its midpoint rows. That is so if no rank sends some of them
  /// while it still sums pairs over the other rows.
  bool rows_share_memory() const { return !fluid.classic && communicator_.is_alone(); }

  // Rows of all particles and ghosts, and their indices. In the scheme classic `end_rows` holds its only rows.
  neighbors::PairData<T> midpoint_rows{physics::delta::k_midpoint_width<D>};
  neighbors::PairData<T> end_rows;
  neighbors::PairData<T> walls;
  neighbors::PairData<T> nodes{physics::delta::k_node_width<D>};
  particles::CellIndex fluid_rows, wall_rows, node_rows;
  exchange::Halo fluid_halo, wall_halo;
  exchange::Halo fluid_copies, wall_copies;       // to the copies that other ranks compute
  neighbors::WallDisplacement wall_displacement;  // at the end of the step; only where walls move
  neighbors::NeighborList fluid_fluid, fluid_wall, wall_fluid, node_fluid;
  neighbors::NeighborList buffer_free;  // buffers and walls over fluid alone, see find_free_neighbors()
  neighbors::FilteredList wall_free;
  VectorArray<double, D> member_places;  // sorted_place() of each of openings.members() [m]
  Array<std::int32_t> node_number;       // number of each node, as Openings counts them, in the order of node_rows

  // Results of the sweeps, in whole chunks.
  DeltaResults<T, D> delta;                            // of the scheme delta, else empty
  ClassicResults<T, D> classic;                        // of the scheme classic, else empty
  Array<std::uint8_t> wall_is_wet;                     // whether a wall particle has fluid around it
  Array<T> viscous_reaction[D], pressure_reaction[D];  // of steps with reactions, see resize_reactions()
  Array<T> node_sums[physics::LinearFitSums<T, D>::k_values];

  Schedule schedule;  // since the last rebuild

  physics::delta::Sweeps<T, D> sweeps;
  physics::delta::SweepInput<T> input() const;
  /// Share of wall particle k that counts at x, see fraction_inside_walls(), and its volume there, relative to a fluid
  /// particle.
  double wall_share(std::size_t k, const Vec3& x) const;
  double wall_volume(std::size_t k, const Vec3& x) const;

  /// Writes the values of dummy particles' rows that never change: place, volume and whether the fluid sticks; other
  /// values become zero.
  void write_wall_rows();

  /// Combines the results of the last step over all ranks, at once. Collective.
  void agree();
  /// The control point of a step. Ranks agree on the results of the last step, and on the largest drift of particles of
  /// all ranks from the last rebuild to the end of this step; its midpoint is in `midpoint_rows`. `and_middle`: the
  /// largest at the midpoint or the end. The control point has two halves: work in between gives other ranks time to
  /// arrive. Collective.
  void begin_control_point(bool and_middle);
  /// The same, with the drift of this rank's particles [quanta].
  void begin_control_point(const neighbors::Drift& own);
  /// Begins the control point while ghosts of other ranks are still on their way. Ghosts are assumed to continue from
  /// `end_rows`, the end of the last step, and the largest prediction error of any rank is added. The results are upper
  /// bounds, and no rank has to wait for begin_drift(), which computes the exact drift once ghosts have arrived, unless
  /// the bounds are too high to decide. end_drift() waits for the exact values if they are under way.
  void predict_control_point();
  void end_control_point();
  /// Shortens a step in which particles come too near for their cells. If it becomes so short that no step can hold,
  /// the step is marked as bad on all ranks, and the function returns false. `skin`: limit for the drift [m]; `first`:
  /// the step that was tried first [s].
  bool shorten_time_step(double skin, double first);
  void begin_drift();
  void end_drift();
  /// Tells whether end_control_point() would return without waiting.
  bool control_point_arrived() { return agreement_.arrived(); }
  /// Largest displacement of a particle beyond the skin for which lists of rows that stand still are complete [m].
  /// Nodes of openings, which stand in the stream, look less far than R.
  double reach_of_lists() const {
    const double R = constants_.length.interaction_radius;
    return openings.empty() ? 0.5 * R : (1 - particles::k_node_reach) * R;
  }

 private:
  neighbors::PredictedPath<T> predicted_path() const;
  double prediction_error(const neighbors::PredictedPath<T>& expected) const;
  const neighbors::WallDisplacement* walls_moved() const { return walls_move_ ? &wall_displacement : nullptr; }
  void set_drift(double relative_drift, double max_displacement);
  void change_motion(const world::Change& change);
  void include_copies(bool in);
  void resize_fluid(std::int64_t n);
  void resize_walls(std::int64_t n);
  void find_fluid_copies();
  void refresh_copies();
  void refresh_wall_copies();
  template <class ForEachField>
  void send_copies(const VectorArray<double, D>& x, ForEachField&& for_each_field);
  double add_body(const world::Change& change);
  void remove_body(const world::Change& change);
  void change_bodies();
  void clear_room(const world::Body& body);
  void place_added_body(std::size_t body, std::int64_t addition);
  void drop_body(std::size_t body);
  bool is_in_the_way(const world::Body& body, std::size_t i) const;
  bool is_here(Vec3 x) const;
  void take_particles(const std::vector<ArchiveReader>& parts);
  void check_particles() const;
  void append_walls(const ArchiveReader& part);
  void place();
  void place_nodes();
  void remove_leavers();
  double next_sort_ahead_steps() const;
  double half_rebuild_interval() const;
  void find_sort_places();
  void migrate_fluid();
  bool rebalance_is_due();
  void rebalance();
  void sort_fluid();
  template <class Use>
  void with_order(std::size_t particles, neighbors::FixedPositions& renewed_from, Use&& use);
  void find_fluid_rows();
  void sort_walls();
  void move_walls();
  void move_walls_by_places();
  void put_positions(const particles::CellIndex& rows, const VectorArray<double, D>& x,
                     neighbors::FixedPositions& positions) const;
  void begin_count();
  void end_count();
  void find_neighbors();
  bool may_have_margins() const;
  bool has_margins() const;
  void find_reference_velocities();
  void expect_walls_to_rest();
  void predict_lists();
  template <class Velocity, class Shifting>
  void find_reference_velocities(const particles::CellIndex& rows, const VectorArray<double, D>& x, Velocity&& velocity,
                                 Shifting&& shifting, exchange::Halo& halo, neighbors::FixedPositions& positions,
                                 neighbors::ReferenceVelocities& reference_velocities) const;
  void build_lists();
  template <class Visit>
  void for_each_list(Visit&& visit);
  neighbors::Search search_of(const particles::CellIndex& targets, const neighbors::FixedPositions& target_positions,
                              const particles::CellIndex& sources, const neighbors::FixedPositions& source_positions,
                              double width) const;
  void build_over_free_fluid(neighbors::NeighborList& list, const particles::CellIndex& targets,
                             const neighbors::FixedPositions& target_positions) const;
  bool follow_rows();
  typename ListMargin<T, D>::Need need_of_step() const;
  float sideways_in_buffers() const;
  void find_near_walls();
  /// The distance that sound travels in a time [quanta].
  double acoustic_distance(double duration) const { return duration * constants_.c0 / constants_.fixed.quantum(); }
  void find_node_neighbors();
  void make_schedule();
  void borrow_memory();
  void resize_results();

  void write_wall_row(const neighbors::RowParts<T>& row, std::size_t k) const;

  /// A body that is added or removed.
  struct BodyChange {
    std::size_t body = 0;
    std::int64_t addition = 0;  // its number among additions, from 1; 0: it is removed
  };

  world::World world_;
  solver::Execution execution_;
  comm::Communicator& communicator_;
  comm::Reduction counting_;  // of counts_: numbers of fluid and walls since the last rebuild
  std::array<std::int64_t, 2> counts_{};
  Constants constants_;
  Subdomain subdomain_;
  Agreement agreement_;
  comm::Reduction drifting_;  // of drift_, while is_drifting_
  std::array<double, 2> drift_{};
  bool is_drifting_ = false;
  bool walls_move_;
  Reordering<D> reorder_;
  SparseIterations sparse_;   // selects particles that leave,
  Array<std::int32_t> gone_;  // and their numbers
  SavedRows<T> saved_wall_rows_;
  VectorArray<double, D> wall_places_;  // places by which walls are sorted [m]; kept only if a body moves
  neighbors::FixedPositions fluid_positions_, wall_positions_, node_positions_;
  Array<std::int32_t> fluid_of_row_;  // the particle in each row if their order is random; otherwise empty
  bool copies_are_included_ = false;
  FreeFluid free_fluid_;
  particles::CellSet cells_around_;             // a temporary set, used while lists are found
  std::vector<std::uint8_t> walls_at_buffers_;  // by chunk of walls, whether it may have neighbours in buffers
  bool free_neighbors_found_ = false;
  std::vector<BodyChange> body_changes_;  // all changes, in order
  std::int64_t body_changes_made_ = 0;    // number of changes that have been made
  neighbors::DriftBound<T, D> drift_bound_;
  ListMargin<T, D> margin_;
  neighbors::ReferenceVelocities reference_velocities_,
      wall_reference_velocities_;      // since the last rebuild, where lists have margins
  double followed_ = 0;                // time until which lists know the places of rows [s]
  double last_acoustic_distance_ = 0;  // acoustic distance of the last step that they know of
  double steps_of_cells_ = 0;          // number of steps that cells are expected to last
  Array<std::uint8_t> near_walls_;     // by particle; used only if there are bodies
};

/// Puts copies of the particles at x behind those of the ranks that compute them as well. Collective.
template <class T, int D>
template <class ForEachField>
void Flow<T, D>::send_copies(const VectorArray<double, D>& x, ForEachField&& for_each_field) {
  if (!lazy.computes_copies()) return;
  const std::size_t own = x.size();
  domain::send_copies(communicator_, subdomain_.copied_by_others(x), subdomain_.neighbors(), own, for_each_field);
}

}  // namespace eddyline::sph
