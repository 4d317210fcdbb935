#pragma once
// Selection of candidates near a cell, and of neighbours among them. The code is the same for all instruction sets, one
// register of candidates at a time, and so is the result. Each instruction set is a type `Set` with
//   k_lanes                          candidates per register
//   Floats                           a pack of k_lanes floats
//   Words                            k_lanes integers of 32 bits, or twice as many of 16 bits
//   Bits                             one bit per lane
//   load, store                      of words
//   small                            loads 16-bit integers as floats
//   whole, floats                    floats to nearest integers (the lowest integer if out of range), and back
//   all, add, sub                    words: broadcast, sum, difference
//   halves                           (lower, upper): combines the lower halves of two words into one word
//   madd                             sums of products of halves
//   below(limit, words)              Near mask of words less than the limit; either(a, b): a or b
//   bits(mask)                       of a Near mask, or of a mask of floats
//   store_kept(words, bits, to)      stores the words whose bit is set, in order; overwrites up to k_lanes words

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/pack.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

/// Positions relative to a group's centre at one time, with 16 bits per axis, so that one multiplication processes two
/// axes. Each position has two words: (x, y), and |x|^2 in 2D or (z, |x|^2 / k_square_unit) in 3D.
///
/// The unit is chosen so that all possible neighbours lie within k_reach of the centre along each axis. Then 2 x and
/// the square fit 16 bits, and s = |x|^2 - 2 x.x_i fits 32 bits: -D k_reach^2 <= s <= D (2 k_reach)^2. A particle that
/// is farther away at this time may be selected by mistake; this costs a little time but changes no sum, because pairs
/// beyond R add nothing.
namespace coarse {

inline constexpr float k_reach = 13000;
inline constexpr int k_square_unit = 1 << 14;
inline constexpr int k_words = Candidates::k_words;
static_assert(2 * k_reach < 0x1p15F && 3 * k_reach * k_reach / k_square_unit < 0x1p15F);
static_assert(3 * (2 * k_reach) * (2 * k_reach) + k_square_unit < 0x1p31F);

/// Units per quantum.
EDDYLINE_INLINE float scale(const Group& group) { return k_reach / group.reach; }

/// The group's limit plus allowances for rounding: of two positions by half a unit per axis, which increases their
/// distance by at most sqrt(D); of floats; and of the square by half its unit.
template <int D>
EDDYLINE_INLINE float limit(const Group& group) {
  constexpr float k_of_places = D == 2 ? 1.5F : 1.8F, k_of_floats = 256;
  constexpr float k_of_square = D == 2 ? 0 : k_square_unit / 2;
  const float cut = std::sqrt(group.limit) * scale(group) + k_of_places;
  return cut * cut + k_of_floats + k_of_square;
}

EDDYLINE_INLINE std::int32_t halves(int lower, int upper) {
  const auto low = static_cast<std::uint32_t>(lower) & 0xffffU, high = static_cast<std::uint32_t>(upper) << 16;
  return static_cast<std::int32_t>(low | high);
}

/// Adds a register of candidates that are near no particle, as padding.
template <class Set, int D>
void pad(Candidates::Places& places, std::int32_t at) {
  Set::store(Set::all(0), places.word[0].data() + at);
  Set::store(Set::all(D == 2 ? 1 << 30 : halves(0, 0x7fff)), places.word[1].data() + at);
}

}  // namespace coarse

/// A register of candidates at one time.
template <class Set, int D>
struct Block {
  typename Set::Words words[coarse::k_words];
  typename Set::Bits far;  // beyond the limit of the group's box

  EDDYLINE_INLINE Block(const typename Set::Floats* x, const GroupBox& box, const Group& group) {
    using Floats = typename Set::Floats;
    const Floats scale = coarse::scale(group);
    Floats apart2 = 0, square = 0;
    typename Set::Words whole[D];
    for (int d = 0; d < D; ++d) {
      const Floats below = Floats(box.lower[d]) - x[d], above = x[d] - Floats(box.upper[d]);
      const Floats apart = max(max(below, above), Floats(0));
      apart2 = fma(apart, apart, apart2);
      whole[d] = Set::whole(x[d] * scale);
      const Floats rounded = Set::floats(whole[d]);
      square = fma(rounded, rounded, square);
    }
    far = Set::bits(apart2 > Floats(group.limit));
    words[0] = Set::halves(whole[0], whole[1]);
    if constexpr (D == 2)
      words[1] = Set::whole(square);
    else
      words[1] = Set::halves(whole[2], Set::whole(square * Floats(1.0F / coarse::k_square_unit)));
  }
  EDDYLINE_INLINE void put(typename Set::Bits kept, std::int32_t at, Candidates::Places& to) const {
    for (int w = 0; w < coarse::k_words; ++w) Set::store_kept(words[w], kept, to.word[w].data() + at);
  }
};

