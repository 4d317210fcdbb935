#pragma once
// The loops that build neighbour lists: one particle each, in canonical order, once to count its neighbours and once to
// write them.

#include <algorithm>
#include <cstdint>

#include "device/cells.hpp"
#include "device/packed_list.hpp"

namespace eddyline::device {

/// Calls visit(first) for the first of each three cells along x around a cell, in canonical order.
template <int D, class Visit>
EDDYLINE_INLINE void for_each_line_around(const CellArrays& cells, std::int32_t cell, Visit&& visit) {
  const CellArrays::Box& box = cells.box_of(cell);
  const std::int32_t nx = box.shape[0], nxy = nx * box.shape[1];
  constexpr std::int32_t k_depth = D == 3 ? 1 : 0;
  for (std::int32_t dz = -k_depth; dz <= k_depth; ++dz)
    for (std::int32_t dy = -1; dy <= 1; ++dy) visit(cell + dz * nxy + dy * nx - 1);
}

/// Particles that get a list, and the rows that they search.
template <int D>
struct ListSearch {
  CellArrays cells;
  CellRanges sources;
  const std::int32_t* source[D];  // positions [quanta]
  const std::int32_t* target[D];
  const std::int32_t* cell_of_row;  // of the targets
  const std::int32_t* slot;         // row of each target; null: its number
  std::int64_t targets;
  const std::uint8_t* excluded;  // rows of the sources that are no neighbours; null: none
  bool same;                     // targets and sources are of the same kind
  float cut_squared;             // (R + margin)^2 [quanta^2]

  /// Calls visit(row) for each neighbour of a target. Single precision suffices, see neighbors::Group.
  template <class Visit>
  EDDYLINE_INLINE void for_each_neighbor(std::int64_t i, Visit&& visit) const {
    const std::int32_t row = slot == nullptr ? static_cast<std::int32_t>(i) : slot[i], self = same ? row : -1;
    std::uint32_t here[D];
    for (int d = 0; d < D; ++d) here[d] = static_cast<std::uint32_t>(target[d][row]);
    for_each_line_around<D>(cells, cell_of_row[row], [&](std::int32_t first) {
      for (std::int32_t c = first; c < first + 3; ++c) {
        const std::int32_t end = sources.end[c];
        for (std::int32_t r = sources.begin[c]; r < end; ++r) {
          float apart2 = 0;
          for (int d = 0; d < D; ++d) {
            const auto apart =
                static_cast<float>(static_cast<std::int32_t>(static_cast<std::uint32_t>(source[d][r]) - here[d]));
            apart2 += apart * apart;
          }
          if (apart2 <= cut_squared && r != self && (excluded == nullptr || excluded[r] == 0)) visit(r);
        }
      }
    });
  }
};

/// Counts the codes of each list.
template <int D>
struct CountNeighbors {
  ListSearch<D> search;
  std::int32_t* found;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    CodeCounter counter;
    search.for_each_neighbor(i, [&](std::int32_t row) { counter.add(row); });
    found[i] = counter.count();
  }
};

/// Finds the length of each chunk and the number of its codes; one more number, which is 0, follows.
struct MeasureChunks {
  const std::int32_t* found;
  std::int64_t targets, chunk_count;
  PackedChunk* chunks;
  std::int64_t* codes;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t c) const {
    codes[c] = 0;
    if (c == chunk_count) return;
    std::int32_t length = 0;
    const std::int64_t end = std::min((c + 1) * neighbors::k_chunk, targets);
    for (std::int64_t i = c * neighbors::k_chunk; i < end; ++i) length = std::max(length, found[i]);
    chunks[c] = {nullptr, length};
    codes[c] = std::int64_t{length} * neighbors::k_chunk;
  }
};

/// Gives each chunk its memory.
struct PlaceChunks {
  const std::int64_t* first;
  std::uint16_t* memory;
  PackedChunk* chunks;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t c) const { chunks[c].codes = memory + first[c]; }
};

/// Writes the list of a target, or an empty one for a lane without a target.
template <int D>
struct WriteNeighbors {
  ListSearch<D> search;
  const PackedChunk* chunks;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    CodeWriter list(chunks[i / neighbors::k_chunk], i % neighbors::k_chunk);
    if (i < search.targets) search.for_each_neighbor(i, [&](std::int32_t row) { list.add(row); });
    list.finish();
  }
};

/// Marks particles of the fluid with walls in the cells around them: only these can touch a body.
template <int D>
struct MarkNearWalls {
  CellArrays cells;
  CellRanges walls;
  const std::int32_t *cell_of_row, *slot;
  std::uint8_t* near_walls;
  unsigned int* count;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    bool any = false;
    for_each_line_around<D>(cells, cell_of_row[slot == nullptr ? i : slot[i]], [&](std::int32_t first) {
      for (std::int32_t c = first; c < first + 3; ++c) any = any || !walls.is_empty(c);
    });
    near_walls[i] = any ? 1 : 0;
    if (any) take_number(count);
  }
};

}  // namespace eddyline::device
