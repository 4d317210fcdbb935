#pragma once
// Blocks of a mesh cut into pieces and given to ranks: the same on all ranks, and in plans of runs.

#include <cstdint>
#include <vector>

#include "world/mesh.hpp"

namespace eddyline::multiblock {

/// A rectangle of cells of a block, in the indices of the block on the finest level.
struct PieceRange {
  std::int32_t block = 0;
  Int3 lower, upper;
  int rank = 0;
  /// Number of cells along each index.
  Int3 count() const { return {upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]}; }
  std::int64_t cells() const {
    return std::int64_t{upper[0] - lower[0]} * (upper[1] - lower[1]) * (upper[2] - lower[2]);
  }
};

/// Faces of cells of `a` beyond which lies a cell of `b`, another piece: in the same block and behind links.
std::int64_t faces_between(const world::Mesh& mesh, const PieceRange& a, const PieceRange& b);

/// Cuts blocks at multiples of `multiple` cells into at least `parts` pieces, if there is room for so many, and gives
/// each to a rank. Ranks get neighbouring pieces by recursive bisection; if that makes the largest load more than 2 %
/// larger, blocks are halved instead, and the largest piece goes to the least loaded rank, again and again.
std::vector<PieceRange> divide(const world::Mesh& mesh, std::int32_t multiple, int ranks, int parts);

}  // namespace eddyline::multiblock
