#pragma once
// Neighbour lists, interleaved: sixteen particles a chunk, entry k of all sixteen side by side ("SELL-16").

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

inline constexpr int k_chunk = 16;  // particles a chunk: the widest pack; narrower ones take it in parts

/// Lists of the sixteen particles of a chunk. entries[16 k + lane] is the place of the k-th neighbour's row, see
/// k_row_step; shorter lists are padded with the sentinel's.
struct Chunk {
  std::int32_t* entries = nullptr;
  std::int32_t length = 0;
  std::int32_t stored = 0;  // entries without padding
};

/// Whom lists are of, sixteen a chunk: the row of each.
struct Targets {
  const std::int32_t* slot = nullptr;  // null: the number of each
  std::int64_t count = 0;
  std::int32_t sentinel = 0;  // row of those that the last chunk lacks

  Targets() = default;
  explicit Targets(const particles::CellIndex& rows)
      : slot(rows.slot.size() == 0 ? nullptr : rows.slot.data()), count(rows.computed()), sentinel(rows.rows) {}

  std::int32_t row_of(std::int64_t k) const { return slot == nullptr ? static_cast<std::int32_t>(k) : slot[k]; }

  /// Where the rows of N of them are, see k_row_step.
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

/// Fixed-point positions of the rows of one kind that are no images, one array an axis: what the list builder searches.
struct FixedPositions {
  Array<std::int32_t> x[3];
};

/// Velocities with which the same rows are expected to go on, one array an axis, in units of their own: what is
/// expected need not be right.
struct ReferenceVelocities {
  static constexpr float k_unit = 0x1p-12F;  // in units of the speed of sound: up to eight times that
  Array<std::int16_t> x[3];

  /// The nearest to a speed in units of the speed of sound.
  static std::int16_t nearest(double speed) {
    constexpr double k_most = 0x7fff;
    const double units = speed / static_cast<double>(k_unit);
    const double within = units < k_most ? (units > -k_most ? units : -k_most) : k_most;
    return static_cast<std::int16_t>(std::nearbyint(within));
  }
};

/// Lists that are to hold for a while leave out the pairs that will not meet in that time if all go on as expected.
/// Times are told by how far sound goes in them [quanta].
struct MotionPrediction {
  const ReferenceVelocities* targets = nullptr;  // null: they rest
  const ReferenceVelocities* sources = nullptr;
  float behind = 0;              // lists are to hold since so long ago
  const float* ahead = nullptr;  // and for so long from now, see Search::margins_of; null: nothing is foreseen
};

/// What a list is built from.
struct Search {
  int dimensions = 2;
  float cut_squared = 0;  // (R + margin)^2 in quanta
  // Where margins differ from cell to cell of the targets, these, and the same by number in them.
  const particles::CellSet* margins_of = nullptr;
  const float* cut_squared_of = nullptr;
  MotionPrediction foresight;
  const particles::CellLayout* layout = nullptr;
  const particles::CellIndex* targets = nullptr;  // whose lists: those that are computed here
  const particles::CellIndex* sources = nullptr;  // whose rows are candidates
  const FixedPositions* target_positions = nullptr;
  const FixedPositions* source_positions = nullptr;
  const std::uint8_t* excluded = nullptr;  // by row of other sources, whether it is no candidate; null: all are
  bool same = false;                       // targets and sources are one kind: leave out the particle itself
  bool all_pairs = false;                  // no cells: every row is a candidate (the test oracle)
};

/// The box that holds some places, relative to one of them.
struct GroupBox {
  float lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
};

/// The particles of a cell, which look for neighbours together: one of them, which goes along, and the boxes that hold
/// them all when lists begin and end to hold. In quanta, as are candidates and limits. A float is enough: what is kept
/// decides nothing as long as every pair within R is there, and the lists end a thousandth of the margin later than
/// they are trusted.
struct Group {
  std::int32_t center[3] = {0, 0, 0};
  float heading[3] = {0, 0, 0};  // of the center
  float behind = 0, ahead = 0;   // see MotionPrediction; what headings are to be multiplied by
  GroupBox begin, end;           // the latter only if anything is foreseen
  float limit = 0;               // (R + margin)^2: who is not farther from it is a neighbour
  float reach = 0;               // how far from the center, along an axis, a neighbour of any of them may be

  /// Sets how far to look around the boxes.
  void look_as_far_as(float cut_squared);
};

/// Candidates that lie side by side: rows, or the images of rows.
struct RowRun {
  std::int32_t begin, end;  // rows that are no images
  Int3 shift{0, 0, 0};      // from these to their images [quanta],
  std::int32_t offset = 0;  // and from their rows to those of the images
};

/// Everything that may be near a group, side by side.
struct Candidates {
  static constexpr int k_words = 2;
  /// Places relative to the group's center at one moment, see flavours/candidates.hpp.
  struct Places {
    Array<std::int32_t> word[k_words];

    void resize(std::size_t size) {
      for (auto& each : word) each.resize(size);
    }
    std::size_t bytes() const { return word[0].bytes() + word[1].bytes(); }
  };
  Places begin, end;          // the latter only if anything is foreseen
  Array<std::int32_t> place;  // of the source's row
  std::int32_t count = 0;
  std::int32_t own = 0;  // the first of the group's own cell, all of which are candidates if they look for their kind

