#pragma once
// Who may be near a cell's particles, and who is near each: the same for all sets of instructions, a register of
// candidates at a time, and with the same outcome. Each set is a type, `Set`, with
//   k_lanes                          candidates a register holds
//   Floats                           a pack of that many
//   Words                            that many numbers of 32 bits, or twice as many of 16
//   Bits                             a bit for each lane
//   load, store                      words
//   small                            from numbers of 16 bits to floats
//   whole, floats                    from floats to the nearest whole numbers, the least where there is none, and back
//   all, add, sub                    words: the same in every lane, sums, differences
//   halves                           (lower, upper): of each word the lower half from one, the upper from the other
//   madd                             sums of the products of halves
//   below(limit, words)              where words are less than the limit, a Near; either(a, b) of two such
//   bits(mask)                       of a Near, or of a mask of floats
//   store_kept(words, bits, to)      those whose bit is set, in order; what follows them up to k_lanes is overwritten

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "base/pack.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

/// Places relative to a group's center at one moment, in 16 bits an axis, so that one multiplication does two. Each is
/// two words: (x, y), and |x|^2 in 2D or (z, |x|^2 / k_square_unit) in 3D.
///
/// The unit is such that all who may be neighbours are within k_reach of the center along each axis. Then 2 x and the
/// square fit 16 bits, and s = |x|^2 - 2 x.x_i fits 32: -D k_reach^2 <= s <= D (2 k_reach)^2. Who is further away at
/// this moment may be found near by mistake, which costs a little time, as who is beyond R adds nothing to pair sums.
namespace coarse {

inline constexpr float k_reach = 13000;
inline constexpr int k_square_unit = 1 << 14;
inline constexpr int k_words = Candidates::k_words;
static_assert(2 * k_reach < 0x1p15F && 3 * k_reach * k_reach / k_square_unit < 0x1p15F);
static_assert(3 * (2 * k_reach) * (2 * k_reach) + k_square_unit < 0x1p31F);

/// Units a quantum.
EDDYLINE_INLINE float scale(const Group& group) { return k_reach / group.reach; }

/// The group's limit, and what makes up for rounding: of two places by half a unit an axis, which takes them apart by
/// sqrt(D) at most; of floats; and of the square by half its unit.
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

/// Padding: a register of candidates that are near nobody.
template <class Set, int D>
void pad(Candidates::Places& places, std::int32_t at) {
  Set::store(Set::all(0), places.word[0].data() + at);
  Set::store(Set::all(D == 2 ? 1 << 30 : halves(0, 0x7fff)), places.word[1].data() + at);
}

}  // namespace coarse

