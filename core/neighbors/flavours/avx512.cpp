// List building with AVX-512: sixteen candidates at a time; the selected ones are compressed in a register and stored.
#include <immintrin.h>

#include "base/pack_avx512.hpp"
#include "neighbors/flavours/candidates.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

/// See candidates.hpp.
struct Avx512 {
  static constexpr int k_lanes = 16;
  using Floats = Pack16f;
  using Words = __m512i;
  using Near = __mmask16;
  using Bits = __mmask16;

  static Words load(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  static void store(Words words, std::int32_t* to) { _mm512_storeu_si512(to, words); }
  static Words whole(Floats a) { return _mm512_cvtps_epi32(a.v); }
  static Floats floats(Words a) { return _mm512_cvtepi32_ps(a); }
  static Floats small(const std::int16_t* from) {
    return floats(_mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
  }
  static Words all(std::int32_t a) { return _mm512_set1_epi32(a); }
  static Words add(Words a, Words b) { return _mm512_add_epi32(a, b); }
  static Words sub(Words a, Words b) { return _mm512_sub_epi32(a, b); }
  static Words halves(Words lower, Words upper) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, lower, _mm512_slli_epi32(upper, 16));
  }
  static Words madd(Words a, Words b) { return _mm512_madd_epi16(a, b); }
  static Near below(Words limit, Words a) { return _mm512_cmpgt_epi32_mask(limit, a); }
  static Near either(Near a, Near b) { return static_cast<Near>(a | b); }
  static Bits bits(Near a) { return a; }
  static Bits bits(Mask16f a) { return a.m; }
  /// Compresses in a register, because a compressing store to memory is much slower.
  static void store_kept(Words words, Bits bits, std::int32_t* to) {
    store(_mm512_maskz_compress_epi32(bits, words), to);
  }
};

void interleave_avx512(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                       bool past_caches) {
  const std::int32_t lanes[k_chunk] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack16f column[k_step];
  for (std::int32_t k = 0; k < length; k += k_step) {
    // The loads only move bits; the last block reads past the lists into their scratch memory.
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

ListKernels list_kernels_avx512() {
  return {search_kernels<Avx512, false>(), search_kernels<Avx512, true>(), interleave_avx512};
}

}  // namespace eddyline::neighbors
