#pragma once
// Which rank computes which cells.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "particles/cells.hpp"

namespace eddyline::decompose {

/// How the grid is cut.
///   strips: across its longest axis, of equal ones the last, so that each box bears the same weight.
///   strips-x, strips-y, strips-z: the same across that axis.
///   blocks: into px x py x pz boxes of equally many cells with little surface; weights do not count.
///   bisection: again and again across the longest side of each part, of equal ones the last, where the weights on both
///   sides come nearest to the numbers of boxes that they get.
enum class Method { strips, blocks, bisection };
struct Cuts {
  Method method;
  int axis = -1;  // of strips; -1: the longest
};
/// Throws UserError for any other name.
Cuts cuts_of(std::string_view name);

/// The weight of each slab of a box along an axis, the same on all ranks.
using SlabWeights = std::function<std::vector<std::int64_t>(const particles::CellBox& box, int axis)>;

/// The grid cut into boxes, numbered so that neighbours tend to have near numbers; each rank has as many, one after the
/// other. Every rank holds the whole tree of cuts, 56 bytes a box; no more of it grows with the number of ranks.
class Partition {
 public:
  Partition() = default;
  /// Throws UserError if the grid has too few cells.
  Partition(const particles::CellGrid& grid, Cuts cuts, int ranks, int boxes_per_rank, const SlabWeights& weights);

  int ranks() const { return static_cast<int>(boxes_.size()) / boxes_per_rank_; }
  int rank_of(Int3 cell) const { return box_of(cell) / boxes_per_rank_; }
  std::vector<particles::CellBox> boxes_of(int rank) const;
  /// The boxes of other ranks that touch one of `rank`, directly or as a periodic image, by number.
  std::vector<particles::ForeignBox> around(int rank) const;
  /// The cells of other ranks that lie at most `depth` cells from one of `rank`, directly or as periodic images: boxes
  /// that share no cell, each within one of the owner's, by number.
  std::vector<particles::ForeignBox> within(int rank, std::int32_t depth) const;
  /// The ranks that own some of these cells, in order.
  std::vector<int> ranks_at(const particles::CellBox& cells) const;
  bool operator==(const Partition& other) const;

 private:
  struct Node {
    int axis = -1;        // -1: a box
    std::int32_t at = 0;  // cells below it go left; of a box: its number
    std::int32_t left = 0, right = 0;
  };

  int box_of(Int3 cell) const;

  particles::CellGrid grid_;
  std::vector<Node> nodes_;  // nodes_[0] is the root
  std::vector<particles::CellBox> boxes_;
  int boxes_per_rank_ = 1;

  friend class Cutter;
};

}  // namespace eddyline::decompose
