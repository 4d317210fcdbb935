#include "decompose/partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include "base/errors.hpp"
#include "decompose/owners.hpp"

namespace eddyline::decompose {

using particles::CellBox;
using particles::CellGrid;
using particles::ForeignBox;

namespace {

std::int32_t side(const CellBox& box, std::size_t axis) { return box.upper[axis] - box.lower[axis]; }

/// The longest axis; if several are equal, the last of them, across which the border cells lie in long runs of rows.
std::size_t longest_axis(const CellBox& box) {
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (side(box, d) >= side(box, axis)) axis = d;
  return axis;
}

std::size_t axis_of_strips(Cuts cuts, const CellBox& whole) {
  return cuts.axis >= 0 ? static_cast<std::size_t>(cuts.axis) : longest_axis(whole);
}

std::int64_t cells_of(const CellBox& box) {
  return static_cast<std::int64_t>(side(box, 0)) * side(box, 1) * side(box, 2);
}

bool is_empty(const CellBox& box) {
  return box.lower[0] >= box.upper[0] || box.lower[1] >= box.upper[1] || box.lower[2] >= box.upper[2];
}

CellBox common_part(const CellBox& a, const CellBox& b) {
  CellBox part;
  for (std::size_t d = 0; d < 3; ++d) {
    part.lower[d] = std::max(a.lower[d], b.lower[d]);
    part.upper[d] = std::min(a.upper[d], b.upper[d]);
  }
  return part;
}

/// Adds to boxes that share no cell the part of `box` that lies outside them. The boxes before `first` are known not to
/// overlap `box`.
void add_rest(const CellBox& box, std::vector<CellBox>& boxes, std::size_t first = 0) {
  if (is_empty(box)) return;
  for (std::size_t k = first; k < boxes.size(); ++k) {
    const CellBox part = common_part(box, boxes[k]);
    if (is_empty(part)) continue;
    CellBox rest = box;
    for (std::size_t d = 0; d < 3; ++d) {
      CellBox below = rest, above = rest;
      below.upper[d] = rest.lower[d] = part.lower[d];
      above.lower[d] = rest.upper[d] = part.upper[d];
      add_rest(below, boxes, k + 1);
      add_rest(above, boxes, k + 1);
    }
    return;
  }
  boxes.push_back(box);
}

/// Calls visit(image) for a box of cells and its images beyond periodic sides.
template <class Visit>
void for_each_image(const CellGrid& grid, const CellBox& box, Visit&& visit) {
  Int3 by{0, 0, 0}, most{0, 0, 0};
  for (std::size_t d = 0; d < 3; ++d) most[d] = grid.periodic[d] ? 1 : 0;
  for (by[2] = -most[2]; by[2] <= most[2]; ++by[2])
    for (by[1] = -most[1]; by[1] <= most[1]; ++by[1])
      for (by[0] = -most[0]; by[0] <= most[0]; ++by[0]) {
        CellBox image = box;
        for (std::size_t d = 0; d < 3; ++d) {
          image.lower[d] += by[d] * grid.count[d];
          image.upper[d] += by[d] * grid.count[d];
        }
        visit(image);
      }
}

/// The numbers of boxes along the axes: their product is `count`, they fit into the grid, and the boxes share the
/// fewest faces.
Int3 factors(const CellGrid& grid, int count) {
  Int3 best{0, 0, 0};
  double least = INFINITY;
  for (std::int32_t px = 1; px <= count; ++px)
    for (std::int32_t py = 1; count % px == 0 && py <= count / px; ++py) {
      const std::int32_t pz = count / px / py;
      if (px * py * pz != count || px > grid.count[0] || py > grid.count[1] || pz > grid.count[2]) continue;
      const double x = grid.count[0], y = grid.count[1], z = grid.count[2];
      const double faces = (px - 1) * y * z + (py - 1) * x * z + (pz - 1) * x * y;
      if (faces < least) least = faces, best = {px, py, pz};
    }
  return best;
}

}  // namespace

Cuts cuts_of(std::string_view name) {
  if (name == "strips") return {Method::strips};
  if (name == "strips-x") return {Method::strips, 0};
  if (name == "strips-y") return {Method::strips, 1};
  if (name == "strips-z") return {Method::strips, 2};
  if (name == "blocks") return {Method::blocks};
  if (name == "bisection") return {Method::bisection};
  if (name == "curve") return {Method::curve};
  throw UserError("decomposition = \"" + std::string(name) +
                  "\"; must be bisection, blocks, curve, strips, strips-x, strips-y or strips-z.");
}

/// Bisects the grid recursively until each part is one box.
class Cutter {
 public:
  Cutter(Partition& partition, Cuts cuts, const SlabWeights& weights)
      : partition_(partition), cuts_(cuts), weights_(weights) {}

