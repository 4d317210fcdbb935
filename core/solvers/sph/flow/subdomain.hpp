#pragma once
// A rank's share of the domain: the grid of cells, how it is cut, which cells this rank computes, and where particles
// stand in them.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "decompose/partition.hpp"
#include "exchange/halo.hpp"
#include "particles/cell_index.hpp"
#include "solver/execution.hpp"
#include "solvers/sph/flow/constants.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

class Subdomain {
 public:
  /// Cuts the grid so that every box gets as many particles of the start. Periods of the world are whole quanta.
  /// `depth`: so far around its own cells a rank also computes those of others [cells]. Throws UserError if a period is
  /// too short, or if there are fewer cells than boxes. Collective.
  Subdomain(const world::World& world, const Constants& constants, const solver::Execution& execution,
            std::int32_t depth, comm::Communicator& communicator);

  /// Cuts the grid anew: this rank's particles stand in `cells`, each of them weighs `weight`. Collective.
  void repartition(std::span<const Int3> cells, std::int64_t weight);

  const particles::CellGrid& grid() const { return layout_.grid(); }
  const particles::CellLayout& layout() const { return layout_; }
  const decompose::Partition& partition() const { return partition_; }
  /// The ranks whose cells touch those of this one, or that have copies of some.
  std::vector<int> neighbors() const;
  /// The rank whose cells hold each place.
  template <int D>
  std::vector<int> ranks_of(const VectorArray<double, D>& x) const;

  /// Canonical order of particles, all in cells that this rank computes: their rows, and the old index of each in the
  /// new order; `room` is used on the way. Collective.
  void sort(std::span<const double* const> position, std::span<const std::int64_t> id, particles::CellIndex& rows,
            Array<std::int32_t>& order, Array<std::int32_t>& room);
  /// Who repeats whose rows, within the process and of other ranks.
  void find_ghosts(const particles::CellIndex& rows, exchange::Halo& halo) const;
  /// Who has copies of whose particles, both of them computed.
  void find_copies(const particles::CellIndex& rows, exchange::Halo& halo) const;
  /// This rank's particles that others have copies of, by rank.
  template <int D>
  std::map<int, std::vector<std::size_t>> copied_by_others(const VectorArray<double, D>& x) const;

  /// Puts what has crossed a periodic side back in at the other, and goes as far with other places, if there are any.
  template <int D>
  void wrap(VectorArray<double, D>& x, VectorArray<double, D>* with = nullptr) const;
  /// Memory of sorting.
  std::size_t bytes() const { return sort_.bytes(); }
  /// Whether nobody can leave.
  bool is_closed() const;
  /// Whether x lies farther beyond an open side than the grid reaches, or beyond the end of a buffer. What is not a
  /// number does not, so that the doctor finds it.
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
  Vec3 lowest_, highest_;  // what is beyond has left; infinite where nobody can
  decompose::Partition partition_;
  particles::CellLayout layout_;
  std::vector<particles::RankCells> copied_cells_;  // computed by two ranks or more
  std::vector<std::vector<int>> copied_by_;         // by concatenated cell; empty if none are
  exchange::Halo cell_halo_;                        // of numbers of particles in cells
  particles::CellSort sort_;
};

}  // namespace eddyline::sph
