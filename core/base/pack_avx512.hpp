#pragma once
// Sixteen floats, or eight doubles, in an AVX-512 register.

#include <immintrin.h>

#include "base/pack.hpp"

namespace eddyline {

template <>
struct Mask<float, 16> {
  __mmask16 m;
};

template <>
struct Pack<float, 16> {
  using value_type = float;
  static constexpr int width = 16;
  static constexpr int k_registers = 32;
  __m512 v;
  EDDYLINE_INLINE Pack() : v(_mm512_setzero_ps()) {}
  EDDYLINE_INLINE Pack(__m512 value) : v(value) {}                 // NOLINT(google-explicit-constructor)
  EDDYLINE_INLINE Pack(float value) : v(_mm512_set1_ps(value)) {}  // NOLINT(google-explicit-constructor)
  Pack(const Pack&) = default;
  /// Written out so that compilers copy structs of packs value by value; the defaulted operator makes them copy through
  /// memory.
  EDDYLINE_INLINE Pack& operator=(const Pack& other) {
    v = other.v;
    return *this;
  }
  static EDDYLINE_INLINE Pack load(const float* from) { return _mm512_loadu_ps(from); }
  EDDYLINE_INLINE void store(float* to) const { _mm512_storeu_ps(to, v); }
};

using Pack16f = Pack<float, 16>;
using Mask16f = Mask<float, 16>;

EDDYLINE_INLINE Pack16f operator+(Pack16f a, Pack16f b) { return _mm512_add_ps(a.v, b.v); }
EDDYLINE_INLINE Pack16f operator-(Pack16f a, Pack16f b) { return _mm512_sub_ps(a.v, b.v); }
EDDYLINE_INLINE Pack16f operator*(Pack16f a, Pack16f b) { return _mm512_mul_ps(a.v, b.v); }
EDDYLINE_INLINE Pack16f operator/(Pack16f a, Pack16f b) { return _mm512_div_ps(a.v, b.v); }
EDDYLINE_INLINE Pack16f fma(Pack16f a, Pack16f b, Pack16f c) { return _mm512_fmadd_ps(a.v, b.v, c.v); }
EDDYLINE_INLINE Pack16f sqrt(Pack16f a) { return _mm512_sqrt_ps(a.v); }
EDDYLINE_INLINE Pack16f max(Pack16f a, Pack16f b) { return _mm512_max_ps(a.v, b.v); }
EDDYLINE_INLINE Mask16f operator>(Pack16f a, Pack16f b) { return {_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ)}; }
EDDYLINE_INLINE Mask16f operator&(Mask16f a, Mask16f b) { return {static_cast<__mmask16>(a.m & b.m)}; }
EDDYLINE_INLINE Pack16f select(Mask16f condition, Pack16f yes, Pack16f no) {
  return _mm512_mask_blend_ps(condition.m, no.v, yes.v);
}
EDDYLINE_INLINE Pack16f fixed_difference(Pack16f a, Pack16f b) {
  return _mm512_cvtepi32_ps(_mm512_sub_epi32(_mm512_castps_si512(a.v), _mm512_castps_si512(b.v)));
}

EDDYLINE_INLINE Pack16f upper_half(Pack16f both) {
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_castps_si512(both.v), _mm512_set1_epi32(~0U << 16)));
}
EDDYLINE_INLINE Pack16f lower_half(Pack16f both) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(both.v), 16));
}

/// Gathers the first value of the rows at the given places. Stride: values per row.
template <int Stride>
EDDYLINE_INLINE Pack16f gather(const float* rows, const std::int32_t* place) {
  constexpr int k_bytes = static_cast<int>(sizeof(float)) * Stride / k_row_step;  // see row_at()
  return _mm512_i32gather_ps(_mm512_loadu_si512(place), rows, k_bytes);
}