/// A register of candidates at one moment.
template <class Set, int D>
struct Block {
  typename Set::Words words[coarse::k_words];
  typename Set::Bits far;  // who is too far from the group's box

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

template <class Set, int D, bool Foresees>
void collect(const FixedPositions& positions, const ReferenceVelocities* headings, const Group& group, const RowRun& run,
             Candidates& to) {
  using Floats = typename Set::Floats;
  using Bits = typename Set::Bits;
  std::int32_t numbers[Set::k_lanes];
  for (int lane = 0; lane < Set::k_lanes; ++lane) numbers[lane] = lane * k_row_step;
  const auto lanes = Set::load(numbers);
  std::int32_t center[D];  // as those see it whose images these are
  for (std::size_t d = 0; d < D; ++d)
    center[d] = static_cast<std::int32_t>(static_cast<std::uint32_t>(group.center[d]) -
                                          static_cast<std::uint32_t>(run.shift[d]));
  std::int32_t at = to.count;
  for (std::int32_t j = run.begin; j < run.end; j += Set::k_lanes) {
    Floats r[D], first[D], last[D];
    for (int d = 0; d < D; ++d) {
      r[d] = first[d] = Set::floats(Set::sub(Set::load(positions.x[d].data() + j), Set::all(center[d])));
      if constexpr (Foresees) {
        const Floats heading = headings == nullptr ? Floats(0) : Set::small(headings->x[d].data() + j);
        const Floats w = heading - Floats(group.heading[d]);
        first[d] = fma(w, Floats(-group.behind), r[d]);
        last[d] = fma(w, Floats(group.ahead), r[d]);
      }
    }
    const unsigned in_run = run.end - j < Set::k_lanes ? (1U << (run.end - j)) - 1 : (1U << Set::k_lanes) - 1;
    const Block<Set, D> at_begin(first, group.begin, group);
    auto near = static_cast<Bits>(~at_begin.far & in_run);
    if constexpr (Foresees) {
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

/// Which of a register of candidates are near one particle at one moment.
template <class Set, int D>
class Nearness {
 public:
  Nearness(const Group& group, const float* x_i) {
    const float scale = coarse::scale(group);
    int x[D];
    float square = 0;
    bool is_known = true;  // else nobody is near: a run whose numbers are none is about to stop
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

/// Calls visit(j, may_hold_self) for each register of candidates, from j on: whether one of those from `first` to
/// `last` is among them; both are -1 if there are none such.
template <int Size, class Visit>
EDDYLINE_INLINE void for_each_block(std::int32_t count, std::int32_t first, std::int32_t last, Visit&& visit) {
  std::int32_t j = 0;
  for (; j + Size <= first; j += Size) visit(j, std::false_type{});
  for (; j <= last; j += Size) visit(j, std::true_type{});
  for (; j < count; j += Size) visit(j, std::false_type{});
}

/// Finds who is near some seekers at a time, so that candidates are loaded once for all of them.
template <class Set, int D, bool Foresees, std::size_t N>
void filter(const Candidates& candidates, const Group& group, Seeker* seekers) {
  using Words = typename Set::Words;
  using Bits = typename Set::Bits;
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    const Nearness<Set, D> at_begin[] = {{group, seekers[K].begin}...};
    const Nearness<Set, D> at_end[] = {{group, Foresees ? seekers[K].end : seekers[K].begin}...};
    std::int32_t* out[] = {seekers[K].neighbors...};
    const auto load = [](const Candidates::Places& places, std::int32_t j, Words* x) {
      for (int w = 0; w < coarse::k_words; ++w) x[w] = Set::load(places.word[w].data() + j);
    };
    const auto visit = [&](std::int32_t j, auto may_hold_self) __attribute__((always_inline)) {
      Words x[coarse::k_words];
      load(candidates.begin, j, x);
      typename Set::Near near[] = {at_begin[K](x)...};
      if constexpr (Foresees) {
        load(candidates.end, j, x);
        ((near[K] = Set::either(near[K], at_end[K](x))), ...);
      }
      const Words place = Set::load(candidates.place.data() + j);
      const auto put = [&](std::size_t k) __attribute__((always_inline)) {
        auto kept = Set::bits(near[k]);
        if constexpr (may_hold_self) {
          const auto at = static_cast<std::uint32_t>(seekers[k].self - j);
          if (at < Set::k_lanes) kept = static_cast<Bits>(kept & ~(1U << at));
        }
        Set::store_kept(place, kept, out[k]);
        out[k] += __builtin_popcount(kept);
      };
      (put(K), ...);
    };
    // They stand in any order, where that of particles is shuffled.
    std::int32_t first = seekers[0].self, last = first;
    ((first = seekers[K].self < first ? seekers[K].self : first), ...);
    ((last = seekers[K].self > last ? seekers[K].self : last), ...);
    for_each_block<Set::k_lanes>(candidates.count, first, last, visit);
    ((seekers[K].found = static_cast<std::int32_t>(out[K] - seekers[K].neighbors)), ...);
  };
  each(std::make_index_sequence<N>());
}

template <class Set, int D, bool Foresees>
void filter(Candidates& candidates, const Group& group, std::span<Seeker> seekers) {
  coarse::pad<Set, D>(candidates.begin, candidates.count);
  if constexpr (Foresees) coarse::pad<Set, D>(candidates.end, candidates.count);
  Seeker *seeker = seekers.data(), *const end = seeker + seekers.size();
  for (; end - seeker >= 4; seeker += 4) filter<Set, D, Foresees, 4>(candidates, group, seeker);
  if (end - seeker == 3) filter<Set, D, Foresees, 3>(candidates, group, seeker);
  if (end - seeker == 2) filter<Set, D, Foresees, 2>(candidates, group, seeker);
  if (end - seeker == 1) filter<Set, D, Foresees, 1>(candidates, group, seeker);
}

/// How a set of instructions searches.
template <class Set, bool Foresees>
ListKernels::Search search_kernels() {
  return {[](const FixedPositions& positions, const ReferenceVelocities* headings, int dimensions, const Group& group,
             const RowRun& run, Candidates& candidates) {
            dimensions == 2 ? collect<Set, 2, Foresees>(positions, headings, group, run, candidates)
                            : collect<Set, 3, Foresees>(positions, headings, group, run, candidates);
          },
          [](Candidates& candidates, const Group& group, int dimensions, std::span<Seeker> seekers) {
            dimensions == 2 ? filter<Set, 2, Foresees>(candidates, group, seekers)
                            : filter<Set, 3, Foresees>(candidates, group, seekers);
          }};
}

}  // namespace eddyline::neighbors
