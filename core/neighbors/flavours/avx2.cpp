// List building with AVX2: eight candidates at a time, the near ones moved to the front by a table of permutations.
#include <immintrin.h>

#include <array>

#include "base/pack_avx2.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

constexpr int k_lanes = 8;

/// For every mask of eight lanes: the lanes whose bit is set, in order, then lane 0.
constexpr auto k_compress = [] {
  std::array<std::array<std::int32_t, k_lanes>, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::size_t kept = 0;
    for (std::int32_t lane = 0; lane < k_lanes; ++lane)
      if ((mask >> lane & 1) != 0) table[mask][kept++] = lane;
  }
  return table;
}();

/// The order that brings the lanes whose bit is set to the front.
__m256i to_the_front(unsigned mask) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(k_compress[mask].data()));
}

/// Of eight candidates at one moment, see Candidates::Places.
template <int D>
struct Eight {
  __m256 x[D], square;
  unsigned near;

  Eight(const __m256* places, const GroupBox& box, __m256 bound) : square(_mm256_setzero_ps()) {
    __m256 apart2 = _mm256_setzero_ps();
    for (int d = 0; d < D; ++d) {
      x[d] = places[d];
      const __m256 below = _mm256_sub_ps(_mm256_set1_ps(box.lower[d]), x[d]);
      const __m256 above = _mm256_sub_ps(x[d], _mm256_set1_ps(box.upper[d]));
      const __m256 apart = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
      square = _mm256_fmadd_ps(x[d], x[d], square);
      apart2 = _mm256_fmadd_ps(apart, apart, apart2);
    }
    near = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(apart2, bound, _CMP_LE_OQ)));
  }
  void put(__m256i order, std::int32_t at, Candidates::Places& to) const {
    for (int d = 0; d < D; ++d) _mm256_storeu_ps(to.x[d].data() + at, _mm256_permutevar8x32_ps(x[d], order));
    _mm256_storeu_ps(to.square.data() + at, _mm256_permutevar8x32_ps(square, order));
  }
};

template <int D, bool Foresees>
void collect(const FixedPositions& positions, const Headings* headings, const Group& group, float limit,
             std::int32_t begin, std::int32_t end, Candidates& to) {
  const __m256i lanes = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
  static_assert(k_row_step == 8);
  const __m256 bound = _mm256_set1_ps(limit);
  std::int32_t at = to.count;
  for (std::int32_t j = begin; j < end; j += k_lanes) {
    __m256 r[D], first[D], last[D];
    for (int d = 0; d < D; ++d) {
      const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(positions.x[d].data() + j));
      r[d] = first[d] = _mm256_cvtepi32_ps(_mm256_sub_epi32(place, _mm256_set1_epi32(group.center[d])));
      if constexpr (Foresees) {
        const __m256 heading = headings == nullptr ? _mm256_setzero_ps() : _mm256_loadu_ps(headings->x[d].data() + j);
        const __m256 w = _mm256_sub_ps(heading, _mm256_set1_ps(group.heading[d]));
        first[d] = _mm256_fmadd_ps(w, _mm256_set1_ps(-group.behind), r[d]);
        last[d] = _mm256_fmadd_ps(w, _mm256_set1_ps(group.ahead), r[d]);
      }
    }
    const unsigned rows = end - j < k_lanes ? (1U << (end - j)) - 1 : 0xffU;
    const Eight<D> at_begin(first, group.begin, bound);
    unsigned near = at_begin.near & rows;
    if constexpr (Foresees) {
      const Eight<D> at_end(last, group.end, bound);
      near = (at_begin.near | at_end.near) & rows;
      at_end.put(to_the_front(near), at, to.end);
    }
    const __m256i order = to_the_front(near);
    at_begin.put(order, at, to.begin);
    const __m256i place = _mm256_add_epi32(lanes, _mm256_set1_epi32(j * k_row_step));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.place.data() + at), _mm256_permutevar8x32_epi32(place, order));
    at += __builtin_popcount(near);
  }
  to.count = at;
}

template <bool Foresees>
void collect_avx2(const FixedPositions& positions, const Headings* headings, int dimensions, const Group& group,
                  float limit, std::int32_t begin, std::int32_t end, Candidates& candidates) {
  dimensions == 2 ? collect<2, Foresees>(positions, headings, group, limit, begin, end, candidates)
                  : collect<3, Foresees>(positions, headings, group, limit, begin, end, candidates);
}

/// Which of eight candidates are near one particle at one moment.
template <int D>
class Nearness {
 public:
  Nearness(const Candidates::Places& places, const Seeker::Place& i)
      : square_(places.square.data()), bound_(_mm256_set1_ps(i.limit)) {
    for (int d = 0; d < D; ++d) x_[d] = places.x[d].data(), twice_[d] = _mm256_set1_ps(-2 * i.x[d]);
  }
  __m256 operator()(std::int32_t j) const {
    __m256 s = _mm256_loadu_ps(square_ + j);
    for (int d = 0; d < D; ++d) s = _mm256_fmadd_ps(twice_[d], _mm256_loadu_ps(x_[d] + j), s);
    return _mm256_cmp_ps(s, bound_, _CMP_LE_OQ);
  }

 private:
  const float *x_[D], *square_;
  __m256 twice_[D], bound_;
};

template <int D, bool Foresees>
std::int32_t filter(const Candidates& candidates, const Seeker& seeker) {
  std::int32_t* const out = seeker.neighbors;
  const Nearness<D> at_begin(candidates.begin, seeker.begin);
  const Nearness<D> at_end(Foresees ? candidates.end : candidates.begin, Foresees ? seeker.end : seeker.begin);
  std::int32_t found = 0;
  for (std::int32_t j = 0; j < candidates.count; j += k_lanes) {
    __m256 near = at_begin(j);
    if constexpr (Foresees) near = _mm256_or_ps(near, at_end(j));
    const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates.place.data() + j));
    const __m256 is_self = _mm256_castsi256_ps(_mm256_cmpeq_epi32(place, _mm256_set1_epi32(seeker.self)));
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_andnot_ps(is_self, near)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + found),
                        _mm256_permutevar8x32_epi32(place, to_the_front(mask)));
    found += __builtin_popcount(mask);
  }
  return found;
}

template <bool Foresees>
void filter_avx2(const Candidates& candidates, int dimensions, std::span<Seeker> seekers) {
  for (Seeker& seeker : seekers)
    seeker.found = dimensions == 2 ? filter<2, Foresees>(candidates, seeker) : filter<3, Foresees>(candidates, seeker);
}

void interleave_avx2(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                     bool /*past_caches*/) {
  const std::int32_t lanes[k_lanes] = {0, 8, 16, 24, 32, 40, 48, 56};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack8f column[k_step];
  for (int half = 0; half < k_chunk; half += k_lanes)
    for (std::int32_t k = 0; k < length; k += k_step) {
      // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
      load_rows<k_step>(reinterpret_cast<const float*>(from + half * stride + k), static_cast<int>(stride), lanes,
                        column);
      const int columns = length - k < k_step ? length - k : k_step;
      for (int c = 0; c < columns; ++c)
        column[c].store(reinterpret_cast<float*>(to + static_cast<std::int64_t>(k + c) * k_chunk + half));
    }
}

}  // namespace

ListKernels list_kernels_avx2() {
  return {{collect_avx2<false>, filter_avx2<false>}, {collect_avx2<true>, filter_avx2<true>}, interleave_avx2};
}

}  // namespace eddyline::neighbors
