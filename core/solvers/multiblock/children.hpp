#pragma once
// Coarse cells and their children on the next finer level.

#include <array>
#include <cstddef>
#include <cstdint>

#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

/// Calls visit(cell of the coarse piece, place of its first child in the fine one) for each coarse cell.
template <class E, class Visit>
void for_each_parent(const PieceFields<E>& coarse, const PieceFields<E>& fine, Visit&& visit) {
  constexpr int D = E::k_dimensions;
  const Int3 cells = coarse.extents.cells;
  for (std::int32_t k = 0; k < cells[2]; ++k)
    for (std::int32_t j = 0; j < cells[1]; ++j)
      for (std::int32_t i = 0; i < cells[0]; ++i)
        visit(static_cast<std::size_t>(coarse.extents.at(i, j, k)), fine.extents.at(2 * i, 2 * j, D == 3 ? 2 * k : 0));
}

/// Distances from the first child of a cell to all, in lexicographic order.
template <int D>
std::array<std::ptrdiff_t, 1 << D> children(const Extents& fine) {
  std::array<std::ptrdiff_t, 1 << D> places{};
  for (std::size_t child = 0; child < places.size(); ++child)
    for (std::size_t d = 0; d < D; ++d)
      if ((child >> d & 1) != 0) places[child] += fine.stride[d];
  return places;
}

}  // namespace eddyline::multiblock
