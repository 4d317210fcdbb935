#include "solvers/multiblock/observe/locator.hpp"

#include <algorithm>
#include <cmath>

namespace eddyline::multiblock {

namespace {

constexpr std::int32_t k_leaf = 4;  // cells along an index
constexpr double k_slack = 1e-6;    // of a cell's size: how far outside a point on its face may lie

Int3 moved(Int3 cell, std::size_t axis, std::int32_t by) {
  cell[axis] += by;
  return cell;
}

}  // namespace

template <class E>
Locator<E>::Locator(const Flow<E>& flow) : flow_(flow) {
  const auto& pieces = flow.finest().pieces;
  for (std::size_t p = 0; p < pieces.size(); ++p)
    roots_.push_back(build(static_cast<std::int32_t>(p), {0, 0, 0}, pieces[p].extents.cells));
}

template <class E>
Vec3 Locator<E>::node(const PieceFields<E>& piece, Int3 at) const {
  const PieceRange& range = flow_.pieces().all()[static_cast<std::size_t>(piece.piece)];
  const auto& block = flow_.world().mesh->blocks[static_cast<std::size_t>(range.block)];
  return block.place(range.lower[0] + at[0], range.lower[1] + at[1], range.lower[2] + at[2]);
}

template <class E>
std::int32_t Locator<E>::build(std::int32_t piece, Int3 first, Int3 last) {
  const auto number = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({.low = {}, .high = {}, .piece = piece, .first = first, .last = last});
  std::size_t longest = 0;
  for (std::size_t d = 1; d < D; ++d)
    if (last[d] - first[d] > last[longest] - first[longest]) longest = d;
  Vec3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  if (last[longest] - first[longest] > k_leaf) {
    const std::int32_t middle = (first[longest] + last[longest]) / 2;
    Int3 end = last, begin = first;
    end[longest] = begin[longest] = middle;
    for (int half = 0; half < 2; ++half) {
      const std::int32_t child = half == 0 ? build(piece, first, end) : build(piece, begin, last);
      nodes_[static_cast<std::size_t>(number)].children[half] = child;
      const Node& below = nodes_[static_cast<std::size_t>(child)];
      for (int d = 0; d < D; ++d) low[d] = std::min(low[d], below.low[d]), high[d] = std::max(high[d], below.high[d]);
    }
  } else {
    const auto& fields = flow_.finest().pieces[static_cast<std::size_t>(piece)];
    for (std::int32_t k = first[2]; k <= (D == 3 ? last[2] : first[2]); ++k)
      for (std::int32_t j = first[1]; j <= last[1]; ++j)
        for (std::int32_t i = first[0]; i <= last[0]; ++i) {
          const Vec3 x = node(fields, {i, j, k});
          for (int d = 0; d < D; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
        }
    for (int d = 0; d < D; ++d) {
      const double slack = k_slack * (high[d] - low[d]);
      low[d] -= slack, high[d] += slack;
    }
  }
  nodes_[static_cast<std::size_t>(number)].low = low;
  nodes_[static_cast<std::size_t>(number)].high = high;
  return number;
}

/// True if x is on the inner side of the planes of all faces.
template <class E>
bool Locator<E>::holds(const PieceFields<E>& piece, Int3 cell, Vec3 x) const {
  const double volume = piece.volume[static_cast<std::size_t>(piece.extents.at(cell))];
  for (std::size_t axis = 0; axis < D; ++axis)
    for (std::int32_t end = 0; end < 2; ++end) {
      const Int3 at = moved(cell, axis, end);
      const auto c = static_cast<std::size_t>(piece.extents.at(at));
      Vec3 corner = node(piece, at);
      if constexpr (D == 3) {
        const std::size_t e = (axis + 1) % 3, f = (axis + 2) % 3;
        corner = 0.25 * (corner + node(piece, moved(at, e, 1)) + node(piece, moved(at, f, 1)) +
                         node(piece, moved(moved(at, e, 1), f, 1)));
      }
      const Vec3 away = x - corner;
      double beyond = 0;
      for (int d = 0; d < D; ++d) beyond += away[d] * piece.face[axis][static_cast<std::size_t>(d)][c];
      if ((end == 1 ? beyond : -beyond) > k_slack * volume) return false;
    }
  return true;
}

template <class E>
Location Locator<E>::find(Vec3 x) const {
  Location found;
  std::vector<std::int32_t> left = roots_;
  while (!left.empty()) {
    const Node& at = nodes_[static_cast<std::size_t>(left.back())];
    left.pop_back();
    bool inside = true;
    for (int d = 0; d < D; ++d) inside = inside && x[d] >= at.low[d] && x[d] <= at.high[d];
    if (!inside) continue;
    if (at.children[0] >= 0) {
      left.insert(left.end(), {at.children[0], at.children[1]});
      continue;
    }
    const PieceFields<E>& piece = flow_.finest().pieces[static_cast<std::size_t>(at.piece)];
    for (std::int32_t k = at.first[2]; k < at.last[2]; ++k)
      for (std::int32_t j = at.first[1]; j < at.last[1]; ++j)
        for (std::int32_t i = at.first[0]; i < at.last[0]; ++i) {
          const std::int64_t id = flow_.id_of(piece, {i, j, k});
          if (id < found.id && holds(piece, {i, j, k}, x))
            found = {id, at.piece, static_cast<std::int32_t>(piece.extents.at(i, j, k))};
        }
  }
  return found;
}

template class Locator<Incompressible<2>>;
template class Locator<Incompressible<3>>;
template class Locator<Gas<2>>;
template class Locator<Gas<3>>;

}  // namespace eddyline::multiblock
