#pragma once
// The neighbour lists of a flow, how long they hold, and the order in which they are summed.

#include <cstdint>
#include <span>
#include <vector>

#include "neighbors/drift.hpp"
#include "neighbors/filtered_list.hpp"
#include "neighbors/list.hpp"
#include "particles/cell_index.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/lists/free_fluid.hpp"
#include "solvers/sph/lists/list_margin.hpp"
#include "solvers/sph/lists/schedule.hpp"
#include "solvers/sph/state/scratch.hpp"
#include "solvers/sph/state/state.hpp"

namespace eddyline::sph {

/// The way of rows in a step, and when its pairs are summed.
template <class T>
struct StepPath {
  neighbors::PredictedPath<T> rows;
  double end = 0;          // the time to which the path leads [s]
  bool in_middle = false;  // pairs are summed at the midpoint only, and counted at the end; otherwise at both
};

/// Lists of neighbours between fluid, walls, nodes and buffers. Which pairs they contain beyond those within R changes
/// no bit.
template <class T, int D>
class Lists {
 public:
  Lists(State<T, D>& state, Scratch<T, D>& scratch, Domain<T, D>& domain);
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;

  /// Builds all lists of a rebuild, and the schedule; resizes results. Collective.
  void find();
  /// Does the same without lists, where a device has its own.
  void find_without_lists();
  /// Builds neighbour lists again, in the same cells, where they do not hold to the end of the current step; with
  /// several ranks also where they might not hold in the next step. Returns whether some did not hold at the midpoint
  /// either, so that the sums up to now must be repeated. Each rank decides for itself, because this changes no bit.
  /// Called once a step.
  bool renew(const StepPath<T>& path);
  /// Finds lists over the fluid without buffers, for forces: those of the buffers' particles, in the order of
  /// Openings::members(), and those of walls. They hold in this step. Does nothing without openings.
  void find_free_neighbors();
  /// Lists of walls over the fluid that walls exert forces on.
  const neighbors::Chunk* wall_reaction() const {
    return state_.openings.empty() ? wall_fluid.chunks().data() : wall_free.chunks().data();
  }
  /// Resizes the reactions of all walls.
  void resize_reactions() { scratch_.resize_reactions(chunks_of(domain_.wall_rows) * neighbors::k_chunk); }
  /// Tells whether a body may touch particle i before the next rebuild.
  bool is_near_walls(std::size_t i) const { return near_walls_.size() > 0 && near_walls_[i] != 0; }
  /// Adopts that walls that have stood still until now may move, as lists have assumed until then.
  void expect_walls_to_rest();
  /// Bounds of how far rows have moved since the rebuild.
  neighbors::DriftBound<T, D>& drift_bound() { return drift_bound_; }
  const neighbors::DriftBound<T, D>& drift_bound() const { return drift_bound_; }
  /// Marks of particles that a body may touch; empty without bodies.
  const Array<std::uint8_t>& near_walls() const { return near_walls_; }
  /// One flag for each row of the fluid: 1 if it is in the buffer of an opening; ghosts included.
  std::span<const std::uint8_t> in_buffer() const { return free_fluid_.in_buffer(); }
  std::size_t bytes() const;

  neighbors::NeighborList fluid_fluid, fluid_wall, wall_fluid, node_fluid;
  neighbors::NeighborList buffer_free;  // buffers and walls over fluid alone, see find_free_neighbors()
  neighbors::FilteredList wall_free;
  VectorArray<double, D> member_places;  // Domain::sorted_place() of each of Openings::members() [m]
  Schedule schedule;                     // since the last rebuild
  double renewals = 0;                   // between rebuilds: how often an average list has been renewed

 private:
  /// Number of chunks of the particles that have lists.
  static std::size_t chunks_of(const particles::CellIndex& rows) {
    return static_cast<std::size_t>((rows.computed() + neighbors::k_chunk - 1) / neighbors::k_chunk);
  }
  bool may_have_margins() const;
  bool has_margins() const;
  void find_reference_velocities();
  template <class Velocity, class Shifting>
  void find_reference_velocities(const particles::CellIndex& rows, const VectorArray<double, D>& x, Velocity&& velocity,
                                 Shifting&& shifting, exchange::Halo& halo, neighbors::FixedPositions& positions,
                                 neighbors::ReferenceVelocities& reference_velocities) const;
  void predict();
  void build();
  template <class Visit>
  void for_each_list(Visit&& visit);
  neighbors::Search search_of(const particles::CellIndex& targets, const neighbors::FixedPositions& target_positions,
                              const particles::CellIndex& sources, const neighbors::FixedPositions& source_positions,
                              double width) const;
  void build_over_free_fluid(neighbors::NeighborList& list, const particles::CellIndex& targets,
                             const neighbors::FixedPositions& target_positions) const;
  bool follow_rows(const StepPath<T>& path);
  typename ListMargin<T, D>::Need need_of_step(const StepPath<T>& path) const;
  float sideways_in_buffers(const neighbors::PredictedPath<T>& path) const;
  void find_near_walls();
  void find_free_fluid();
  void find_node_neighbors();
  void end_find();
  void make_schedule();
  void resize_results();
  const char* instructions() const { return domain_.execution().instructions.c_str(); }

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  FreeFluid free_fluid_;
  particles::CellSet cells_around_;             // a temporary set, used while lists are found
  std::vector<std::uint8_t> walls_at_buffers_;  // by chunk of walls, whether it may have neighbours in buffers
  bool free_neighbors_found_ = false;
  neighbors::DriftBound<T, D> drift_bound_;
  ListMargin<T, D> margin_;
  neighbors::ReferenceVelocities reference_velocities_,
      wall_reference_velocities_;      // since the last rebuild, where lists have margins
  double followed_ = 0;                // time until which lists know the places of rows [s]
  double last_acoustic_distance_ = 0;  // acoustic distance of the last step that they know of
  double steps_of_cells_ = 0;          // number of steps that cells are expected to last
  Array<std::uint8_t> near_walls_;     // by particle; used only if there are bodies
};

}  // namespace eddyline::sph
