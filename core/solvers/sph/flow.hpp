#pragma once
// The state of a flow: fluid and wall particles, where they stand, their neighbours, and the results of the last
// sweeps. T is the type of pair sums (float, or double in double precision), D the dimension. SI units, except for
// rows and sweep results (see physics/delta/sweeps.hpp).

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
#include "solvers/sph/flow/balance.hpp"
#include "solvers/sph/flow/constants.hpp"
#include "solvers/sph/flow/control.hpp"
#include "solvers/sph/flow/free_fluid.hpp"
#include "solvers/sph/flow/kept_rows.hpp"
#include "solvers/sph/flow/lazy/laziness.hpp"
#include "solvers/sph/flow/list_margin.hpp"
#include "solvers/sph/flow/migrate.hpp"
#include "solvers/sph/flow/reordering.hpp"
#include "solvers/sph/flow/schedule.hpp"
#include "solvers/sph/flow/state.hpp"
#include "solvers/sph/flow/subdomain.hpp"
#include "solvers/sph/flow/sweep_results.hpp"
#include "solvers/sph/openings.hpp"
#include "world/change.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

template <class T, int D>
class Flow {
 public:
  /// Collective, as most of what follows: all ranks of the communicator do the same.
  Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator);

  /// Sorts particles into cells, finds ghosts and neighbours. The only place where order and membership change, and
  /// where particles go from rank to rank. `by_expected_places`: they are sorted by where they are expected half way to
  /// the next one.
  void rebuild(bool by_expected_places);

  /// A step begins, with copies let in: brings them up to date if that is due, which it returns for ghosts as well.
  /// Collective.
  bool begin_step();
  /// While it lives, fields of particles go on behind those of this rank with the copies that exact laziness computes.
  /// Everybody else sees what the rank owns. A rebuild lets them in, too.
  class Copies {
   public:
    explicit Copies(Flow& flow) : flow_(flow) { flow_.let_copies_in(true); }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() { flow_.let_copies_in(false); }

   private:
    Flow& flow_;
  };
  /// What a halo carries of `pressed`: pressure and volume. Place and velocity follow from `moving`, see
  /// RowWriter::write_pressed_ghosts(), but for buffers, which are set anew in between.
  neighbors::RowField<T> pressed_field() {
    return openings.empty() ? neighbors::RowField<T>(pressed, D, {D, 2}) : neighbors::RowField<T>(pressed, D);
  }
  /// What a halo carries of `walls`, whose places, volumes and velocities of their own change only where bodies or
  /// sides move.
  neighbors::RowField<T> wall_field(bool change_speed) {
    return walls_move_ || change_speed ? neighbors::RowField<T>(walls, D)
                                       : neighbors::RowField<T>(walls, D, {D, D + 2});
  }
  /// How many particles, in order, are right after so many passes of this step, see Laziness.
  std::int64_t fluid_after(int passes) const { return lazy.computed(fluid_rows, passes); }
  std::int64_t walls_after(int passes) const { return lazy.computed(wall_rows, passes); }
  /// Brings owners' values to ghosts; to those of other ranks in steps that exchange.
  template <class... Field>
  void start_gather(exchange::Halo& halo, Field&&... field) {
    send(halo, field...);
    halo.gather_within(field...);
  }
  /// The part of it that travels.
  template <class... Field>
  void send(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.start(field...);
  }
  template <class... Field>
  void finish_gather(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.finish(field...);
  }

  /// Adds what this rank holds to a checkpoint, and what is the same on all ranks.
  void save(ArchiveWriter& archive);
  /// Goes on where a checkpoint was written, on any number of ranks: order, ghosts and lists become those of the
  /// rebuild before it. Each rank brings some of its parts, the root the first. Collective.
  void restore(const std::vector<ArchiveReader>& parts);

  /// Builds lists of pairs anew, in the same cells, where they do not hold to the end of the step whose middle rows
  /// stand at, with several ranks also where they might not in the next one. Whether some did not hold in the middle
  /// either, so that what has been summed with them so far is to be summed again. Each rank decides for itself, as this
  /// changes no bit. Once a step.
  bool renew_lists();
  /// Whether a body may touch particle i before the next rebuild.
  bool is_near_walls(std::size_t i) const { return near_walls_.size() > 0 && near_walls_[i] != 0; }

  /// Lists over the fluid without buffers, for forces: of the buffers' particles, in the order of openings.members(),
  /// and of walls. They hold in this step. Does nothing without openings.
  void find_free_neighbors();
  /// Walls over the fluid that they exert forces on.
  const neighbors::Chunk* wall_reaction() const {
    return openings.empty() ? wall_fluid.chunks().data() : wall_free.chunks().data();
  }

  /// Changes the world between two steps, the same on all ranks. The stepper is told next, see Step::world_changed().
  /// Bodies come and go at the rebuild with which the next step begins. Returns the mass of the fluid that makes room
  /// for a body [kg], kg/m in 2D, else 0. Throws UserError, and then nothing has changed.
  double change(const world::Change& change);
  /// Whether bodies wait for a rebuild to come or go.
  bool bodies_change() const { return body_changes_made_ < static_cast<std::int64_t>(body_changes_.size()); }
  /// How often bodies have come or gone.
  std::int64_t body_changes() const { return body_changes_made_; }

  const world::World& world() const { return world_; }
  const Constants& constants() const { return constants_; }
  const particles::CellLayout& layout() const { return subdomain_.layout(); }
  const decompose::Partition& partition() const { return subdomain_.partition(); }
  comm::Communicator& communicator() const { return communicator_; }
  /// Whether some body moves: walls are then sorted at every rebuild, as the fluid is.
  bool walls_move() const { return walls_move_; }
  /// Where the rows of walls that are no images stood at the last rebuild.
  const neighbors::FixedPositions& wall_positions() const { return wall_positions_; }
  std::int64_t memory() const;
  const std::string& instructions() const { return execution_.instructions; }
  /// Pressure of particle i [Pa].
  double pressure(std::size_t i) const;
  /// The particle in a row of this rank.
  std::size_t fluid_in(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return fluid_of_row_.size() > 0 ? static_cast<std::size_t>(fluid_of_row_[r]) : r;
  }
  /// Of each row of this rank, or empty where particles stand in the order of rows.
  const Array<std::int32_t>& fluid_of_row() const { return fluid_of_row_; }
  /// By which particle i was sorted at the last rebuild: where it was expected some steps later.
  Vec3 sorted_place(std::size_t i) const;
  /// Makes room for reactions of all walls.
  void resize_reactions();

  FluidState<T, D> fluid;
  WallState<D> wall;
  Openings<D> openings;
  Control control;
  Laziness lazy;
  double time = 0, time_step = 0;
  double filling_level = 0;  // of sealed fluid: Kick::mean_excess_of_filling() at the start, if that is negative
  std::int64_t steps = 0, rebuilds = 0;
  std::int64_t last_rebuild = 0;    // the step before which it was
  double renewals = 0;              // of lists between rebuilds: how often an average list has been renewed
  std::int64_t foreseen = 0;        // steps whose cells were known to hold before ghosts had come
  std::int64_t contacts = 0;        // particles that were put back on a wall's surface, see contact.hpp
  std::int64_t left_particles = 0;  // through open sides, or to make room for a body; they are removed at rebuilds
  ReproducibleSum left_mass;        // [kg], kg/m in 2D
  struct {
    std::int64_t fluid = 0, walls = 0;
  } everywhere;               // particles of all ranks, as of the last control point
  std::int64_t migrants = 0;  // particles that have come from other ranks
  Balance balance;
  Timers timers;

  /// Whether rows of a step's end lie where those of its middle were: where no rank sends some while it still sums
  /// pairs over the others.
  bool rows_share_memory() const { return !fluid.classic && communicator_.is_alone(); }

  // Rows of all particles and ghosts, and who stands where. In the scheme classic `pressed` holds its only rows.
  neighbors::PairData<T> moving{physics::delta::k_midpoint_width<D>};
  neighbors::PairData<T> pressed;
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
  Array<std::int32_t> node_number;       // of each node in the order of node_rows, as Openings counts them

  // Results of the sweeps, in whole chunks.
  DeltaResults<T, D> delta;                            // of the scheme delta, else empty
  ClassicResults<T, D> classic;                        // of the scheme classic, else empty
  Array<std::uint8_t> wall_is_wet;                     // whether a wall's particle has fluid around it
  Array<T> viscous_reaction[D], pressure_reaction[D];  // of steps that tell them, see resize_reactions()
  Array<T> node_sums[physics::LinearFitSums<T, D>::k_values];

  Schedule schedule;  // since the last rebuild

  physics::delta::Sweeps<T, D> sweeps;
  physics::delta::SweepInput<T> input() const;
  /// How much of a wall's particle k counts where it stands at x, see fraction_inside_walls(), and its volume there in
  /// those of a fluid particle.
  double wall_share(std::size_t k, const Vec3& x) const;
  double wall_volume(std::size_t k, const Vec3& x) const;

  /// Rows of dummy particles as far as they never change: place, volume and whether the fluid sticks; zeros else.
  void write_wall_rows();

  /// Makes what this rank has found of the last step that of all ranks, at once. Collective.
  void agree();
  /// The control point of a step: agrees on the last step, and on how far particles of all ranks will have moved since
  /// the last rebuild at the end of this one, whose middle is in `moving`; `and_middle`: there or at its end. In two
  /// halves: what is computed in between gives other ranks time to come to it. Collective.
  void begin_control_point(bool and_middle);
  /// The same while ghosts of other ranks are still on their way: it takes them to go on as `pressed`, the end of the
  /// last step, has them, and adds by how much no particle strays from that. So it gives upper bounds, and nobody has
  /// to wait for begin_drift(), which says once ghosts have come how far particles will have moved, unless the bounds
  /// are too high to decide. end_drift() waits for that if it is under way.
  void foresee_control_point();
  void end_control_point();
  /// Makes the next step shorter, in which particles come too near for their cells. If it has become so short that no
  /// step can hold, the step is bad instead, on all ranks, and this is false. `skin`: how near they may come [m];
  /// `first`: the step that was tried first [s].
  bool shorten_time_step(double skin, double first);
  void begin_drift();
  void end_drift();
  /// Whether end_control_point() would not wait.
  bool control_point_arrived() { return agreement_.arrived(); }
  /// How much farther than the skin a particle may move before lists of what stands still may lack it [m]. Nodes of
  /// openings, which stand in the stream, look less far than R.
  double reach_of_lists() const {
    const double R = constants_.length.interaction_radius;
    return openings.empty() ? 0.5 * R : (1 - particles::k_node_reach) * R;
  }

 private:
  neighbors::PredictedPath<T> course_of_step() const;
  double straying(const neighbors::PredictedPath<T>& expected) const;
  const neighbors::WallDisplacement* walls_moved() const { return walls_move_ ? &wall_displacement : nullptr; }
  void set_drift(double approach, double moved);
  void change_motion(const world::Change& change);
  void let_copies_in(bool in);
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
  double next_lead() const;
  double half_of_steps_to_come() const;
  void look_ahead();
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
  void find_headings();
  void expect_walls_to_rest();
  void foresee();
  template <class Velocity, class Shifting>
  void find_headings(const particles::CellIndex& rows, const VectorArray<double, D>& x, Velocity&& velocity,
                     Shifting&& shifting, exchange::Halo& halo, neighbors::FixedPositions& positions,
                     neighbors::ReferenceVelocities& headings) const;
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
  /// How far sound goes in a time [quanta].
  double way_of_sound(double duration) const { return duration * constants_.c0 / constants_.fixed.quantum(); }
  float half_a_step() const { return static_cast<float>(way_of_sound(0.5 * time_step)); }
  void find_node_neighbors();
  void make_schedule();
  void lend_room();
  void resize_results();

  void write_wall_row(const neighbors::RowParts<T>& row, std::size_t k) const;

  /// A body that comes or goes.
  struct BodyChange {
    std::size_t body = 0;
    std::int64_t addition = 0;  // its number in the order of coming, from 1; 0: it goes
  };

  world::World world_;
  solver::Execution execution_;
  comm::Communicator& communicator_;
  comm::Reduction counting_;  // of counts_: of fluid and walls since the last rebuild
  std::array<std::int64_t, 2> counts_{};
  Constants constants_;
  Subdomain subdomain_;
  Agreement agreement_;
  comm::Reduction drifting_;  // of drift_, while is_drifting_
  std::array<double, 2> drift_{};
  bool is_drifting_ = false;
  bool walls_move_;
  Reordering<D> reorder_;
  SparseIterations few_;      // particles that leave,
  Array<std::int32_t> gone_;  // and which they are
  KeptRows<T> kept_wall_rows_;
  VectorArray<double, D> wall_places_;  // by which walls are sorted [m]; where none moves, while they are
  neighbors::FixedPositions fluid_positions_, wall_positions_, node_positions_;
  Array<std::int32_t> fluid_of_row_;  // the particle in each row, where their order is drawn; else empty
  bool copies_are_in_ = false;
  FreeFluid free_fluid_;
  particles::CellSet cells_around_;             // some, while lists are found
  std::vector<std::uint8_t> walls_at_buffers_;  // by chunk of walls, whether it may have neighbours in buffers
  bool free_neighbors_found_ = false;
  std::vector<BodyChange> body_changes_;  // all, in order
  std::int64_t body_changes_made_ = 0;    // of them
  neighbors::DriftBound<T, D> drift_bound_;
  ListMargin<T, D> margin_;
  neighbors::ReferenceVelocities headings_, wall_headings_;  // since the last rebuild, where lists have margins
  double followed_ = 0;                                      // until when lists know where rows are [s]
  double step_followed_ = 0;                                 // the way of sound in the last step that they know of
  double steps_of_cells_ = 0;                                // that they are expected to last
  Array<std::uint8_t> near_walls_;                           // by particle; only where there are bodies
};

/// Puts copies of the particles at x behind those of ranks that compute them as well. Collective.
template <class T, int D>
template <class ForEachField>
void Flow<T, D>::send_copies(const VectorArray<double, D>& x, ForEachField&& for_each_field) {
  if (!lazy.computes_copies()) return;
  const std::size_t own = x.size();
  sph::send_copies(communicator_, subdomain_.copied_by_others(x), subdomain_.neighbors(), own, for_each_field);
}

}  // namespace eddyline::sph
