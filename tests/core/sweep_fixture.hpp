#pragma once
// Targets and lists of neighbours for sweeps over rows that were not sorted into cells, and what tests of sweeps share
// besides.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "neighbors/list.hpp"

namespace fixture {

namespace neighbors = eddyline::neighbors;

/// The rows 0 to count - 1, and the sentinel up to a whole chunk.
inline std::vector<std::int32_t> targets(std::int32_t count) {
  constexpr std::int32_t k_chunk = neighbors::k_chunk;
  std::vector<std::int32_t> rows;
  for (std::int32_t i = 0; i < (count + k_chunk - 1) / k_chunk * k_chunk; ++i) rows.push_back(std::min(i, count));
  return rows;
}

/// Makes lists of neighbours and keeps their entries.
class Lists {
 public:
  /// Lists of `count` targets; list(i) gives rows, padded with the sentinel `none`.
  template <class List>
  std::vector<neighbors::Chunk> chunks(std::int32_t count, std::int32_t none, List&& list) {
    std::vector<neighbors::Chunk> result;
    for (std::int32_t first = 0; first < count; first += neighbors::k_chunk) {
      std::vector<std::vector<std::int32_t>> lanes(neighbors::k_chunk);
      std::size_t length = 0;
      for (std::int32_t lane = 0; lane < neighbors::k_chunk && first + lane < count; ++lane) {
        lanes[static_cast<std::size_t>(lane)] = list(first + lane);
        length = std::max(length, lanes[static_cast<std::size_t>(lane)].size());
      }
      std::vector<std::int32_t> interleaved;
      for (std::size_t k = 0; k < length; ++k)
        for (const auto& lane : lanes) interleaved.push_back(k < lane.size() ? lane[k] : none);
      entries_.push_back(std::move(interleaved));
      result.push_back({entries_.back().data(), static_cast<std::int32_t>(length)});
    }
    return result;
  }

 private:
  std::vector<std::vector<std::int32_t>> entries_;  // of all chunks
};

/// Points of a lattice up to n steps from the origin along each axis, the origin first.
template <int D>
std::vector<std::array<std::int32_t, 3>> lattice_points(std::int32_t n) {
  std::vector<std::array<std::int32_t, 3>> points{{0, 0, 0}};
  for (std::int32_t z = D == 3 ? -n : 0; z <= (D == 3 ? n : 0); ++z)
    for (std::int32_t y = -n; y <= n; ++y)
      for (std::int32_t x = -n; x <= n; ++x)
        if (x != 0 || y != 0 || z != 0) points.push_back({x, y, z});
  return points;
}

/// How many of the first `count` values have different bits.
inline std::size_t different_bits(const std::vector<float>& a, const std::vector<float>& b, std::size_t count) {
  std::size_t different = 0;
  for (std::size_t i = 0; i < count; ++i)
    different += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]);
  return different;
}

}  // namespace fixture