template <class Set, int D, bool Predicts>
void collect(const FixedPositions& positions, const ReferenceVelocities* velocities, const Group& group,
             const RowRun& run, Candidates& to) {
  using Floats = typename Set::Floats;
  using Bits = typename Set::Bits;
  std::int32_t numbers[Set::k_lanes];
  for (int lane = 0; lane < Set::k_lanes; ++lane) numbers[lane] = lane * k_row_step;
  const auto lanes = Set::load(numbers);
  std::int32_t center[D];  // in the frame of the rows whose images these are
  for (std::size_t d = 0; d < D; ++d)
    center[d] = static_cast<std::int32_t>(static_cast<std::uint32_t>(group.center[d]) -
                                          static_cast<std::uint32_t>(run.shift[d]));
  std::int32_t at = to.count;
  for (std::int32_t j = run.begin; j < run.end; j += Set::k_lanes) {
    Floats r[D], first[D], last[D];
    for (int d = 0; d < D; ++d) {
      r[d] = first[d] = Set::floats(Set::sub(Set::load(positions.x[d].data() + j), Set::all(center[d])));
      if constexpr (Predicts) {
        const Floats velocity = velocities == nullptr ? Floats(0) : Set::small(velocities->x[d].data() + j);
        const Floats w = velocity - Floats(group.velocity[d]);
        first[d] = fma(w, Floats(-group.behind), r[d]);
        last[d] = fma(w, Floats(group.ahead), r[d]);
      }
    }
    const unsigned in_run = run.end - j < Set::k_lanes ? (1U << (run.end - j)) - 1 : (1U << Set::k_lanes) - 1;
    const Block<Set, D> at_begin(first, group.begin, group);
    auto near = static_cast<Bits>(~at_begin.far & in_run);
    if constexpr (Predicts) {
      const Block<Set, D> at_end(last, group.end, group);
      near = static_cast<Bits>(~(at_begin.far & at_end.far) & in_run);
      at_end.put(near, at, to.end);
    }
    at_begin.put(near, at, to.begin);
    Set::store_kept(Set::add(lanes, Set::all((j + run.offset) * k_row_step)), near, to.place.data() + at);
    at += __builtin_popcount(near);
  }
  to.count = at;
}

/// Tests which candidates of a register are near one particle at one time.
template <class Set, int D>
class DistanceTest {
 public:
  DistanceTest(const Group& group, const float* x_i) {
    const float scale = coarse::scale(group);
    int x[D];
    float square = 0;
    bool is_known = true;  // otherwise nothing is near; the doctor will stop a run with NaN positions
    for (int d = 0; d < D; ++d) {
      const float rounded = std::nearbyint(x_i[d] * scale);
      const bool is_within = std::abs(rounded) <= coarse::k_reach;
      x[d] = is_within ? static_cast<int>(rounded) : 0;
      square += rounded * rounded;
      is_known = is_known && is_within;
    }
    const float limit = is_known ? coarse::limit<D>(group) - square : -0x1p30F;
    limit_ = Set::all(static_cast<int>(limit) + 1);
    minus_twice_ = Set::all(coarse::halves(-2 * x[0], -2 * x[1]));
    if constexpr (D == 3) rest_ = Set::all(coarse::halves(-2 * x[2], coarse::k_square_unit));
  }
  EDDYLINE_INLINE typename Set::Near operator()(const typename Set::Words* x) const {
    if constexpr (D == 2)
      return Set::below(limit_, Set::add(Set::madd(x[0], minus_twice_), x[1]));
    else
      return Set::below(limit_, Set::add(Set::madd(x[0], minus_twice_), Set::madd(x[1], rest_)));
  }

 private:
  typename Set::Words minus_twice_, rest_, limit_;
};

