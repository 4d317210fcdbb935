#pragma once
// Neighbour lists from which some rows are excluded.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

/// A copy of another list in which some rows are replaced by the sentinel, which adds nothing to sums. Chunks without
/// such rows share their entries with the original list, which therefore must not be built or renewed meanwhile.
class FilteredList {
 public:
  /// `excluded`: per row of the sources, whether it is excluded. `affected`: per chunk, whether it may contain excluded
  /// rows.
  void find(const NeighborList& list, std::span<const std::uint8_t> excluded, std::span<const std::uint8_t> affected) {
    const auto whole = list.chunks();
    targets_ = list.targets();
    chunks_.resize(whole.size());
    std::copy(whole.begin(), whole.end(), chunks_.begin());
    const auto sentinel = static_cast<std::int32_t>(excluded.size()) * k_row_step;
    const auto is_excluded = [&](std::int32_t place) {
      return place != sentinel && excluded[static_cast<std::size_t>(place / k_row_step)] != 0;
    };
    const auto count = static_cast<std::int64_t>(chunks_.size());
    std::size_t taken = 0;
#pragma omp parallel for schedule(static) reduction(+ : taken)
    for (std::int64_t c = 0; c < count; ++c) {
      Chunk& chunk = chunks_[static_cast<std::size_t>(c)];
      const std::int32_t size = chunk.length * k_chunk;
      if (affected[static_cast<std::size_t>(c)] == 0 || std::none_of(chunk.entries, chunk.entries + size, is_excluded))
        continue;
      chunk.stored = k_own;
      taken += static_cast<std::size_t>(size);
    }
    entries_.resize(taken);
    std::int32_t* free = entries_.data();
    for (Chunk& chunk : chunks_) {
      if (chunk.stored != k_own) continue;
      const std::int32_t* entries = std::exchange(chunk.entries, free);
      free = std::transform(entries, entries + chunk.length * k_chunk, free,
                            [&](std::int32_t place) { return is_excluded(place) ? sentinel : place; });
    }
  }

  const Targets& targets() const { return targets_; }
  std::span<const Chunk> chunks() const { return {chunks_.data(), chunks_.size()}; }
  std::size_t bytes() const { return chunks_.bytes() + entries_.bytes(); }

 private:
  static constexpr std::int32_t k_own = -1;  // marks a chunk with its own entries

  Targets targets_;
  Array<Chunk> chunks_;
  Array<std::int32_t> entries_;
};

}  // namespace eddyline::neighbors
