#pragma once
// Domain decomposition: assigns cells to ranks.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "particles/cells.hpp"

namespace eddyline::decompose {

/// Methods of decomposition.
///   strips: cuts across the grid's longest axis (the last of equal ones), so that all boxes carry the same weight.
///   strips-x, strips-y, strips-z: the same across the given axis.
///   blocks: px x py x pz boxes with equal numbers of cells and little surface; weights are ignored.
///   bisection: recursive bisection across the longest side of each part (the last of equal ones), at the slab where
///   the weights of both sides are closest to their numbers of boxes.
///   curve: Morton's curve through groups of cells, cut into pieces of about the same weight, one for each rank. A
///   piece consists of as many boxes as it needs.
enum class Method { strips, blocks, bisection, curve };
struct Cuts {
  Method method;
  int axis = -1;  // axis of strips; -1: the longest
};
/// The method with this name. Throws UserError if there is none.
Cuts cuts_of(std::string_view name);

/// Returns the weight of each slab of a box along an axis; must be the same on all ranks.
using SlabWeights = std::function<std::vector<std::int64_t>(const particles::CellBox& box, int axis)>;
/// Returns the weight of each cell of the grid, by CellGrid::index(); must be the same on all ranks.
using CellWeights = std::function<std::vector<std::int64_t>()>;

/// The grid cut into boxes. Their numbers follow the cuts, so that neighbouring boxes tend to have close numbers; each
/// rank has consecutive boxes: boxes_per_rank, or those of its piece of a curve. Every rank stores the whole tree of
/// cuts, 56 bytes per box; nothing else grows with the number of ranks.
class Partition {
 public:
  Partition() = default;
  /// Throws UserError if the grid has too few cells.
  /// `cell_weights`: for cuts along a curve; without it every cell weighs the same.
  Partition(const particles::CellGrid& grid, Cuts cuts, int ranks, int boxes_per_rank, const SlabWeights& weights,
            const CellWeights& cell_weights = {});

  int ranks() const { return static_cast<int>(first_of_rank_.size()) - 1; }
  int rank_of(Int3 cell) const { return owner(static_cast<std::size_t>(box_of(cell))); }
  std::vector<particles::CellBox> boxes_of(int rank) const;
  /// The boxes of other ranks that touch a box of `rank`, directly or through a periodic side, by number.
  std::vector<particles::ForeignBox> around(int rank) const;
  /// The cells of other ranks within `depth` cells of a box of `rank`, directly or through periodic sides, as disjoint
  /// boxes; each lies within one box of its owner. Sorted by the number of that box.
  std::vector<particles::ForeignBox> within(int rank, std::int32_t depth) const;
  /// The ranks that own at least one of these cells, in ascending order.
  std::vector<int> ranks_at(const particles::CellBox& cells) const;
  bool operator==(const Partition& other) const;

 private:
  struct Node {
    int axis = -1;        // -1: a leaf, that is a box
    std::int32_t at = 0;  // cells below `at` belong to the left part; in a leaf: the number of the box
    std::int32_t left = 0, right = 0;
  };

  int box_of(Int3 cell) const;
  int owner(std::size_t box) const { return rank_of_box_[box]; }
  void set_owners(int ranks);

  particles::CellGrid grid_;
  std::vector<Node> nodes_;  // nodes_[0] is the root
  std::vector<particles::CellBox> boxes_;
  std::vector<int> rank_of_box_;
  std::vector<std::int32_t> first_of_rank_;  // its first box; then the number of all

  friend class Cutter;
  friend class CurveCutter;
};

}  // namespace eddyline::decompose
