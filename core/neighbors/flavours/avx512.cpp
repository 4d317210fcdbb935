// List building with AVX-512: sixteen candidates at a time, the near ones compressed in a register and stored.
#include <immintrin.h>

#include "base/pack_avx512.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

template <int D>
void collect(const FixedPositions& positions, const Group& group, float limit, std::int32_t begin, std::int32_t end,
             Candidates& to) {
  const __m512i lanes = _mm512_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120);
  static_assert(k_row_step == 8);
  const __m512 bound = _mm512_set1_ps(limit);
  std::int32_t at = to.count;
  for (std::int32_t j = begin; j < end; j += 16) {
    __m512 r[D], square = _mm512_setzero_ps(), apart2 = _mm512_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m512i place = _mm512_loadu_si512(positions.x[d].data() + j);
      r[d] = _mm512_cvtepi32_ps(_mm512_sub_epi32(place, _mm512_set1_epi32(group.center[d])));
      const __m512 below = _mm512_sub_ps(_mm512_set1_ps(group.lower[d]), r[d]);
      const __m512 above = _mm512_sub_ps(r[d], _mm512_set1_ps(group.upper[d]));
      const __m512 apart = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
      square = _mm512_fmadd_ps(r[d], r[d], square);
      apart2 = _mm512_fmadd_ps(apart, apart, apart2);
    }
    const auto rows = static_cast<__mmask16>(end - j < 16 ? (1 << (end - j)) - 1 : 0xffff);
    const __mmask16 near = _mm512_mask_cmp_ps_mask(rows, apart2, bound, _CMP_LE_OQ);
    for (int d = 0; d < D; ++d) _mm512_storeu_ps(to.x[d].data() + at, _mm512_maskz_compress_ps(near, r[d]));
    _mm512_storeu_ps(to.square.data() + at, _mm512_maskz_compress_ps(near, square));
    const __m512i place = _mm512_add_epi32(lanes, _mm512_set1_epi32(j * k_row_step));
    _mm512_storeu_si512(to.place.data() + at, _mm512_maskz_compress_epi32(near, place));
    at += __builtin_popcount(near);
  }
  to.count = at;
}

void collect_avx512(const FixedPositions& positions, int dimensions, const Group& group, float limit,
                    std::int32_t begin, std::int32_t end, Candidates& candidates) {
  dimensions == 2 ? collect<2>(positions, group, limit, begin, end, candidates)
                  : collect<3>(positions, group, limit, begin, end, candidates);
}

template <int D>
std::int32_t filter(const Candidates& candidates, const float* x_i, float limit, std::int32_t self, std::int32_t* out) {
  __m512 twice[D];
  for (int d = 0; d < D; ++d) twice[d] = _mm512_set1_ps(-2 * x_i[d]);
  const __m512 bound = _mm512_set1_ps(limit);
  const float* x[D];
  for (int d = 0; d < D; ++d) x[d] = candidates.x[d].data();
  std::int32_t* const start = out;
  for (std::int32_t j = 0; j < candidates.count; j += 16) {
    __m512 s = _mm512_loadu_ps(candidates.square.data() + j);
    for (int d = 0; d < D; ++d) s = _mm512_fmadd_ps(twice[d], _mm512_loadu_ps(x[d] + j), s);
    const __m512i place = _mm512_loadu_si512(candidates.place.data() + j);
    const __mmask16 other = _mm512_cmpneq_epi32_mask(place, _mm512_set1_epi32(self));
    const __mmask16 near = _mm512_mask_cmp_ps_mask(other, s, bound, _CMP_LE_OQ);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(near, place));
    out += __builtin_popcount(near);
  }
  return static_cast<std::int32_t>(out - start);
}

std::int32_t filter_avx512(const Candidates& candidates, int dimensions, const float* x_i, float limit,
                           std::int32_t self, std::int32_t* out) {
  return dimensions == 2 ? filter<2>(candidates, x_i, limit, self, out) : filter<3>(candidates, x_i, limit, self, out);
}

void interleave_avx512(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                       bool past_caches) {
  const std::int32_t lanes[k_chunk] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack16f column[k_step];
  for (std::int32_t k = 0; k < length; k += k_step) {
    // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
    load_rows<k_step>(reinterpret_cast<const float*>(from + k), static_cast<int>(stride), lanes, column);
    const int columns = length - k < k_step ? length - k : k_step;
    auto* out = reinterpret_cast<float*>(to + static_cast<std::int64_t>(k) * k_chunk);
    if (past_caches) {
      for (int c = 0; c < columns; ++c) _mm512_stream_ps(out + static_cast<std::ptrdiff_t>(c) * k_chunk, column[c].v);
    } else {
      for (int c = 0; c < columns; ++c) column[c].store(out + static_cast<std::ptrdiff_t>(c) * k_chunk);
    }
  }
  if (past_caches) _mm_sfence();
}

}  // namespace

ListKernels list_kernels_avx512() { return {collect_avx512, filter_avx512, interleave_avx512}; }

}  // namespace eddyline::neighbors
