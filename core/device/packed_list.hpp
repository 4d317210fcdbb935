#pragma once
// Neighbour lists on a device: 16 bits for most entries. Sixteen particles share a chunk, as in neighbors::Chunk, and
// entry k of all sixteen lies side by side.

#include <cstdint>

#include "base/host_device.hpp"
#include "base/pack.hpp"
#include "neighbors/list.hpp"

namespace eddyline::device {

/// Lists of the particles of a chunk. A list is a sequence of codes; code k of lane l is codes[16 k + l]. Below k_far
/// it is the distance from the neighbour before to the next one, in rows; the first counts from row 0. Where that
/// distance is too large or negative, k_far + h and a second code give the row itself, h 2^16 + the second. k_end
/// follows a list that is shorter than the longest of its chunk. Rows are below 2^28 - 2^16.
struct PackedChunk {
  static constexpr std::uint32_t k_far = 0xf000, k_end = 0xffff;

  std::uint16_t* codes = nullptr;
  std::int32_t length = 0;  // codes of the longest list
};

/// Counts the codes of a list, row by row.
class CodeCounter {
 public:
  EDDYLINE_INLINE void add(std::int32_t row) {
    count_ += is_near(last_, row) ? 1 : 2;
    last_ = row;
  }
  EDDYLINE_INLINE std::int32_t count() const { return count_; }
  /// Tells whether one code leads from a row to the next.
  static EDDYLINE_INLINE bool is_near(std::int32_t last, std::int32_t row) {
    return static_cast<std::uint32_t>(row) - static_cast<std::uint32_t>(last) < PackedChunk::k_far;
  }

 private:
  std::int32_t last_ = 0, count_ = 0;
};

/// Writes the list of one lane.
class CodeWriter {
 public:
  EDDYLINE_INLINE CodeWriter(const PackedChunk& chunk, std::int64_t lane)
      : next_(chunk.codes + lane), end_(next_ + std::int64_t{chunk.length} * neighbors::k_chunk) {}
  EDDYLINE_INLINE void add(std::int32_t row) {
    const auto to = static_cast<std::uint32_t>(row);
    if (CodeCounter::is_near(last_, row))
      put(to - static_cast<std::uint32_t>(last_));
    else
      put(PackedChunk::k_far + (to >> 16)), put(to & 0xffffU);
    last_ = row;
  }
  EDDYLINE_INLINE void finish() {
    if (next_ != end_) put(PackedChunk::k_end);
  }

 private:
  EDDYLINE_INLINE void put(std::uint32_t code) {
    *next_ = static_cast<std::uint16_t>(code);
    next_ += neighbors::k_chunk;
  }

  std::uint16_t *next_, *end_;
  std::int32_t last_ = 0;
};

/// Input of sweeps with the lists of a device in place of the host's.
template <class Given>
struct WithPackedLists : Given {
  const PackedChunk *fluid_neighbors = nullptr, *wall_neighbors = nullptr;
};

/// neighbors::for_each_neighbor() for lists of a device: packs hold one particle. Sums omit the padding of
/// neighbors::Chunk, whose pairs add zeros.
template <class P, class Load, class Visit>
EDDYLINE_INLINE void for_each_neighbor(const PackedChunk& chunk, int lane, Load&& load, Visit&& visit) {
  static_assert(P::width == 1);
  const std::uint16_t* code = chunk.codes + lane;
  std::int32_t row = 0;
  for (std::int32_t k = 0; k < chunk.length; ++k, code += neighbors::k_chunk) {
    const std::uint32_t step = *code;
    if (step < PackedChunk::k_far) {
      row += static_cast<std::int32_t>(step);
    } else {
      if (step == PackedChunk::k_end) break;
      ++k, code += neighbors::k_chunk;
      row = static_cast<std::int32_t>((step - PackedChunk::k_far) << 16 | *code);
    }
    const std::int32_t place = row * k_row_step;
    visit(load(&place));
  }
}

}  // namespace eddyline::device