  /// `parts`: number of boxes along each axis, for blocks.
  std::int32_t cut(const CellBox& box, int count, Int3 parts) {
    const auto number = static_cast<std::int32_t>(partition_.nodes_.size());
    partition_.nodes_.emplace_back();
    if (count == 1) {
      partition_.nodes_.back().at = static_cast<std::int32_t>(partition_.boxes_.size());
      partition_.boxes_.push_back(box);
      return number;
    }
    const std::size_t axis = axis_of(box, parts);
    int left = count / 2;
    Int3 left_parts = parts, right_parts = parts;
    std::int32_t slabs = 0;
    if (cuts_.method == Method::blocks) {
      left_parts[axis] = parts[axis] / 2, right_parts[axis] = parts[axis] - left_parts[axis];
      left = count / parts[axis] * left_parts[axis];
      slabs = static_cast<std::int32_t>(static_cast<std::int64_t>(side(box, axis)) * left_parts[axis] / parts[axis]);
    } else {
      slabs = balanced(box, axis, left, count);
    }
    CellBox low = box, high = box;
    low.upper[axis] = high.lower[axis] = box.lower[axis] + slabs;
    const std::int32_t l = cut(low, left, left_parts), r = cut(high, count - left, right_parts);
    partition_.nodes_[static_cast<std::size_t>(number)] = {static_cast<int>(axis), low.upper[axis], l, r};
    return number;
  }

 private:
  std::size_t axis_of(const CellBox& box, Int3 parts) const {
    if (cuts_.method == Method::strips) return axis_of_strips(cuts_, {{0, 0, 0}, partition_.grid_.count});
    if (cuts_.method == Method::bisection) return longest_axis(box);
    return static_cast<std::size_t>(std::max_element(parts.begin(), parts.end()) - parts.begin());
  }

  /// Number of slabs of the lower part: it carries about left/count of the weight, and both parts have enough cells for
  /// their boxes.
  std::int32_t balanced(const CellBox& box, std::size_t axis, int left, int count) const {
    const std::int32_t slabs = side(box, axis);
    const std::int64_t in_slab = cuts_.method == Method::strips ? 1 : cells_of(box) / slabs;
    const std::vector<std::int64_t> weights = weights_(box, static_cast<int>(axis));
    const std::int64_t total = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::int64_t before = 0, least = -1;
    std::int32_t best = 1;
    for (std::int32_t k = 1; k < slabs; ++k) {
      before += weights[static_cast<std::size_t>(k - 1)];
      if (k * in_slab < left || (slabs - k) * in_slab < count - left) continue;
      const std::int64_t error = std::abs(before * count - total * left);
      if (least < 0 || error < least) least = error, best = k;
    }
    return best;
  }

  Partition& partition_;
  Cuts cuts_;
  const SlabWeights& weights_;
};

/// Cuts Morton's curve through groups of 2^k cells along each axis, and finds the boxes of each piece: the parts of the
/// tree of halvings that lie within it.
class CurveCutter {
 public:
  CurveCutter(Partition& partition, int ranks) : partition_(partition), ranks_(ranks) {
    const CellGrid& grid = partition.grid_;
    const std::int64_t wanted = std::min<std::int64_t>(grid.cells(), std::int64_t{k_groups_of_rank} * ranks);
    std::int32_t larger = 2;
    while (groups(larger) >= wanted) cells_of_group_ = larger, larger *= 2;
    for (std::size_t d = 0; d < 3; ++d) count_[d] = (grid.count[d] + cells_of_group_ - 1) / cells_of_group_;
  }

