#include "solvers/multiblock/division.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "solvers/multiblock/ranges.hpp"

namespace eddyline::multiblock {

namespace {

using Ranges = std::vector<PieceRange>;

constexpr double k_worth = 0.98;  // of a load: less of a gain is not worth more messages

std::int64_t cells_of(std::span<const PieceRange> pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0},
                         [](std::int64_t sum, const PieceRange& piece) { return sum + piece.cells(); });
}

std::int64_t largest_load(std::span<const PieceRange> pieces, int ranks) {
  std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
  for (const PieceRange& piece : pieces) load[static_cast<std::size_t>(piece.rank)] += piece.cells();
  return *std::ranges::max_element(load);
}

/// Cuts blocks for ranks by recursive bisection: along a line through the middles of the pieces, half of the ranks get
/// what lies first, and one piece is cut between both halves.
class Bisection {
 public:
  /// `slack`: how much larger than possible the load of a half may be where that saves messages.
  Bisection(const world::Mesh& mesh, std::int32_t multiple, double slack)
      : mesh_(mesh), multiple_(multiple), slack_(slack) {}

  Ranges divide(Ranges all, int ranks) {
    divide(std::move(all), 0, ranks);
    return std::move(pieces_);
  }

 private:
  struct Halves {
    Ranges first, second;
    double load = 0;         // of the ranks of the fuller half
    std::int64_t faces = 0;  // between both
  };

  void divide(Ranges all, int first_rank, int ranks) {
    if (ranks == 1) {
      for (PieceRange& piece : all) piece.rank = first_rank;
      pieces_.insert(pieces_.end(), all.begin(), all.end());
      return;
    }
    if (all.empty()) return;
    const int half = ranks / 2;
    Halves best = best_halves(std::move(all), half, ranks - half);
    divide(std::move(best.first), first_rank, half);
    divide(std::move(best.second), first_rank + half, ranks - half);
  }

  /// The halves with the fewest faces between them, of all that are nearly as even as any.
  Halves best_halves(Ranges all, int first_ranks, int second_ranks) const {
    const auto dimensions = static_cast<std::size_t>(mesh_.dimensions);
    std::vector<Halves> found;
    for (int axis = 0; axis < mesh_.dimensions; ++axis) {
      std::ranges::stable_sort(all, {}, [&](const PieceRange& piece) { return middle(piece)[axis]; });
      for (std::size_t across = 0; across < dimensions; ++across)
        for (const bool lower_first : {true, false})
          found.push_back(halves(all, across, lower_first, first_ranks, second_ranks));
    }
    const double least = std::ranges::min(found, {}, &Halves::load).load;
    std::erase_if(found, [&](const Halves& each) { return each.load > (1 + slack_) * least; });
    for (Halves& each : found)
      for (const PieceRange& a : each.first)
        for (const PieceRange& b : each.second) each.faces += faces_between(mesh_, a, b);
    return *std::ranges::min_element(found, {}, [](const Halves& each) { return std::pair(each.faces, each.load); });
  }

  /// The first pieces in their order for `first_ranks`, the rest for `second_ranks`. The piece between them is cut
  /// across an index; `lower_first`: its lower part belongs to the first.
  Halves halves(const Ranges& all, std::size_t across, bool lower_first, int first_ranks, int second_ranks) const {
    Halves found;
    std::int64_t missing = cells_of(all) * first_ranks / (first_ranks + second_ranks);
    for (const PieceRange& piece : all) {
      if (piece.cells() <= missing || missing <= 0) {
        (missing > 0 ? found.first : found.second).push_back(piece);
      } else {
        const std::int32_t length = piece.count()[across];
        const std::int32_t cut = cells_to_cut(piece, across, missing);
        const std::int32_t at = piece.lower[across] + (lower_first ? cut : length - cut);
        PieceRange low = piece, high = piece;
        low.upper[across] = high.lower[across] = at;
        if (low.cells() > 0) (lower_first ? found.first : found.second).push_back(low);
        if (high.cells() > 0) (lower_first ? found.second : found.first).push_back(high);
        missing = 0;
        continue;
      }
      missing -= piece.cells();
    }
    found.load = std::max(static_cast<double>(cells_of(found.first)) / first_ranks,
                          static_cast<double>(cells_of(found.second)) / second_ranks);
    return found;
  }

  /// Number of layers of cells across an index, a multiple or all or none, that have about so many cells.
  std::int32_t cells_to_cut(const PieceRange& piece, std::size_t across, std::int64_t cells) const {
    const std::int32_t length = piece.count()[across];
    const std::int64_t layer = piece.cells() / length * multiple_;
    const auto cut = static_cast<std::int32_t>((cells + layer / 2) / layer) * multiple_;
    return length - cut < multiple_ ? length : cut;
  }

