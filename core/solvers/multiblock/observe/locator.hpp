#pragma once
// The cell that a point lies in.

#include <cstdint>
#include <vector>

#include "solvers/multiblock/flow.hpp"

namespace eddyline::multiblock {

/// A cell of this process.
struct Location {
  std::int64_t id = k_nowhere;  // in the mesh
  std::int32_t piece = -1;
  std::int32_t place = 0;  // in the piece's arrays

  static constexpr std::int64_t k_nowhere = std::numeric_limits<std::int64_t>::max();
};

/// Bounding boxes of ranges of cells, halved along their longer index: any stretching of the mesh takes a number of
/// steps that grows with the logarithm of the number of cells.
template <class E>
class Locator {
  static constexpr int D = E::k_dimensions;

 public:
  explicit Locator(const Flow<E>& flow);

  /// The cell of this process that holds x, the one with the smallest id on a face between cells.
  Location find(Vec3 x) const;

 private:
  struct Node {
    Vec3 low, high;
    std::int32_t piece = 0;
    Int3 first, last;                     // range of cells
    std::int32_t children[2] = {-1, -1};  // -1: a leaf
  };
  std::int32_t build(std::int32_t piece, Int3 first, Int3 last);
  bool holds(const PieceFields<E>& piece, Int3 cell, Vec3 x) const;
  Vec3 node(const PieceFields<E>& piece, Int3 at) const;

  const Flow<E>& flow_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
};

}  // namespace eddyline::multiblock