template <int N>
EDDYLINE_INLINE void load_rows(const float* rows, int stride, const std::int32_t* place, Pack16f* out) {
  static_assert(N == 4 || N == 8);
  const auto row = [&](int lane) { return row_at(rows, stride, place[lane]); };
  if constexpr (N == 4) {
    // Loads two rows at a time: Zen 4 inserts into half a register twice as fast as into a whole one.
    const auto two = [&](int lane) {
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row(lane))), _mm_loadu_ps(row(lane + 4)), 1);
    };
    __m512 r[4];
    for (int k = 0; k < 4; ++k) r[k] = _mm512_insertf32x8(_mm512_castps256_ps512(two(k)), two(k + 8), 1);
    const __m512 a = _mm512_unpacklo_ps(r[0], r[1]), b = _mm512_unpackhi_ps(r[0], r[1]);
    const __m512 c = _mm512_unpacklo_ps(r[2], r[3]), d = _mm512_unpackhi_ps(r[2], r[3]);
    out[0].v = _mm512_shuffle_ps(a, c, 0x44);
    out[1].v = _mm512_shuffle_ps(a, c, 0xEE);
    out[2].v = _mm512_shuffle_ps(b, d, 0x44);
    out[3].v = _mm512_shuffle_ps(b, d, 0xEE);
  } else {
    // The lower four registers pair the rows (k, k + 4), the upper four the rows (k + 8, k + 12), so that the last
    // stage needs one shuffle per value and leaves the lanes in order.
    __m512 r[8];
    for (int k = 0; k < 4; ++k) {
      r[k] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(row(k))), _mm256_loadu_ps(row(k + 4)), 1);
      r[k + 4] =
          _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(row(k + 8))), _mm256_loadu_ps(row(k + 12)), 1);
    }
    __m512 t[2][4];
    for (int half = 0; half < 2; ++half) {
      const __m512* q = r + 4 * half;
      const __m512 a = _mm512_unpacklo_ps(q[0], q[1]), b = _mm512_unpackhi_ps(q[0], q[1]);
      const __m512 c = _mm512_unpacklo_ps(q[2], q[3]), d = _mm512_unpackhi_ps(q[2], q[3]);
      t[half][0] = _mm512_shuffle_ps(a, c, 0x44);
      t[half][1] = _mm512_shuffle_ps(a, c, 0xEE);
      t[half][2] = _mm512_shuffle_ps(b, d, 0x44);
      t[half][3] = _mm512_shuffle_ps(b, d, 0xEE);
    }
    for (int k = 0; k < 4; ++k) {
      out[k].v = _mm512_shuffle_f32x4(t[0][k], t[1][k], 0x88);
      out[k + 4].v = _mm512_shuffle_f32x4(t[0][k], t[1][k], 0xDD);
    }
  }
}

template <>
struct Pack<double, 8> {
  using value_type = double;
  static constexpr int width = 8;
  __m512d v;
  EDDYLINE_INLINE Pack() : v(_mm512_setzero_pd()) {}
  EDDYLINE_INLINE Pack(__m512d value) : v(value) {}                 // NOLINT(google-explicit-constructor)
  EDDYLINE_INLINE Pack(double value) : v(_mm512_set1_pd(value)) {}  // NOLINT(google-explicit-constructor)
  static EDDYLINE_INLINE Pack load(const double* from) { return _mm512_loadu_pd(from); }
  EDDYLINE_INLINE void store(double* to) const { _mm512_storeu_pd(to, v); }
};

using Pack8d = Pack<double, 8>;

EDDYLINE_INLINE Pack8d operator+(Pack8d a, Pack8d b) { return _mm512_add_pd(a.v, b.v); }
EDDYLINE_INLINE Pack8d operator-(Pack8d a, Pack8d b) { return _mm512_sub_pd(a.v, b.v); }
EDDYLINE_INLINE Pack8d operator*(Pack8d a, Pack8d b) { return _mm512_mul_pd(a.v, b.v); }
EDDYLINE_INLINE Pack8d abs(Pack8d a) { return _mm512_abs_pd(a.v); }

}  // namespace eddyline
