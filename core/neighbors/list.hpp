#pragma once
// Neighbour lists in SELL-16 format: chunks of sixteen particles, entry k of all sixteen side by side.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "base/pack.hpp"
#include "base/vec.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::neighbors {

inline constexpr int k_chunk =
    16;  // particles per chunk, as many as the widest pack has lanes; narrower packs process a chunk in parts

/// Lists of the sixteen particles of a chunk. entries[16 k + lane] is the place of the k-th neighbour's row, see
/// k_row_step; shorter lists are padded with the place of the sentinel.
struct Chunk {
  std::int32_t* entries = nullptr;
  std::int32_t length = 0;
  std::int32_t stored = 0;  // entries without padding
};

/// The particles that have lists, sixteen per chunk: the row of each.
struct Targets {
  const std::int32_t* slot = nullptr;  // null: the row is the particle's number
  std::int64_t count = 0;
  std::int32_t sentinel = 0;  // row of the missing particles of the last chunk

  Targets() = default;
  explicit Targets(const particles::CellIndex& rows)
      : slot(rows.slot.size() == 0 ? nullptr : rows.slot.data()), count(rows.computed()), sentinel(rows.rows) {}

  EDDYLINE_HOST_DEVICE std::int32_t row_of(std::int64_t k) const {
    return slot == nullptr ? static_cast<std::int32_t>(k) : slot[k];
  }

  /// Places of the rows of N particles, see k_row_step.
  template <int N>
  EDDYLINE_INLINE std::array<std::int32_t, static_cast<std::size_t>(N)> places(std::int64_t first) const {
    std::array<std::int32_t, static_cast<std::size_t>(N)> places;
    const auto fill = [&](auto&& row) __attribute__((always_inline)) {
      for (std::int32_t k = 0; k < N; ++k) places[static_cast<std::size_t>(k)] = row(k) * k_row_step;
    };
    if (first + N > count)
      fill([&](std::int32_t k) { return first + k < count ? row_of(first + k) : sentinel; });
    else if (slot == nullptr)
      fill([row = static_cast<std::int32_t>(first)](std::int32_t k) { return row + k; });
    else
      fill([&](std::int32_t k) { return slot[first + k]; });
    return places;
  }
};

/// Fixed-point positions of all rows of one kind except images, one array per axis; the list builder searches these.
struct FixedPositions {
  Array<std::int32_t> x[3];
};

/// Velocities that the list builder expects for the same rows, one array per axis. The prediction may be wrong without
/// harm to results.
struct ReferenceVelocities {
  static constexpr float k_unit = 0x1p-12F;  // in units of the speed of sound; the range is eight times that speed
  Array<std::int16_t> x[3];

  /// The nearest representable value of a speed in units of the speed of sound.
  static std::int16_t nearest(double speed) {
    constexpr double k_most = 0x7fff;
    const double units = speed / static_cast<double>(k_unit);
    const double within = units < k_most ? (units > -k_most ? units : -k_most) : k_most;
    return static_cast<std::int16_t>(std::nearbyint(within));
  }
};

/// Prediction of motion: lists that must stay valid for some time omit pairs that will not meet in that time if all
/// particles move as expected. Times are given as the distance that sound travels in them [quanta].
struct MotionPrediction {
  const ReferenceVelocities* targets = nullptr;  // null: they are at rest
  const ReferenceVelocities* sources = nullptr;
  float behind = 0;  // time in the past from which lists must be valid
  const float* ahead =
      nullptr;  // time ahead until which they must be valid, indexed as Search::margins_of; null: no prediction
};

/// Input of the list builder.
struct Search {
  int dimensions = 2;
  float cut_squared = 0;  // (R + margin)^2 in quanta; used if margins_of is null
  // Otherwise the cells with their own margin, and its (R + margin)^2 by the cell's number in this set.
  const particles::CellSet* margins_of = nullptr;
  const float* cut_squared_of = nullptr;
  MotionPrediction prediction;
  const particles::CellLayout* layout = nullptr;
  const particles::CellIndex* targets = nullptr;  // particles that get lists: those computed here
  const particles::CellIndex* sources = nullptr;  // rows that are candidates
  const FixedPositions* target_positions = nullptr;
  const FixedPositions* source_positions = nullptr;
  const std::uint8_t* excluded =
      nullptr;             // per row of the sources (not the same kind), whether it is excluded; null: none
  bool same = false;       // targets and sources are the same kind: skip the particle itself
  bool all_pairs = false;  // ignore cells, every row is a candidate (test oracle)
};

