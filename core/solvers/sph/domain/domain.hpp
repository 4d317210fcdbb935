#pragma once
// The places of the particles of a flow: the cells of this rank, the rows of particles in them, ghosts, and who owns
// whom.

#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "base/timers.hpp"
#include "comm/collectives.hpp"
#include "comm/communicator.hpp"
#include "domain/balance.hpp"
#include "domain/subdomain.hpp"
#include "exchange/halo.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "particles/cell_index.hpp"
#include "solver/execution.hpp"
#include "solvers/sph/domain/lazy/deferred_exchange.hpp"
#include "solvers/sph/domain/saved_rows.hpp"
#include "solvers/sph/state/scratch.hpp"
#include "solvers/sph/state/state.hpp"
#include "world/change.hpp"

namespace eddyline::sph {

using domain::Balance;
using domain::Subdomain;

/// The places of particles: this rank's share of the cells, the order of particles and their rows, ghosts and copies,
/// migration between ranks, and bodies that are added or removed. Order and membership of particles change in sort()
/// only. None of it changes a bit of the state.
template <class T, int D>
class Domain {
 public:
  /// Places the particles of the start. Collective, as are most functions of this class: all ranks of the communicator
  /// must call them.
  Domain(State<T, D>& state, Scratch<T, D>& scratch, const solver::Execution& execution,
         comm::Communicator& communicator);
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  /// Begins a rebuild: sorts particles into cells, sends migrants to other ranks and finds ghosts.
  /// `by_expected_places`: sort particles by the places where they are expected half way to the next rebuild.
  void sort(bool by_expected_places);
  /// Ends a rebuild, once lists are found.
  void end_rebuild();
  /// Tells whether a device may sort the fluid in the next rebuild, in place of sort(): nothing but the order changes.
  bool may_sort_elsewhere() const;
  /// Returns how many steps ahead to sort particles, in a rebuild after the first.
  double next_sort_ahead_steps() const;
  /// Ends sorting elsewhere, so many steps ahead; walls that move are sorted here.
  void end_sorting_elsewhere(double ahead_steps);
  /// Finds rows and ghosts of the fluid, which is in canonical order already: find_places(places) gives the places by
  /// which it is sorted.
  template <class FindPlaces>
  void adopt_order(FindPlaces&& find_places) {
    scratch_.begin_sorting(state_.fluid.id.size(), false);
    scratch_.places().resize(state_.fluid.id.size());
    find_places(scratch_.places());
    find_fluid_rows();
  }

  /// Begins a step, with copies included. Renews copies if that is due. Returns whether ghosts are renewed, too.
  bool begin_step();
  /// While an object of this class exists, fields of particles include the copies that exact deferred exchange
  /// computes, behind those of this rank. Otherwise fields end with the particles that the rank owns. A rebuild
  /// includes copies, too.
  class Copies {
   public:
    explicit Copies(Domain& domain) : domain_(domain) { domain_.include_copies(true); }
    Copies(const Copies&) = delete;
    Copies& operator=(const Copies&) = delete;
    ~Copies() { domain_.include_copies(false); }

   private:
    Domain& domain_;
  };
  /// Number of particles, in order, that are correct after so many passes of this step, see DeferredExchange.
  std::int64_t fluid_after(int passes) const { return lazy.computed(fluid_rows, passes); }
  std::int64_t walls_after(int passes) const { return lazy.computed(wall_rows, passes); }

  /// Starts to send values of owners to ghosts of other ranks, in steps that exchange.
  template <class... Field>
  void send(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.start(field...);
  }
  template <class... Field>
  void receive(exchange::Halo& halo, Field&&... field) {
    if (lazy.exchanges()) halo.finish(field...);
  }

  /// Adds what this rank holds to a checkpoint, and values that are the same on all ranks.
  void save(ArchiveWriter& archive);
  /// Continues from a checkpoint, on any number of ranks: order and ghosts become those of the rebuild before it. Each
  /// rank reads some of its parts, the root the first.
  void restore(const std::vector<ArchiveReader>& parts);
  /// Ends restore(), once lists are found.
  void end_restore();

  /// Bodies change in the world at once, and their particles at the rebuild with which the next step begins. Adding one
  /// returns the mass of the fluid that it displaces [kg], kg/m in 2D.
  double add_body(const world::Change& change);
  void remove_body(const world::Change& change);
  /// Tells whether bodies wait for a rebuild to be added or removed.
  bool bodies_change() const { return body_changes_made_ < static_cast<std::int64_t>(body_changes_.size()); }
  /// Number of bodies that have been added or removed.
  std::int64_t body_changes() const { return body_changes_made_; }
  /// Lets walls move that have stood still until now.
  void let_walls_move();