  void cut(const std::vector<std::int64_t>& weight_of_cell) {
    std::vector<Int3> places;
    std::vector<std::int64_t> weights;
    particles::for_each_cell(CellBox{{0, 0, 0}, count_}, [&](Int3 place) {
      places.push_back(place);
      std::int64_t weight = 0;
      particles::for_each_cell(cells_of({place, {place[0] + 1, place[1] + 1, place[2] + 1}}), [&](Int3 cell) {
        weight += weight_of_cell.empty() ? 1 : weight_of_cell[static_cast<std::size_t>(partition_.grid_.index(cell))];
      });
      weights.push_back(std::max<std::int64_t>(1, k_per_weight * weight));
    });
    const std::vector<std::int32_t> order = along_curve(places);
    std::vector<std::int64_t> in_order;
    for (const std::int32_t k : order) in_order.push_back(weights[static_cast<std::size_t>(k)]);
    const std::vector<std::int32_t> shares = even_shares(in_order, ranks_);
    owner_.assign(places.size(), 0);
    for (std::size_t k = 0; k < order.size(); ++k)
      owner_[static_cast<std::size_t>(group(places[static_cast<std::size_t>(order[k])]))] = shares[k];
    std::int32_t edge = 1;
    while (edge < std::max({count_[0], count_[1], count_[2]})) edge *= 2;
    divide({0, 0, 0}, {edge, edge, partition_.grid_.dimensions == 3 ? edge : 1});
  }

 private:
  static constexpr std::int32_t k_groups_of_rank = 32;
  static constexpr std::int64_t k_per_weight = 1024;  // empty groups weigh 1, so that no rank has only these

  std::int64_t groups(std::int32_t cells) const {
    std::int64_t product = 1;
    for (const std::int32_t count : partition_.grid_.count) product *= (count + cells - 1) / cells;
    return product;
  }
  std::int64_t group(Int3 place) const {
    return (static_cast<std::int64_t>(place[2]) * count_[1] + place[1]) * count_[0] + place[0];
  }
  /// The cells of a box of groups.
  CellBox cells_of(const CellBox& box) const {
    CellBox cells;
    for (std::size_t d = 0; d < 3; ++d) {
      cells.lower[d] = box.lower[d] * cells_of_group_;
      cells.upper[d] = std::min(box.upper[d] * cells_of_group_, partition_.grid_.count[d]);
    }
    return cells;
  }

  /// Divides a block of groups, whose edges are powers of two, until each part has one owner. The part beyond the grid
  /// is empty. Returns the number of the node.
  std::int32_t divide(Int3 lower, Int3 edge) {
    const CellBox box =
        common_part({lower, {lower[0] + edge[0], lower[1] + edge[1], lower[2] + edge[2]}}, {{0, 0, 0}, count_});
    const int first = owner_[static_cast<std::size_t>(group(box.lower))];
    bool same = true;
    particles::for_each_cell(
        box, [&](Int3 place) { same = same && owner_[static_cast<std::size_t>(group(place))] == first; });
    std::size_t axis = 0;
    for (std::size_t d = 1; d < 3; ++d)
      if (edge[d] >= edge[axis]) axis = d;
    if (!same) {
      edge[axis] /= 2;
      Int3 upper = lower;
      upper[axis] += edge[axis];
      if (upper[axis] >= count_[axis]) return divide(lower, edge);
      const auto number = static_cast<std::int32_t>(partition_.nodes_.size());
      partition_.nodes_.emplace_back();
      const std::int32_t l = divide(lower, edge), r = divide(upper, edge);
      partition_.nodes_[static_cast<std::size_t>(number)] = {static_cast<int>(axis), upper[axis] * cells_of_group_, l,
                                                             r};
      return number;
    }
    const auto number = static_cast<std::int32_t>(partition_.nodes_.size());
    partition_.nodes_.push_back({-1, static_cast<std::int32_t>(partition_.boxes_.size()), 0, 0});
    partition_.boxes_.push_back(cells_of(box));
    partition_.rank_of_box_.push_back(first);
    return number;
  }