/// Bounding box of some positions, relative to one of them.
struct GroupBox {
  float lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
};

/// The particles of a cell, which search together: a moving centre, and the bounding boxes of the particles at the
/// begin and at the end of the lists' validity. All in quanta, as are candidates and limits. Single precision suffices:
/// the selection affects no result as long as every pair within R is included, and lists expire a thousandth of the
/// margin before they lose a pair.
struct Group {
  std::int32_t center[3] = {0, 0, 0};
  float velocity[3] = {0, 0, 0};  // velocity of the centre
  float behind = 0, ahead = 0;    // see Prediction; factors for reference velocities
  GroupBox begin, end;            // `end` only with prediction
  float limit = 0;                // (R + margin)^2: candidates within this distance become neighbours
  float reach = 0;                // largest distance of a neighbour from the centre along an axis

  /// Sets `limit` and `reach`.
  void set_cutoff(float cut_squared);
};

/// Consecutive candidates: rows, or images of rows.
struct RowRun {
  std::int32_t begin, end;  // rows that are not images
  Int3 shift{0, 0, 0};      // from these rows to their images [quanta]
  std::int32_t offset = 0;  // from these row numbers to those of the images
};

/// All candidates near a group, stored contiguously.
struct Candidates {
  static constexpr int k_words = 2;
  /// Positions relative to the group's centre at one time, see flavours/candidates.hpp.
  struct Places {
    Array<std::int32_t> word[k_words];

    void resize(std::size_t size) {
      for (auto& each : word) each.resize(size);
    }
    std::size_t bytes() const { return word[0].bytes() + word[1].bytes(); }
  };
  Places begin, end;          // `end` only with prediction
  Array<std::int32_t> place;  // place of the source's row
  std::int32_t count = 0;
  std::int32_t own = 0;  // index of the group's first own particle; with Search::same all of them are candidates

  void resize(std::size_t size, bool predicts) {
    begin.resize(size), place.resize(size);
    if (predicts) end.resize(size);
  }
  std::size_t bytes() const { return begin.bytes() + end.bytes() + place.bytes(); }
};

/// A particle that searches for neighbours, and its positions at begin and end relative to the group's centre.
struct QueryParticle {
  float begin[3], end[3];
  std::int32_t self;  // index of the particle itself among the candidates, which is skipped; -1 if it is none of them
  std::int32_t* neighbors;  // output: places of the neighbours, in order
  std::int32_t found = 0;   // output: number of neighbours
};

/// Memory for the entries of one thread's chunks, in slabs that never move, so that lists grow without being copied.
class Arena {
 public:
  /// Releases all entries; the memory is kept.
  void clear() { slab_ = used_ = 0; }
  /// Allocates entries, aligned to a cache line if all requests are whole chunks.
  std::int32_t* take(std::size_t entries);
  /// Ensures that `entries` more entries can be taken, a few at a time, without a system allocation.
  void reserve(std::size_t entries);
  /// Entries taken so far, including the unused ends of all slabs but the last. Memory never touched does not count.
  std::size_t taken() const;

 private:
  std::vector<Array<std::int32_t>> slabs_;
  std::size_t slab_ = 0, used_ = 0;  // entries used of that slab
};

struct ListKernels;

/// Verlet lists of the particles of one kind over the rows of another or the same kind.
class NeighborList {
 public:
  /// Builds all lists. The order of entries is canonical: relative cell (dz, dy, dx), then id.
  void build(const Search& search, const char* instructions);
  /// Rebuilds the chunks that contain particles of cells marked in `due` (by number in search.margins_of). Rebuilds all
  /// chunks if most are due or if the lists have become too scattered. Returns the number of chunks rebuilt.
  std::int64_t renew(const Search& search, const char* instructions, const std::uint8_t* due);

