// List building with AVX-512: sixteen candidates at a time, the near ones compressed in a register and stored.
#include <immintrin.h>

#include "base/pack_avx512.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

template <int D>
std::int32_t filter(const std::int32_t* const* x, const std::int32_t* x_i, float cut_squared, std::int32_t begin,
                    std::int32_t end, std::int32_t self, std::int32_t* out) {
  __m512i position[D];
  for (int d = 0; d < D; ++d) position[d] = _mm512_set1_epi32(x_i[d]);
  const __m512 cut = _mm512_set1_ps(cut_squared);
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i own = _mm512_set1_epi32(self);
  std::int32_t found = 0;
  for (std::int32_t j = begin; j < end; j += 16) {
    const __mmask16 tail = static_cast<__mmask16>(end - j >= 16 ? 0xFFFF : (1u << (end - j)) - 1);
    __m512 r2 = _mm512_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m512 r = _mm512_cvtepi32_ps(_mm512_sub_epi32(position[d], _mm512_loadu_si512(x[d] + j)));
      r2 = _mm512_fmadd_ps(r, r, r2);
    }
    const __m512i index = _mm512_add_epi32(lanes, _mm512_set1_epi32(j));
    const __mmask16 other = _mm512_mask_cmpneq_epi32_mask(tail, index, own);
    const __mmask16 near = _mm512_mask_cmp_ps_mask(other, r2, cut, _CMP_LE_OQ);
    _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi32(near, index));
    found += __builtin_popcount(near);
  }
  return found;
}

std::int32_t filter_avx512(const FixedPositions& positions, int dimensions, const std::int32_t* x_i, float cut_squared,
                           std::int32_t begin, std::int32_t end, std::int32_t self, std::int32_t* out) {
  const std::int32_t* x[3] = {positions.x[0].data(), positions.x[1].data(), positions.x[2].data()};
  return dimensions == 2 ? filter<2>(x, x_i, cut_squared, begin, end, self, out)
                         : filter<3>(x, x_i, cut_squared, begin, end, self, out);
}

void interleave_avx512(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to) {
  const std::int32_t lanes[k_chunk] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  constexpr int k_step = 8;
  Pack16f column[k_step];
  for (std::int32_t k = 0; k < length; k += k_step) {
    // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
    load_rows<k_step>(reinterpret_cast<const float*>(from), static_cast<int>(stride), k, lanes, column);
    const int columns = length - k < k_step ? length - k : k_step;
    for (int c = 0; c < columns; ++c)
      column[c].store(reinterpret_cast<float*>(to + static_cast<std::int64_t>(k + c) * k_chunk));
  }
}

}  // namespace

ListKernels list_kernels_avx512() { return {filter_avx512, interleave_avx512}; }

}  // namespace eddyline::neighbors