  const particles::CellLayout& layout() const { return subdomain_.layout(); }
  const decompose::Partition& partition() const { return subdomain_.partition(); }
  const Subdomain& subdomain() const { return subdomain_; }
  comm::Communicator& communicator() const { return communicator_; }
  const solver::Execution& execution() const { return execution_; }
  /// Places of the rows at the last rebuild, without periodic images.
  const neighbors::FixedPositions& fluid_positions() const { return fluid_positions_; }
  const neighbors::FixedPositions& wall_positions() const { return wall_positions_; }
  const neighbors::FixedPositions& node_positions() const { return node_positions_; }
  /// The place by which particle i was sorted at the last rebuild, where it was expected some steps later.
  Vec3 sorted_place(std::size_t i) const;
  /// The particle of a row of this rank.
  std::size_t fluid_in(std::int32_t row) const {
    const auto r = static_cast<std::size_t>(row);
    return fluid_of_row_.size() > 0 ? static_cast<std::size_t>(fluid_of_row_[r]) : r;
  }
  /// The particle of each row of this rank; empty if rows have the order of particles.
  const Array<std::int32_t>& fluid_of_row() const { return fluid_of_row_; }
  const neighbors::WallDisplacement* walls_moved() const { return state_.walls_move ? &wall_displacement : nullptr; }
  /// Writes the values of dummy particles' rows that never change: place, volume and whether the fluid sticks; other
  /// values become zero.
  void write_wall_rows();
  /// Waits for the number of particles of all ranks, counted at the last rebuild.
  void end_count();
  std::size_t bytes() const;

  DeferredExchange lazy;
  comm::Tags tags;  // of all halos of the solver
  Balance balance;
  Timers timers;
  std::int64_t rebuilds = 0;
  std::int64_t last_rebuild = 0;  // the step before which the last rebuild took place
  struct {
    std::int64_t fluid = 0, walls = 0;
  } everywhere;               // particles of all ranks, as of the last control point
  std::int64_t migrants = 0;  // particles that have come from other ranks

  // Indices of the rows in Scratch, and what travels between them.
  particles::CellIndex fluid_rows, wall_rows, node_rows;
  Array<std::int32_t> node_number;  // number of each node, as Openings counts them, in the order of node_rows
  exchange::Halo fluid_halo, wall_halo;
  exchange::Halo fluid_copies, wall_copies;       // to the copies that other ranks compute
  neighbors::WallDisplacement wall_displacement;  // at the end of the step; only where walls move

 private:
  // Placing: see domain.cpp.
  void place();
  void place_nodes();
  bool is_here(Vec3 x) const;
  void put_positions(const particles::CellIndex& rows, const VectorArray<double, D>& x,
                     neighbors::FixedPositions& positions) const;
  void write_wall_row(const neighbors::RowParts<T>& row, std::size_t k) const;
  void begin_count();

  // A rebuild, see sort.cpp and walls.cpp.
  void begin_drift();
  double half_rebuild_interval() const;
  void find_sort_places();
  void remove_leavers();
  bool rebalance_is_due();
  void rebalance();
  void migrate_fluid();
  void sort_fluid();
  void find_fluid_rows();
  void sort_walls();
  void move_walls();
  void move_walls_by_places();

  // Copies, see copies.cpp.
  void include_copies(bool in);
  void resize_fluid(std::int64_t n);
  void resize_walls(std::int64_t n);
  void find_fluid_copies();
  void refresh_copies();
  void refresh_wall_copies();
  template <class ForEachField>
  void send_copies(const VectorArray<double, D>& x, ForEachField&& for_each_field);

  // Bodies, see bodies.cpp.
  void change_bodies();
  void clear_room(const world::Body& body);
  void place_added_body(std::size_t body, std::int64_t addition);
  void drop_body(std::size_t body);
  bool is_in_the_way(const world::Body& body, std::size_t i) const;

  // Checkpoints, see checkpoint.cpp.
  void take_particles(const std::vector<ArchiveReader>& parts);
  void check_particles() const;
  void append_walls(const ArchiveReader& part);

  /// A body that is added or removed.
  struct BodyChange {
    std::size_t body = 0;
    std::int64_t addition = 0;  // its number among additions, from 1; 0: it is removed
  };

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  solver::Execution execution_;
  comm::Communicator& communicator_;
  comm::Reduction counting_;  // of counts_: numbers of fluid and walls since the last rebuild
  std::array<std::int64_t, 2> counts_{};
  Subdomain subdomain_;
  SparseIterations sparse_;   // selects particles that leave,
  Array<std::int32_t> gone_;  // and their numbers
  SavedRows<T> saved_wall_rows_;
  VectorArray<double, D> wall_places_;  // places by which walls are sorted [m]; kept only if a body moves
  neighbors::FixedPositions fluid_positions_, wall_positions_, node_positions_;
  Array<std::int32_t> fluid_of_row_;  // the particle in each row if their order is random; otherwise empty
  bool copies_are_included_ = false;
  std::vector<BodyChange> body_changes_;  // all changes, in order
  std::int64_t body_changes_made_ = 0;    // number of changes that have been made
};

/// Puts copies of the particles at x behind those of the ranks that compute them as well. Collective.
template <class T, int D>
template <class ForEachField>
void Domain<T, D>::send_copies(const VectorArray<double, D>& x, ForEachField&& for_each_field) {
  if (!lazy.computes_copies()) return;
  const std::size_t own = x.size();
  domain::send_copies(communicator_, subdomain_.copied_by_others(x), subdomain_.neighbors(), own, for_each_field);
}

}  // namespace eddyline::sph
