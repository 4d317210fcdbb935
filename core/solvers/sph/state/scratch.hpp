#pragma once
// Memory of steps and rebuilds, and who uses it when.

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/arrays.hpp"
#include "domain/reordering.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/delta/sweeps.hpp"
#include "solvers/sph/state/sweep_results.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

/// The rows that pair sums read, their results, and the memory for sorting. A checkpoint holds none of it but the rows
/// of walls. Some of it is used for one purpose after the other:
/// - results of sweeps (in the scheme classic: rows of the fluid) are used in a step, and by sorting in a rebuild, see
///   begin_sorting() and begin_sums();
/// - places from which lists are renewed are used between rebuilds, and by the order of particles while these are
///   sorted, see with_order();
/// - rows of the end of a step may lie in the memory of its midpoint rows, see rows_share_memory();
/// - sums of forces replace those of rates, see DeltaResults.
/// Each use ends the one before it, and reading what is not alive fails an assertion.
template <class T, int D>
class Scratch {
 public:
  Scratch(const world::World& world, bool is_alone);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  // Rows of all particles and ghosts. In the scheme classic `end_rows` holds its only rows.
  neighbors::PairData<T> midpoint_rows{physics::delta::k_midpoint_width<D>};
  neighbors::PairData<T> end_rows;
  neighbors::PairData<T> walls;
  neighbors::PairData<T> nodes{physics::delta::k_node_width<D>};

  // Results of the sweeps, in whole chunks.
  DeltaResults<T, D> delta;                            // of the scheme delta, else empty
  ClassicResults<T, D> classic;                        // of the scheme classic, else empty
  Array<std::uint8_t> wall_is_wet;                     // whether a wall particle has fluid around it
  Array<T> viscous_reaction[D], pressure_reaction[D];  // of steps with reactions
  Array<T> node_sums[physics::LinearFitSums<T, D>::k_values];

  /// The places of rows from which lists are renewed, of the fluid and of walls where these move.
  struct ListPlaces {
    neighbors::FixedPositions fluid, walls;
  } list_places;

  /// Tells whether rows of a step's end share the memory of its midpoint rows. That is so if no rank sends some of them
  /// while it still sums pairs over the other rows.
  bool rows_share_memory() const { return shares_rows_; }

  /// Begins a rebuild of so many particles: results end, and places are alive. `is_first`: there are no results yet.
  void begin_sorting(std::size_t particles, bool is_first);
  /// The places by which the fluid is sorted [m], until its first field is put in order.
  VectorArray<double, D>& places() {
    assert(use_ == Use::sorting);
    return reorder_.places();
  }
  /// Calls use(room), which finds the order of so many particles; `renewed_from`, of
  /// `list_places`, are to be found again afterwards.
  template <class Find>
  void with_order(std::size_t particles, neighbors::FixedPositions& renewed_from, Find&& find);
  const Array<std::int32_t>& order() const { return reorder_.order; }
  Array<std::int32_t>& order() { return reorder_.order; }
  /// Puts a field in order.
  template <class Field>
  void reorder(Field& field) {
    assert(use_ != Use::sums);
    reorder_(field);
  }
  /// Resizes the rows of the fluid, once it is in order.
  void resize_fluid_rows(std::int32_t rows, bool is_first);
  /// Ends a rebuild: so many results, in whole chunks, can be summed.
  void begin_sums(std::size_t whole);
  void resize_reactions(std::size_t whole);

  std::size_t bytes() const;

 private:
  enum class Use { nothing, sorting, sums };

  bool is_classic_, shares_rows_, sums_dissipation_, sums_drifts_;
  Use use_ = Use::nothing;
  domain::Reordering<D> reorder_;
};

template <class T, int D>
template <class Find>
void Scratch<T, D>::with_order(std::size_t particles, neighbors::FixedPositions& renewed_from, Find&& find) {
  auto& [order, room, none] = renewed_from.x;
  order.resize(particles + neighbors::k_chunk), room.resize(particles + neighbors::k_chunk);
  reorder_.order.swap(order);
  find(room);
  reorder_.order.swap(order);
}

}  // namespace eddyline::sph
