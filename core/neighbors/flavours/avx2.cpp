// List building with AVX2: eight candidates at a time; a table of permutations moves the selected ones to the front.
#include <immintrin.h>

#include <array>

#include "base/pack_avx2.hpp"
#include "neighbors/flavours/candidates.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

constexpr int k_lanes = 8;

/// Lanes of each mask of eight lanes: those with a set bit, in order, then lane 0.
constexpr auto k_compress = [] {
  std::array<std::array<std::int32_t, k_lanes>, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::size_t kept = 0;
    for (std::int32_t lane = 0; lane < k_lanes; ++lane)
      if ((mask >> lane & 1) != 0) table[mask][kept++] = lane;
  }
  return table;
}();

/// See candidates.hpp.
struct Avx2 {
  static constexpr int k_lanes = eddyline::neighbors::k_lanes;
  using Floats = Pack8f;
  using Words = __m256i;
  using Near = __m256i;
  using Bits = unsigned;

  static Words load(const std::int32_t* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
  static void store(Words words, std::int32_t* to) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), words); }
  static Words whole(Floats a) { return _mm256_cvtps_epi32(a.v); }
  static Floats floats(Words a) { return _mm256_cvtepi32_ps(a); }
  static Floats small(const std::int16_t* from) {
    return floats(_mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))));
  }
  static Words all(std::int32_t a) { return _mm256_set1_epi32(a); }
  static Words add(Words a, Words b) { return _mm256_add_epi32(a, b); }
  static Words sub(Words a, Words b) { return _mm256_sub_epi32(a, b); }
  static Words halves(Words lower, Words upper) {
    return _mm256_blend_epi16(lower, _mm256_slli_epi32(upper, 16), 0xaa);
  }
  static Words madd(Words a, Words b) { return _mm256_madd_epi16(a, b); }
  static Near below(Words limit, Words a) { return _mm256_cmpgt_epi32(limit, a); }
  static Near either(Near a, Near b) { return _mm256_or_si256(a, b); }
  static Bits bits(Near a) { return static_cast<Bits>(_mm256_movemask_ps(_mm256_castsi256_ps(a))); }
  static Bits bits(Mask8f a) { return static_cast<Bits>(_mm256_movemask_ps(a.m)); }
  static void store_kept(Words words, Bits bits, std::int32_t* to) {
    store(_mm256_permutevar8x32_epi32(words, load(k_compress[bits].data())), to);
  }
};

void interleave_avx2(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                     bool /*past_caches*/) {
  const std::int32_t lanes[k_lanes] = {0, 8, 16, 24, 32, 40, 48, 56};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack8f column[k_step];
  for (int half = 0; half < k_chunk; half += k_lanes)
    for (std::int32_t k = 0; k < length; k += k_step) {
      // The loads only move bits; the last block reads past the lists into their scratch memory.
      load_rows<k_step>(reinterpret_cast<const float*>(from + half * stride + k), static_cast<int>(stride), lanes,
                        column);
      const int columns = length - k < k_step ? length - k : k_step;
      for (int c = 0; c < columns; ++c)
        column[c].store(reinterpret_cast<float*>(to + static_cast<std::int64_t>(k + c) * k_chunk + half));
    }
}

}  // namespace

ListKernels list_kernels_avx2() {
  return {search_kernels<Avx2, false>(), search_kernels<Avx2, true>(), interleave_avx2};
}

}  // namespace eddyline::neighbors