  Vec3 middle(const PieceRange& piece) const {
    std::array<std::int32_t, 3> at{};
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh_.dimensions); ++d)
      at[d] = (piece.lower[d] + piece.upper[d]) / 2;
    return mesh_.blocks[static_cast<std::size_t>(piece.block)].place(at[0], at[1], at[2]);
  }

  const world::Mesh& mesh_;
  std::int32_t multiple_;
  double slack_;
  Ranges pieces_;
};

/// Halves the largest piece that can be cut until there are enough.
void halve(Ranges& pieces, int dimensions, std::int32_t multiple, int parts) {
  const auto axis_of = [&](const PieceRange& piece) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < static_cast<std::size_t>(dimensions); ++d)
      if (piece.upper[d] - piece.lower[d] >= piece.upper[longest] - piece.lower[longest]) longest = d;
    return longest;
  };
  while (static_cast<int>(pieces.size()) < parts) {
    PieceRange* largest = nullptr;
    for (PieceRange& piece : pieces) {
      const std::size_t axis = axis_of(piece);
      if (piece.upper[axis] - piece.lower[axis] < 2 * multiple) continue;
      if (largest == nullptr || piece.cells() > largest->cells()) largest = &piece;
    }
    if (largest == nullptr) return;
    const std::size_t axis = axis_of(*largest);
    const std::int32_t at =
        largest->lower[axis] + (largest->upper[axis] - largest->lower[axis]) / (2 * multiple) * multiple;
    PieceRange upper = *largest;
    largest->upper[axis] = upper.lower[axis] = at;
    pieces.push_back(upper);
  }
}

/// Gives the largest piece to the least loaded rank, again and again.
void assign(Ranges& pieces, int ranks) {
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return pieces[a].cells() > pieces[b].cells(); });
  std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
  for (const std::size_t piece : order) {
    const auto least = std::ranges::min_element(load);
    pieces[piece].rank = static_cast<int>(least - load.begin());
    *least += pieces[piece].cells();
  }
}

/// Doubles the number of pieces a few times, and keeps the fewest that are nearly as even as any.
Ranges halved_evenly(Ranges pieces, int dimensions, std::int32_t multiple, int ranks, int parts) {
  constexpr int k_most_pieces = 8;  // of a rank
  halve(pieces, dimensions, multiple, parts);
  assign(pieces, ranks);
  Ranges best = pieces;
  std::int64_t least = largest_load(best, ranks);
  const auto cells = static_cast<double>(cells_of(pieces));
  while (cells < k_worth * static_cast<double>(least * ranks)) {
    const std::size_t before = pieces.size(), wanted = 2 * before;
    if (wanted > static_cast<std::size_t>(k_most_pieces * ranks)) break;
    halve(pieces, dimensions, multiple, static_cast<int>(wanted));
    if (pieces.size() == before) break;
    assign(pieces, ranks);
    const std::int64_t load = largest_load(pieces, ranks);
    if (static_cast<double>(load) < k_worth * static_cast<double>(least)) least = load, best = pieces;
  }
  return best;
}

}  // namespace

std::int64_t faces_between(const world::Mesh& mesh, const PieceRange& a, const PieceRange& b) {
  const Range cells{a.lower, a.upper}, others{b.lower, b.upper};
  std::int64_t faces = 0;
  for (int axis = 0; axis < mesh.dimensions && a.block == b.block; ++axis)
    for (int end = 0; end < 2; ++end)
      if (const auto shared = intersection(beyond(cells, axis, end, 1), others)) faces += size_of(*shared);
  for (const world::MeshLink& link : mesh.links) {
    if (link.patch.block != a.block || link.giver != b.block) continue;
    const auto layer = intersection(cells, {link.patch.low, link.patch.high});
    if (!layer) continue;
    if (const auto shared = intersection(given(link, beyond(*layer, link.patch.axis, link.patch.end, 1)), others))
      faces += size_of(*shared);
  }
  return faces;
}

std::vector<PieceRange> divide(const world::Mesh& mesh, std::int32_t multiple, int ranks, int parts) {
  Ranges blocks;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b)
    blocks.push_back({static_cast<std::int32_t>(b), {0, 0, 0}, mesh.blocks[b].cells});
  Ranges halved = halved_evenly(blocks, mesh.dimensions, multiple, ranks, parts);
  const auto largest = static_cast<double>(largest_load(halved, ranks));
  for (const double slack : {1 / k_worth - 1, 0.0}) {
    Ranges bisected = Bisection(mesh, multiple, slack).divide(blocks, ranks);
    if (k_worth * static_cast<double>(largest_load(bisected, ranks)) > largest) continue;
    halve(bisected, mesh.dimensions, multiple, parts);
    return bisected;
  }
  return halved;
}

}  // namespace eddyline::multiblock
