// List building with AVX-512: sixteen candidates at a time, the near ones compressed in a register and stored.
#include <immintrin.h>

#include "base/pack_avx512.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

template <int D>
void collect(const std::int32_t* const* x, const std::int32_t* center, std::int32_t begin, std::int32_t end,
             Candidates& to) {
  const __m512i lanes = _mm512_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120);
  static_assert(k_row_step == 8);
  for (std::int32_t j = begin; j < end; j += 16) {
    const std::int32_t at = to.count + (j - begin);
    __m512 square = _mm512_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m512 r = _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_loadu_si512(x[d] + j), _mm512_set1_epi32(center[d])));
      square = _mm512_fmadd_ps(r, r, square);
      _mm512_storeu_ps(to.x[d].data() + at, r);
    }
    _mm512_storeu_ps(to.square.data() + at, square);
    _mm512_storeu_si512(to.place.data() + at, _mm512_add_epi32(lanes, _mm512_set1_epi32(j * k_row_step)));
  }
  to.count += end - begin;
}

void collect_avx512(const FixedPositions& positions, int dimensions, const std::int32_t* center, std::int32_t begin,
                    std::int32_t end, Candidates& candidates) {
  const std::int32_t* x[3] = {positions.x[0].data(), positions.x[1].data(), positions.x[2].data()};
  dimensions == 2 ? collect<2>(x, center, begin, end, candidates) : collect<3>(x, center, begin, end, candidates);
}

template <int D>
std::int32_t filter(const Candidates& candidates, const float* x_i, float limit, std::int32_t* out) {
  __m512 twice[D];
  for (int d = 0; d < D; ++d) twice[d] = _mm512_set1_ps(-2 * x_i[d]);
  const __m512 bound = _mm512_set1_ps(limit);
  const float* x[D];
  for (int d = 0; d < D; ++d) x[d] = candidates.x[d].data();
  std::int32_t* const start = out;
  for (std::int32_t j = 0; j < candidates.count; j += 16) {
    __m512 s = _mm512_loadu_ps(candidates.square.data() + j);
    for (int d = 0; d < D; ++d) s = _mm512_fmadd_ps(twice[d], _mm512_loadu_ps(x[d] + j), s);
    const __mmask16 near = _mm512_cmp_ps_mask(s, bound, _CMP_LE_OQ);
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(near, _mm512_loadu_si512(candidates.place.data() + j)));
    out += __builtin_popcount(near);
  }
  return static_cast<std::int32_t>(out - start);
}

std::int32_t filter_avx512(const Candidates& candidates, int dimensions, const float* x_i, float limit,
                           std::int32_t* out) {
  return dimensions == 2 ? filter<2>(candidates, x_i, limit, out) : filter<3>(candidates, x_i, limit, out);
}

void interleave_avx512(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                       bool past_caches) {
  const std::int32_t lanes[k_chunk] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack16f column[k_step];
  for (std::int32_t k = 0; k < length; k += k_step) {
    // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
    load_rows<k_step>(reinterpret_cast<const float*>(from), static_cast<int>(stride), k, lanes, column);
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
