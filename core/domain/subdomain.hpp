#pragma once
// A rank's share of the domain: the grid of cells, its partition, the cells that this rank computes, and the rows of
// particles in them.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/fixed_point.hpp"
#include "comm/communicator.hpp"
#include "decompose/partition.hpp"
#include "exchange/halo.hpp"
#include "particles/cell_index.hpp"
#include "particles/place.hpp"
#include "solver/execution.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

class Subdomain {
 public:
  /// Partitions the grid so that every box gets as many particles of the start. Periods of the world are whole quanta.
  /// `depth`: width of the border of other ranks' cells that a rank also computes [cells]. Throws UserError if a period
  /// is too short, or if there are fewer cells than boxes. `tags`: of the solver. Collective.
  Subdomain(const world::World& world, const particles::Lengths& length, const FixedPoint& fixed,
            const solver::Execution& execution, std::int32_t depth, comm::Communicator& communicator, comm::Tags& tags);

  /// Partitions the grid again: this rank's particles are in `cells`, and each has the weight `weight`. Collective.
  void repartition(std::span<const Int3> cells, std::int64_t weight);

  const particles::CellGrid& grid() const { return layout_.grid(); }
  const particles::CellLayout& layout() const { return layout_; }
  const decompose::Partition& partition() const { return partition_; }
  /// The ranks with cells that touch those of this rank, or with copies of some of its cells.
  std::vector<int> neighbors() const;
  /// Returns the rank that owns each place.
  template <int D>
  std::vector<int> ranks_of(const VectorArray<double, D>& x) const;

  /// Sorts particles into canonical order; all are in cells that this rank computes. Finds their rows, and the old
  /// index of each particle in the new order; `room` is scratch memory. Collective.
  void sort(std::span<const double* const> position, std::span<const std::int64_t> id, particles::CellIndex& rows,
            Array<std::int32_t>& order, Array<std::int32_t>& room);
  /// Finds which rows ghost rows repeat, within the process and on other ranks.
  void find_ghosts(const particles::CellIndex& rows, exchange::Halo& halo) const;
  /// Finds which rows of other ranks are copies of which rows, both of them computed.
  void find_copies(const particles::CellIndex& rows, exchange::Halo& halo) const;
  /// This rank's particles that other ranks have copies of, by rank.
  template <int D>
  std::map<int, std::vector<std::size_t>> copied_by_others(const VectorArray<double, D>& x) const;

  /// Moves places that have crossed a periodic side to the other side, and shifts the places `with` by as much, if
  /// given.
  template <int D>
  void wrap(VectorArray<double, D>& x, VectorArray<double, D>* with = nullptr) const;
  /// Bytes of the memory for sorting.
  std::size_t bytes() const { return sort_.bytes(); }
  /// Tells whether no particle can leave.
  bool is_closed() const;
  /// The box that particles have left if they are beyond it; infinite where none can leave.
  const Vec3& lowest() const { return lowest_; }
  const Vec3& highest() const { return highest_; }
  /// Tells whether x lies farther beyond an open side than the grid reaches, or beyond the end of a buffer. A value
  /// that is not a number counts as inside, so that the doctor finds it.
  bool has_left(Vec3 x) const {
    bool outside = false;
    for (int d = 0; d < 3; ++d) outside = outside || x[d] < lowest_[d] || x[d] > highest_[d];
    return outside;
  }

 private:
  void find_copied_cells();

  decompose::Cuts cuts_;
  int boxes_;
  std::int64_t shuffle_;
  std::int32_t depth_;  // of the cells that are copied
  comm::Communicator& communicator_;
  Vec3 lowest_, highest_;  // particles beyond have left; infinite where none can leave
  decompose::Partition partition_;
  particles::CellLayout layout_;
  std::vector<particles::RankCells> copied_cells_;  // computed by two ranks or more
  std::vector<std::vector<int>> copied_by_;         // indexed by concatenated cell; empty if there are none
  exchange::Halo cell_halo_;                        // of numbers of particles in cells
  particles::CellSort sort_;
};

}  // namespace eddyline::domain
