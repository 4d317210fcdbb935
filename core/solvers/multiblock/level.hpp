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

/// Rows of cells of a piece whose children are in one piece of the finer level: planes [first, last) of a box of cells.
struct ParentSlab {
  std::size_t piece, finer;
  Int3 lower, count;  // the box
  std::int32_t first, last;
};

template <class E>
struct Level {
  static constexpr int D = E::k_dimensions;

  /// `smooths`: residuals are smoothed. Collective.
  Level(const HaloSetup& setup, const Pieces& all, int number, bool smooths);
  /// Measures faces and cells, and finds the boundaries. Throws UserError.
  void measure(const Pieces& all, const Boundaries& boundaries);
  /// Finds the cells whose children this process has.
  void find_parents(const Level& fine);

  int number;          // 0: the finest
  bool is_replicated;  // every process has all pieces
  std::vector<PieceFields<E>> pieces;
  std::vector<PieceRange> ranges;   // of the pieces, in cells of this level
  std::vector<std::int32_t> local;  // see Pieces::local()
  std::vector<ParentSlab> parents;  // coarse levels
  Ghosts ghosts;
  std::vector<BoundaryFace> faces;
  std::vector<Slab> slabs;
  double gamma = 0;  // ratio of specific heats, of a gas

  bool is_finest() const { return number == 0; }
  /// Sets the ghosts of the state: those of other pieces, and those beyond boundaries. `with_radii`: also those of
  /// spectral radii in other pieces, in the same message; pressure and velocity of a gas in cells are known then.
  /// Collective.
  void fill_ghosts(bool with_radii = false);
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
      for_each_line(slab, piece.extents.cells, [&](std::int32_t j, std::int32_t k) {
        visit(piece, piece.extents.at(0, j, k), piece.extents.cells[0]);
      });
    });
  }
  /// Calls visit(piece, finer piece, place of the first cell, place of its first child, number of cells) for each row
  /// of cells whose children this process has, in parallel.
  template <class Fine, class Visit>
  void for_each_row_of_parents(Fine& fine, Visit&& visit) {
    parallel_for(static_cast<std::int64_t>(parents.size()), [&](std::int64_t n) {
      const ParentSlab& slab = parents[static_cast<std::size_t>(n)];
      PieceFields<E>& piece = pieces[slab.piece];
      auto& finer = fine.pieces[slab.finer];
      const Int3 low = slab.lower;
      for_each_line(slab, slab.count, [&](std::int32_t j, std::int32_t k) {
        visit(piece, finer, piece.extents.at(low[0], low[1] + j, low[2] + k), finer.extents.at(0, 2 * j, 2 * k),
              slab.count[0]);
      });
    });
  }

 private:
  void add_boundaries(const Pieces& all, const Boundaries& boundaries);
  template <class Planes, class Visit>
  static void for_each_line(const Planes& planes, Int3 cells, Visit&& visit) {
    for (std::int32_t last = planes.first; last < planes.last; ++last)
      if constexpr (D == 2)
        visit(last, 0);
      else
        for (std::int32_t j = 0; j < cells[1]; ++j) visit(j, last);
  }
};

/// The metrics of a coarse level, as sums of those of the level below, in the pieces whose children this process has.
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
