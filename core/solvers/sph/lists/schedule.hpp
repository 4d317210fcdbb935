#pragma once
// The order in which chunks of the fluid are summed: the interior, which needs nothing from other ranks, is summed
// while rows travel.

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel_for.hpp"
#include "neighbors/list.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::sph {

inline constexpr std::int64_t k_block = 16;  // chunks

/// Chunks [first, last), at most k_block: the work that one thread takes at a time.
struct Block {
  std::int64_t first, last;
};

using Blocks = std::span<const Block>;

/// The blocks of a rank in two parts: the border, which needs rows of other ranks, and the interior.
enum class Part { border, interior };

/// Calls sweep(first, last) for each block, in parallel, restricted to chunks of the first n particles. Results do not
/// depend on which thread takes which block.
template <class Sweep>
void for_blocks(std::span<const Block> blocks, std::int64_t particles, Sweep&& sweep) {
  const std::int64_t end = (particles + neighbors::k_chunk - 1) / neighbors::k_chunk;
  parallel_for(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t b) {
    const Block& block = blocks[static_cast<std::size_t>(b)];
    if (block.first < end) sweep(block.first, std::min(block.last, end));
  });
}

/// Blocks that are processed in portions while a message is under way.
class WorkPortions {
 public:
  WorkPortions() = default;
  explicit WorkPortions(std::span<const Block> blocks)
      : left_(blocks), portion_(std::max(k_least, blocks.size() / k_portions)) {}

  bool empty() const { return left_.empty(); }
  std::span<const Block> next() { return take(std::min(portion_, left_.size())); }
  std::span<const Block> rest() { return take(left_.size()); }

 private:
  static constexpr std::size_t k_portions = 16, k_least = 8;  // enough for all threads

  std::span<const Block> take(std::size_t count) {
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }

  std::span<const Block> left_;
  std::size_t portion_ = k_least;
};

/// Divides those of `chunks` for which takes(chunk) is true into blocks. Blocks are shorter where there are few, so
/// that each thread gets some.
template <class Takes>
void choose_blocks(std::size_t chunks, Takes&& takes, std::vector<Block>& blocks) {
  constexpr std::int64_t k_least = 2, k_a_thread = 8;
  blocks.clear();
  const auto n = static_cast<std::int64_t>(chunks);
  const std::int64_t most = std::clamp(n / (k_a_thread * omp_get_max_threads()), k_least, k_block);
  for (std::int64_t chunk = 0; chunk < n; ++chunk) {
    if (!takes(static_cast<std::size_t>(chunk))) continue;
    const bool joins = !blocks.empty() && blocks.back().last == chunk && chunk - blocks.back().first < most;
    if (joins)
      ++blocks.back().last;
    else
      blocks.push_back({chunk, chunk + 1});
  }
}

/// Blocks of all of `chunks`.
inline void choose_all_blocks(std::size_t chunks, std::vector<Block>& blocks) {
  choose_blocks(chunks, [](std::size_t) { return true; }, blocks);
}

/// Marks in `chunks` the chunks of these particles that contain a particle in any of `cells`.
void find_chunks_with(const particles::CellSet& cells, const particles::CellIndex& rows,
                      std::vector<std::uint8_t>& chunks);

/// The chunks of the fluid in two parts, interior and fringe. With one rank all are fringe, because there is no message
/// to wait for.
struct Schedule {
  std::vector<Block> interior_rates;   // these need no fluid of other ranks
  std::vector<Block> fringe_rates;     // the other chunks
  std::vector<Block> interior_forces;  // these need no fluid of other ranks, no walls and no buffers
  std::vector<Block> fringe_forces;
  std::vector<Block> walls;  // chunks of the lists of walls over the fluid

  Blocks rates_of(Part part) const { return part == Part::border ? fringe_rates : interior_rates; }
  Blocks forces_of(Part part) const { return part == Part::border ? fringe_forces : interior_forces; }

  /// Used with one rank, which has no message to wait for.
  void make_all_fringe(std::size_t chunks);
  /// Used with several ranks. A chunk is interior if the cells of all its particles see no row that is set late.
  void divide(const particles::CellLayout& layout, const particles::CellIndex& fluid, const particles::CellIndex& wall,
              const particles::CellSet& with_buffers);
};

}  // namespace eddyline::sph
