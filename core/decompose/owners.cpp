#include "decompose/owners.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace eddyline::decompose {

namespace {

/// Spreads 21 bits so that two zero bits follow each.
std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  x = (x | x << 2) & 0x1249249249249249;
  return x;
}

std::uint64_t morton_code(Int3 place) {
  std::uint64_t code = 0;
  for (std::size_t d = 0; d < 3; ++d) code |= spread_bits(static_cast<std::uint64_t>(place[d])) << d;
  return code;
}

}  // namespace

std::vector<std::int32_t> along_curve(std::span<const Int3> places) {
  std::vector<std::uint64_t> codes;
  codes.reserve(places.size());
  for (const Int3& place : places) codes.push_back(morton_code(place));
  std::vector<std::int32_t> order(places.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int32_t k) { return codes[static_cast<std::size_t>(k)]; });
  return order;
}

std::vector<std::int32_t> even_shares(std::span<const std::int64_t> weights, int ranks) {
  const std::size_t members = weights.size();
  std::vector<std::int32_t> rank(members);
  std::int64_t left = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::size_t next = 0;
  for (int r = 0; r < ranks; ++r) {
    const auto others =
        static_cast<std::size_t>(ranks - 1 - r);  // ranks after this one, each with a member if possible
    const std::int64_t share = left / (ranks - r);
    std::int64_t own = 0;
    while (next < members && (own == 0 || members - next > others)) {
      const std::int64_t more = weights[next];
      if (r < ranks - 1 && own > 0 && 2 * (own + more - share) > more) break;
      rank[next++] = r;
      own += more;
    }
    left -= own;
  }
  return rank;
}

}  // namespace eddyline::decompose