  std::span<const Chunk> chunks() const { return {chunks_.data(), chunks_.size()}; }
  const Targets& targets() const { return targets_; }
  std::int64_t stored() const { return stored_; }  // entries without padding
  std::int64_t padded() const { return padded_; }  // entries with padding
  /// Changes with every change of the lists.
  std::int64_t version() const { return version_; }
  std::size_t bytes() const;

 private:
  static constexpr std::int64_t k_min_waste = 4096;  // entries that may always be wasted

  /// Entries of a chunk that has outgrown them; the memory itself holds this node of a linked list of free blocks.
  struct FreeBlock {
    FreeBlock* next;
    std::int64_t length;
  };
  /// Sums over some lists, and their capacity.
  struct Totals {
    std::int64_t stored = 0, padded = 0, room = 0;  // entries
  };
  /// Memory of one thread.
  struct ThreadScratch {
    Arena arena;
    Totals added;                      // by lists that this thread has built, minus the lists they replace
    FreeBlock* free_blocks = nullptr;  // left by chunks that this thread has built
    Candidates candidates;
    Array<std::int32_t> lists;        // lists of one chunk, one after the other
    std::int64_t max_candidates = 0;  // largest number of candidates around a chunk so far

    void clear() { arena.clear(), added = {}, free_blocks = nullptr; }
    void reserve(bool predicts);
    /// Returns entries for lists of that length, or a somewhat longer free block; then sets `length` to its length.
    std::int32_t* take(std::int32_t& length);
    void recycle(std::int32_t* entries, std::int32_t length);
    /// Distance from one list to the next in `lists`.
    static std::int64_t stride(std::int64_t candidates) { return candidates / k_chunk * k_chunk + 2 * k_chunk; }
  };
  class CellSearch;

  ThreadScratch& own_scratch();
  void build_all(const Search& search, const ListKernels& kernels);
  std::int64_t find_due(const Search& search, const std::uint8_t* due);
  void reserve_for_renewals(bool predicts);
  void build_chunk(std::int64_t c, const Search& search, CellSearch& cell_search, const ListKernels& kernels,
                   ThreadScratch& scratch);
  void count();
  /// True if outgrown lists waste so much memory that a complete rebuild is better.
  bool is_scattered() const { return wasted_ > k_min_waste + padded_ / 4; }

  Targets targets_;
  Array<Chunk> chunks_;
  Array<std::int32_t> room_;                           // capacity of each chunk's lists
  std::vector<ThreadScratch> scratch_;                 // one per thread
  Array<std::int32_t> due_;                            // numbers of chunks
  std::int64_t stored_ = 0, padded_ = 0, wasted_ = 0;  // wasted_: capacity that chunks have outgrown
  std::int64_t version_ = 0;
  bool past_caches_ = false;
};

/// Appends the rows of `run` whose squared distance from the group's box is at most its limit at begin or, with
/// prediction, at end. `velocities`: those of the sources; null if they are at rest. `candidates` needs space for
/// the whole run and sixteen more.
using CollectFunction = void (*)(const FixedPositions& positions, const ReferenceVelocities* velocities, int dimensions,
                                 const Group& group, const RowRun& run, Candidates& candidates);
/// Finds the candidates near each of the group's particles, possibly with a few just beyond the limit. Each output
/// needs space for all candidates and sixteen more, which may be overwritten.
using FilterFunction = void (*)(Candidates& candidates, const Group& group, int dimensions,
                                std::span<QueryParticle> queries);
/// to[16 k + lane] = from[lane * stride + k] for k < length. past_caches: uses non-temporal stores if that is faster.
using InterleaveFunction = void (*)(const std::int32_t* from, std::int64_t stride, std::int32_t length,
                                    std::int32_t* to, bool past_caches);

/// The list-building functions of one instruction set, without and with prediction.
struct ListKernels {
  struct Search {
    CollectFunction collect;
    FilterFunction filter;
  };
  Search unpredicted, predicted;
  InterleaveFunction interleave;
};
ListKernels list_kernels_scalar();
ListKernels list_kernels_avx2();
ListKernels list_kernels_avx512();

}  // namespace eddyline::neighbors
