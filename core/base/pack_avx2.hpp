#pragma once
// Eight floats in an AVX2 register.

#include <immintrin.h>

#include "base/pack.hpp"

namespace eddyline {

template <>
struct Mask<float, 8> {
  __m256 m;
};

template <>
struct Pack<float, 8> {
  using value_type = float;
  static constexpr int width = 8;
  static constexpr int k_registers = 16;
  __m256 v;
  EDDYLINE_INLINE Pack() : v(_mm256_setzero_ps()) {}
  EDDYLINE_INLINE Pack(__m256 value) : v(value) {}                 // NOLINT(google-explicit-constructor)
  EDDYLINE_INLINE Pack(float value) : v(_mm256_set1_ps(value)) {}  // NOLINT(google-explicit-constructor)
  Pack(const Pack&) = default;
  /// Written out so that compilers copy structs of packs value by value; the defaulted operator makes them copy through
  /// memory.
  EDDYLINE_INLINE Pack& operator=(const Pack& other) {
    v = other.v;
    return *this;
  }
  static EDDYLINE_INLINE Pack load(const float* from) { return _mm256_loadu_ps(from); }
  EDDYLINE_INLINE void store(float* to) const { _mm256_storeu_ps(to, v); }
};

using Pack8f = Pack<float, 8>;
using Mask8f = Mask<float, 8>;

EDDYLINE_INLINE Pack8f operator+(Pack8f a, Pack8f b) { return _mm256_add_ps(a.v, b.v); }
EDDYLINE_INLINE Pack8f operator-(Pack8f a, Pack8f b) { return _mm256_sub_ps(a.v, b.v); }
EDDYLINE_INLINE Pack8f operator*(Pack8f a, Pack8f b) { return _mm256_mul_ps(a.v, b.v); }
EDDYLINE_INLINE Pack8f operator/(Pack8f a, Pack8f b) { return _mm256_div_ps(a.v, b.v); }
EDDYLINE_INLINE Pack8f fma(Pack8f a, Pack8f b, Pack8f c) { return _mm256_fmadd_ps(a.v, b.v, c.v); }
EDDYLINE_INLINE Pack8f sqrt(Pack8f a) { return _mm256_sqrt_ps(a.v); }
EDDYLINE_INLINE Pack8f max(Pack8f a, Pack8f b) { return _mm256_max_ps(a.v, b.v); }
EDDYLINE_INLINE Mask8f operator>(Pack8f a, Pack8f b) { return {_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)}; }
EDDYLINE_INLINE Mask8f operator&(Mask8f a, Mask8f b) { return {_mm256_and_ps(a.m, b.m)}; }
EDDYLINE_INLINE Pack8f select(Mask8f condition, Pack8f yes, Pack8f no) {
  return _mm256_blendv_ps(no.v, yes.v, condition.m);
}
EDDYLINE_INLINE Pack8f fixed_difference(Pack8f a, Pack8f b) {
  return _mm256_cvtepi32_ps(_mm256_sub_epi32(_mm256_castps_si256(a.v), _mm256_castps_si256(b.v)));
}

EDDYLINE_INLINE Pack8f upper_half(Pack8f both) {
  return _mm256_castsi256_ps(_mm256_and_si256(_mm256_castps_si256(both.v), _mm256_set1_epi32(~0U << 16)));
}
EDDYLINE_INLINE Pack8f lower_half(Pack8f both) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(both.v), 16));
}

template <int N>
EDDYLINE_INLINE void load_rows(const float* rows, int stride, const std::int32_t* place, Pack8f* out) {
  static_assert(N == 4 || N == 8);
  const auto row = [&](int lane) { return row_at(rows, stride, place[lane]); };
  if constexpr (N == 4) {
    __m256 r[4];
    for (int k = 0; k < 4; ++k) {
      r[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row(k))), _mm_loadu_ps(row(k + 4)), 1);
    }
    const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    out[0].v = _mm256_shuffle_ps(a, c, 0x44);
    out[1].v = _mm256_shuffle_ps(a, c, 0xEE);
    out[2].v = _mm256_shuffle_ps(b, d, 0x44);
    out[3].v = _mm256_shuffle_ps(b, d, 0xEE);
  } else {
    load_rows<4>(rows, stride, place, out);
    load_rows<4>(rows + 4, stride, place, out + 4);
  }
}

}  // namespace eddyline
