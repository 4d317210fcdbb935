#pragma once
// One level of multigrid on one process.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/multiblock/boundaries.hpp"
#include "solvers/multiblock/ghosts.hpp"
#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

/// Rows of a piece that one thread computes: planes along the last index, [first, last).
struct Slab {
  std::size_t piece;
  std::int32_t first, last;
};

template <class E>
struct Level {
  static constexpr int D = E::k_dimensions;

  /// Collective.
  Level(comm::Communicator& communicator, const solver::Execution& execution, comm::Tags& tags, const Pieces& all,
        std::span<const std::int32_t> local, int number);
  /// Measures faces and cells, and finds the boundaries. Throws UserError.
  void measure(const Pieces& all, std::span<const std::int32_t> local, const Boundaries& boundaries);

  int number;  // 0: the finest
  std::vector<PieceFields<E>> pieces;
  Ghosts ghosts;
  std::vector<BoundaryFace> faces;
  std::vector<Slab> slabs;
  double gamma = 0;  // ratio of specific heats, of a gas

  bool is_finest() const { return number == 0; }
  /// Sets the ghosts of the state: those of other pieces, and those beyond boundaries. Collective.
  void fill_ghosts();
  /// Sets what the boundaries impose at time t [s].
  void impose(const Boundaries& boundaries, double t) {
    for (BoundaryFace& face : faces) boundaries.impose(t, face);
  }
  /// Calls visit(piece, place of the first cell, number of cells) for each row of cells, in parallel.
  template <class Visit>
  void for_each_row(Visit&& visit) {
    parallel_for(static_cast<std::int64_t>(slabs.size()), [&](std::int64_t n) {
      const Slab& slab = slabs[static_cast<std::size_t>(n)];
      PieceFields<E>& piece = pieces[slab.piece];
      const Int3 cells = piece.extents.cells;
      for (std::int32_t last = slab.first; last < slab.last; ++last)
        for (std::int32_t j = D == 3 ? 0 : last; j < (D == 3 ? cells[1] : last + 1); ++j)
          visit(piece, piece.extents.at(0, j, D == 3 ? last : 0), cells[0]);
    });
  }

 private:
  void add_boundaries(const Pieces& all, std::span<const std::int32_t> local, const Boundaries& boundaries);
};

/// The metrics of a coarse level, as sums of those of the level below, and their ghosts. Collective.
template <class E>
void coarsen_metrics(const Level<E>& fine, Level<E>& coarse);
/// The ghosts of volumes and centres. Collective.
template <class E>
void fill_metric_ghosts(Level<E>& level);

/// The state beyond a boundary, from that of a cell at the same distance on the inner side: p, u. `change`: of a
/// correction, to which nothing is imposed.
template <std::size_t N>
std::array<double, N> beyond(const BoundaryFace& face, const std::array<double, N>& inner, bool change) {
  std::array<double, N> ghost = inner;
  const bool enters = face.condition == Condition::inflow || face.condition == Condition::wall ||
                      (face.condition == Condition::stream && face.enters());
  if (face.condition == Condition::slip) {
    double through = 0;
    for (std::size_t d = 0; d + 1 < N; ++d) through += inner[1 + d] * face.normal[static_cast<int>(d)];
    for (std::size_t d = 0; d + 1 < N; ++d)
      ghost[1 + d] = inner[1 + d] - 2 * through * face.normal[static_cast<int>(d)];
  } else if (enters) {
    for (std::size_t d = 0; d + 1 < N; ++d)
      ghost[1 + d] = (change ? 0.0 : 2 * face.velocity[static_cast<int>(d)]) - inner[1 + d];
  } else {
    ghost[0] = (change ? 0.0 : 2 * face.pressure) - inner[0];
  }
  return ghost;
}

}  // namespace eddyline::multiblock