/// Calls visit(j, may_hold_self) for each register of candidates, which starts at j; may_hold_self: whether it may
/// contain one of the candidates `first` to `last`, which are both -1 if there are none.
template <int Size, class Visit>
EDDYLINE_INLINE void for_each_block(std::int32_t count, std::int32_t first, std::int32_t last, Visit&& visit) {
  std::int32_t j = 0;
  for (; j + Size <= first; j += Size) visit(j, std::false_type{});
  for (; j <= last; j += Size) visit(j, std::true_type{});
  for (; j < count; j += Size) visit(j, std::false_type{});
}

/// Finds the neighbours of N particles at once, so that each candidate is loaded only once for all of them.
template <class Set, int D, bool Predicts, std::size_t N>
void filter(const Candidates& candidates, const Group& group, QueryParticle* queries) {
  using Words = typename Set::Words;
  using Bits = typename Set::Bits;
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    const DistanceTest<Set, D> at_begin[] = {{group, queries[K].begin}...};
    const DistanceTest<Set, D> at_end[] = {{group, Predicts ? queries[K].end : queries[K].begin}...};
    std::int32_t* out[] = {queries[K].neighbors...};
    const auto load = [](const Candidates::Places& places, std::int32_t j, Words* x) {
      for (int w = 0; w < coarse::k_words; ++w) x[w] = Set::load(places.word[w].data() + j);
    };
    const auto visit = [&](std::int32_t j, auto may_hold_self) __attribute__((always_inline)) {
      Words x[coarse::k_words];
      load(candidates.begin, j, x);
      typename Set::Near near[] = {at_begin[K](x)...};
      if constexpr (Predicts) {
        load(candidates.end, j, x);
        ((near[K] = Set::either(near[K], at_end[K](x))), ...);
      }
      const Words place = Set::load(candidates.place.data() + j);
      const auto put = [&](std::size_t k) __attribute__((always_inline)) {
        auto kept = Set::bits(near[k]);
        if constexpr (may_hold_self) {
          const auto at = static_cast<std::uint32_t>(queries[k].self - j);
          if (at < Set::k_lanes) kept = static_cast<Bits>(kept & ~(1U << at));
        }
        Set::store_kept(place, kept, out[k]);
        out[k] += __builtin_popcount(kept);
      };
      (put(K), ...);
    };
    // The particles may be in any order if their order is shuffled.
    std::int32_t first = queries[0].self, last = first;
    ((first = queries[K].self < first ? queries[K].self : first), ...);
    ((last = queries[K].self > last ? queries[K].self : last), ...);
    for_each_block<Set::k_lanes>(candidates.count, first, last, visit);
    ((queries[K].found = static_cast<std::int32_t>(out[K] - queries[K].neighbors)), ...);
  };
  each(std::make_index_sequence<N>());
}

template <class Set, int D, bool Predicts>
void filter(Candidates& candidates, const Group& group, std::span<QueryParticle> queries) {
  coarse::pad<Set, D>(candidates.begin, candidates.count);
  if constexpr (Predicts) coarse::pad<Set, D>(candidates.end, candidates.count);
  QueryParticle *query = queries.data(), *const end = query + queries.size();
  for (; end - query >= 4; query += 4) filter<Set, D, Predicts, 4>(candidates, group, query);
  if (end - query == 3) filter<Set, D, Predicts, 3>(candidates, group, query);
  if (end - query == 2) filter<Set, D, Predicts, 2>(candidates, group, query);
  if (end - query == 1) filter<Set, D, Predicts, 1>(candidates, group, query);
}

/// The search functions of an instruction set.
template <class Set, bool Predicts>
ListKernels::Search search_kernels() {
  return {[](const FixedPositions& positions, const ReferenceVelocities* velocities, int dimensions, const Group& group,
             const RowRun& run, Candidates& candidates) {
            dimensions == 2 ? collect<Set, 2, Predicts>(positions, velocities, group, run, candidates)
                            : collect<Set, 3, Predicts>(positions, velocities, group, run, candidates);
          },
          [](Candidates& candidates, const Group& group, int dimensions, std::span<QueryParticle> queries) {
            dimensions == 2 ? filter<Set, 2, Predicts>(candidates, group, queries)
                            : filter<Set, 3, Predicts>(candidates, group, queries);
          }};
}

}  // namespace eddyline::neighbors
