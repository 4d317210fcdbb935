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

template <int D>
void collect(const FixedPositions& positions, const Group& group, float limit, std::int32_t begin, std::int32_t end,
             Candidates& to) {
  const __m256i lanes = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
  static_assert(k_row_step == 8);
  const __m256 bound = _mm256_set1_ps(limit);
  std::int32_t at = to.count;
  for (std::int32_t j = begin; j < end; j += k_lanes) {
    __m256 r[D], square = _mm256_setzero_ps(), apart2 = _mm256_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(positions.x[d].data() + j));
      r[d] = _mm256_cvtepi32_ps(_mm256_sub_epi32(place, _mm256_set1_epi32(group.center[d])));
      const __m256 below = _mm256_sub_ps(_mm256_set1_ps(group.lower[d]), r[d]);
      const __m256 above = _mm256_sub_ps(r[d], _mm256_set1_ps(group.upper[d]));
      const __m256 apart = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
      square = _mm256_fmadd_ps(r[d], r[d], square);
      apart2 = _mm256_fmadd_ps(apart, apart, apart2);
    }
    const unsigned rows = end - j < k_lanes ? (1U << (end - j)) - 1 : 0xffU;
    const unsigned near = rows & static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(apart2, bound, _CMP_LE_OQ)));
    const __m256i order = to_the_front(near);
    for (int d = 0; d < D; ++d) _mm256_storeu_ps(to.x[d].data() + at, _mm256_permutevar8x32_ps(r[d], order));
    _mm256_storeu_ps(to.square.data() + at, _mm256_permutevar8x32_ps(square, order));
    const __m256i place = _mm256_add_epi32(lanes, _mm256_set1_epi32(j * k_row_step));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.place.data() + at), _mm256_permutevar8x32_epi32(place, order));
    at += __builtin_popcount(near);
  }
  to.count = at;
}

void collect_avx2(const FixedPositions& positions, int dimensions, const Group& group, float limit, std::int32_t begin,
                  std::int32_t end, Candidates& candidates) {
  dimensions == 2 ? collect<2>(positions, group, limit, begin, end, candidates)
                  : collect<3>(positions, group, limit, begin, end, candidates);
}

template <int D>
std::int32_t filter(const Candidates& candidates, const float* x_i, float limit, std::int32_t self, std::int32_t* out) {
  __m256 twice[D];
  for (int d = 0; d < D; ++d) twice[d] = _mm256_set1_ps(-2 * x_i[d]);
  const __m256 bound = _mm256_set1_ps(limit);
  std::int32_t found = 0;
  for (std::int32_t j = 0; j < candidates.count; j += k_lanes) {
    __m256 s = _mm256_loadu_ps(candidates.square.data() + j);
    for (int d = 0; d < D; ++d) s = _mm256_fmadd_ps(twice[d], _mm256_loadu_ps(candidates.x[d].data() + j), s);
    const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates.place.data() + j));
    const __m256 is_self = _mm256_castsi256_ps(_mm256_cmpeq_epi32(place, _mm256_set1_epi32(self)));
    const __m256 near = _mm256_andnot_ps(is_self, _mm256_cmp_ps(s, bound, _CMP_LE_OQ));
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(near));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + found),
                        _mm256_permutevar8x32_epi32(place, to_the_front(mask)));
    found += __builtin_popcount(mask);
  }
  return found;
}

std::int32_t filter_avx2(const Candidates& candidates, int dimensions, const float* x_i, float limit, std::int32_t self,
                         std::int32_t* out) {
  return dimensions == 2 ? filter<2>(candidates, x_i, limit, self, out) : filter<3>(candidates, x_i, limit, self, out);
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

ListKernels list_kernels_avx2() { return {collect_avx2, filter_avx2, interleave_avx2}; }

}  // namespace eddyline::neighbors
