#pragma once
// Walls without fluid nearby, which are most of a tank's walls.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/sph/lists/schedule.hpp"

namespace eddyline::sph {

/// Selects the chunks of walls that a step computes. Chunks without neighbours keep the rows that they were given when
/// their lists were new, as long as no wall moves or changes its speed.
class InactiveWalls {
 public:
  /// Returns the blocks of `all` that must be computed for the first n particles. `lists`: lists of walls over the
  /// fluid.
  template <class Lists>
  std::span<const Block> active_blocks(const Lists& lists, std::span<const Block> all, std::int64_t n,
                                       bool walls_rest) {
    if (!walls_rest) return all;
    if (version_ != lists.version()) {
      version_ = lists.version();
      written_ = 0;
      const auto chunks = lists.chunks();
      wet_.reserve(chunks.size());
      choose_blocks(chunks.size(), [&](std::size_t c) { return chunks[c].length > 0; }, wet_);
    }
    const bool all_are_written = n <= written_;
    written_ = std::max(written_, n);
    return all_are_written ? std::span<const Block>(wet_) : all;
  }
  /// Makes the next step compute all blocks, after the world has changed.
  void forget() { version_ = -1; }

 private:
  std::int64_t version_ = -1;  // version of the lists
  std::int64_t written_ = 0;   // number of particles written since then
  std::vector<Block> wet_;
};

}  // namespace eddyline::sph