  void resize(std::size_t size, bool foresees) {
    begin.resize(size), place.resize(size);
    if (foresees) end.resize(size);
  }
  std::size_t bytes() const { return begin.bytes() + end.bytes() + place.bytes(); }
};

/// One who looks for neighbours among candidates, and where it is at the beginning and at the end, relative to the
/// group's center.
struct Seeker {
  float begin[3], end[3];
  std::int32_t self;        // which candidate it is itself, and so no neighbour; -1 if it is none of them
  std::int32_t* neighbors;  // where the places of those go that are near, in order,
  std::int32_t found = 0;   // and how many they are
};

/// Entries of one thread's chunks, in pieces that never move, so that lists grow without being copied.
class Arena {
 public:
  /// Takes everything back; the memory stays.
  void clear() { slab_ = used_ = 0; }
  /// Room for so many entries, aligned to a cache line if all are whole chunks.
  std::int32_t* take(std::size_t entries);
  /// Sees to it that so many can be taken, a few at a time, without asking the system for memory.
  void reserve(std::size_t entries);
  /// How many have been taken, with what slabs before the last have left over: memory that nobody has touched is none.
  std::size_t taken() const;

 private:
  std::vector<Array<std::int32_t>> slabs_;
  std::size_t slab_ = 0, used_ = 0;  // entries of that slab
};

struct ListKernels;

/// Verlet lists of one kind of particle over the rows of another.
class NeighborList {
 public:
  /// Builds the lists; the order of entries is canonical: relative cell (dz, dy, dx), then id.
  void build(const Search& search, const char* instructions);
  /// Builds those of chunks anew that hold particles of cells that are `due`, by number in search.margins_of; all if
  /// these are most, or lists lie too scattered. How many were due.
  std::int64_t renew(const Search& search, const char* instructions, const std::uint8_t* due);

  std::span<const Chunk> chunks() const { return {chunks_.data(), chunks_.size()}; }
  const Targets& targets() const { return targets_; }
  std::int64_t stored() const { return stored_; }  // entries without padding
  std::int64_t padded() const { return padded_; }  // entries with padding
  /// Changes whenever lists do.
  std::int64_t version() const { return version_; }
  std::size_t bytes() const;

 private:
  static constexpr std::int64_t k_few = 4096;  // entries that may always lie waste

  /// Entries of a chunk that has outgrown them, which hold this themselves: one of a list of such.
  struct Deserted {
    Deserted* next;
    std::int64_t length;
  };
  /// What some lists hold, and the room that they have.
  struct Totals {
    std::int64_t stored = 0, padded = 0, room = 0;  // entries
  };
  /// What a thread needs.
  struct Workshop {
    Arena arena;
    Totals added;                  // by the lists that this thread has built, less those in whose place they are
    Deserted* deserted = nullptr;  // by chunks that this thread has built
    Candidates candidates;
    Array<std::int32_t> scratch;  // the lists of a chunk, one after the other
    std::int64_t most = 0;        // candidates around a chunk so far

    void clear() { arena.clear(), added = {}, deserted = nullptr; }
    void make_room(bool foresees);
    /// Entries for lists of that length, or for somewhat longer ones that others have left; `length` is then theirs.
    std::int32_t* take(std::int32_t& length);
    void leave(std::int32_t* entries, std::int32_t length);
    /// From one list to the next in `scratch`.
    static std::int64_t stride(std::int64_t candidates) { return candidates / k_chunk * k_chunk + 2 * k_chunk; }
  };
  class CellSearch;

  Workshop& own_workshop();
  void build_all(const Search& search, const ListKernels& kernels);
  std::int64_t find_due(const Search& search, const std::uint8_t* due);
  void make_room_for_renewals(bool foresees);
  void build_chunk(std::int64_t c, const Search& search, CellSearch& cell_search, const ListKernels& kernels,
                   Workshop& workshop);
  void count();
  /// Whether lists that have outgrown their room have left so much of it that to build all anew is better.
  bool is_scattered() const { return deserted_ > k_few + padded_ / 4; }

  Targets targets_;
  Array<Chunk> chunks_;
  Array<std::int32_t> room_;                             // by chunk: how long its lists may become where they are
  std::vector<Workshop> workshops_;                      // one a thread
  Array<std::int32_t> due_;                              // chunks
  std::int64_t stored_ = 0, padded_ = 0, deserted_ = 0;  // deserted: room that chunks have outgrown
  std::int64_t version_ = 0;
  bool past_caches_ = false;
};

/// Appends those of a run of the sources whose distance from the group's box, squared, does not exceed its limit, at
/// the beginning or, if anything is foreseen, at the end. `headings`: of the sources, null if they rest. There is room
/// for all of them and sixteen more.
using CollectFunction = void (*)(const FixedPositions& positions, const ReferenceVelocities* headings, int dimensions,
                                 const Group& group, const RowRun& run, Candidates& candidates);
/// Finds the candidates that are near each of the group's seekers, and perhaps a few just beyond the limit. Each must
/// have room for all and sixteen more, which may be written to.
using FilterFunction = void (*)(Candidates& candidates, const Group& group, int dimensions, std::span<Seeker> seekers);
/// to[16 k + lane] = from[lane * stride + k] for k < length. past_caches: written straight to memory if that is faster.
using InterleaveFunction = void (*)(const std::int32_t* from, std::int64_t stride, std::int32_t length,
                                    std::int32_t* to, bool past_caches);

/// How lists are built with one set of instructions, with or without foresight.
struct ListKernels {
  struct Search {
    CollectFunction collect;
    FilterFunction filter;
  };
  Search present, foreseen;
  InterleaveFunction interleave;
};
ListKernels list_kernels_scalar();
ListKernels list_kernels_avx2();
ListKernels list_kernels_avx512();

}  // namespace eddyline::neighbors