  Partition& partition_;
  int ranks_;
  std::int32_t cells_of_group_ = 1;
  Int3 count_{1, 1, 1};  // of groups
  std::vector<std::int32_t> owner_;
};

Partition::Partition(const CellGrid& grid, Cuts cuts, int ranks, int boxes_per_rank, const SlabWeights& weights,
                     const CellWeights& cell_weights)
    : grid_(grid) {
  if (boxes_per_rank < 1) throw UserError("boxes = " + std::to_string(boxes_per_rank) + "; must be at least 1.");
  const int count = ranks * boxes_per_rank;
  const CellBox whole{{0, 0, 0}, grid.count};
  const bool strips = cuts.method == Method::strips, blocks = cuts.method == Method::blocks;
  const Int3 parts = blocks ? factors(grid, count) : Int3{0, 0, 0};
  const std::int64_t room = strips ? side(whole, axis_of_strips(cuts, whole)) : cells_of(whole);
  if (room < count || (blocks && parts[0] == 0))
    throw UserError("ranks = " + std::to_string(ranks) + " with " + std::to_string(boxes_per_rank) +
                    " boxes each: the grid of " + std::to_string(grid.count[0]) + " x " +
                    std::to_string(grid.count[1]) + " x " + std::to_string(grid.count[2]) +
                    " cells cannot be cut into so many boxes. Use fewer, another decomposition, or a finer spacing.");
  if (cuts.method == Method::curve) {
    CurveCutter(*this, ranks).cut(cell_weights ? cell_weights() : std::vector<std::int64_t>{});
  } else {
    Cutter(*this, cuts, weights).cut(whole, count, parts);
    for (int box = 0; box < count; ++box) rank_of_box_.push_back(box / boxes_per_rank);
  }
  set_owners(ranks);
}

/// Finds the first box of each rank.
void Partition::set_owners(int ranks) {
  for (int rank = 0; rank <= ranks; ++rank)
    first_of_rank_.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(rank_of_box_, rank) - rank_of_box_.begin()));
}

int Partition::box_of(Int3 cell) const {
  const Node* node = &nodes_[0];
  while (node->axis >= 0) {
    const bool low = cell[static_cast<std::size_t>(node->axis)] < node->at;
    node = &nodes_[static_cast<std::size_t>(low ? node->left : node->right)];
  }
  return node->at;
}

std::vector<CellBox> Partition::boxes_of(int rank) const {
  const auto at = [&](int number) { return boxes_.begin() + first_of_rank_[static_cast<std::size_t>(number)]; };
  return {at(rank), at(rank + 1)};
}

std::vector<ForeignBox> Partition::around(int rank) const {
  const auto touch_along = [&](const CellBox& a, const CellBox& b, std::size_t d) {
    const auto meet = [&](std::int32_t shift) {
      return a.lower[d] - 1 < b.upper[d] + shift && b.lower[d] + shift < a.upper[d] + 1;
    };
    return meet(0) || (grid_.periodic[d] && (meet(grid_.count[d]) || meet(-grid_.count[d])));
  };
  std::vector<ForeignBox> found;
  const std::vector<CellBox> own = boxes_of(rank);
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    if (owner(b) == rank) continue;
    const bool touches = std::any_of(own.begin(), own.end(), [&](const CellBox& box) {
      return touch_along(box, boxes_[b], 0) && touch_along(box, boxes_[b], 1) && touch_along(box, boxes_[b], 2);
    });
    if (touches) found.push_back({boxes_[b], owner(b)});
  }
  return found;
}

std::vector<ForeignBox> Partition::within(int rank, std::int32_t depth) const {
  std::vector<ForeignBox> found;
  const std::vector<CellBox> own = boxes_of(rank);
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    if (owner(b) == rank) continue;
    std::vector<CellBox> parts;
    for (CellBox near : own) {
      for (std::size_t d = 0; d < 3; ++d) near.lower[d] -= depth, near.upper[d] += depth;
      for_each_image(grid_, near, [&](const CellBox& image) { add_rest(common_part(image, boxes_[b]), parts); });
    }
    for (const CellBox& part : parts) found.push_back({part, owner(b)});
  }
  return found;
}

std::vector<int> Partition::ranks_at(const CellBox& cells) const {
  std::vector<int> ranks;
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const int rank = owner(b);
    bool meets = ranks.empty() || ranks.back() != rank;
    for (std::size_t d = 0; d < 3; ++d)
      meets = meets && cells.lower[d] < boxes_[b].upper[d] && boxes_[b].lower[d] < cells.upper[d];
    if (meets) ranks.push_back(rank);
  }
  return ranks;
}

bool Partition::operator==(const Partition& other) const {
  return rank_of_box_ == other.rank_of_box_ &&
         std::equal(boxes_.begin(), boxes_.end(), other.boxes_.begin(), other.boxes_.end(),
                    [](const CellBox& a, const CellBox& b) { return a.lower == b.lower && a.upper == b.upper; });
}

}  // namespace eddyline::decompose
