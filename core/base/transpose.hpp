#pragma once
// Transposes between columns (one value of many items) and rows (several values of one item).

#include <type_traits>

#include "base/pack.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace eddyline {

inline constexpr int k_rows_at_once = 8, k_columns_at_once = 4;

/// row(l)[k] = column(k)[l] for eight rows and four columns; both functions return the first element.
template <class Column, class Row>
EDDYLINE_INLINE void columns_to_rows(const Column& column, const Row& row) {
#ifdef __AVX2__
  if constexpr (std::is_same_v<std::invoke_result_t<Row, int>, float*>) {
    __m256 v[4];
    for (int k = 0; k < 4; ++k) v[k] = _mm256_loadu_ps(column(k));
    const __m256 a = _mm256_unpacklo_ps(v[0], v[1]), b = _mm256_unpackhi_ps(v[0], v[1]);
    const __m256 c = _mm256_unpacklo_ps(v[2], v[3]), d = _mm256_unpackhi_ps(v[2], v[3]);
    const __m256 r[4] = {_mm256_shuffle_ps(a, c, 0x44), _mm256_shuffle_ps(a, c, 0xEE), _mm256_shuffle_ps(b, d, 0x44),
                         _mm256_shuffle_ps(b, d, 0xEE)};  // rows k and k + 4
    for (int k = 0; k < 4; ++k) {
      _mm_storeu_ps(row(k), _mm256_castps256_ps128(r[k]));
      _mm_storeu_ps(row(k + 4), _mm256_extractf128_ps(r[k], 1));
    }
    return;
  }
#endif
  for (int l = 0; l < k_rows_at_once; ++l)
    for (int k = 0; k < k_columns_at_once; ++k) row(l)[k] = column(k)[l];
}

/// column(k)[l] = row(l)[k].
template <class Row, class Column>
EDDYLINE_INLINE void rows_to_columns(const Row& row, const Column& column) {
#ifdef __AVX2__
  if constexpr (std::is_same_v<std::invoke_result_t<Column, int>, float*>) {
    __m256 r[4];  // rows l and l + 4
    for (int l = 0; l < 4; ++l)
      r[l] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row(l))), _mm_loadu_ps(row(l + 4)), 1);
    const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    _mm256_storeu_ps(column(0), _mm256_shuffle_ps(a, c, 0x44));
    _mm256_storeu_ps(column(1), _mm256_shuffle_ps(a, c, 0xEE));
    _mm256_storeu_ps(column(2), _mm256_shuffle_ps(b, d, 0x44));
    _mm256_storeu_ps(column(3), _mm256_shuffle_ps(b, d, 0xEE));
    return;
  }
#endif
  for (int k = 0; k < k_columns_at_once; ++k)
    for (int l = 0; l < k_rows_at_once; ++l) column(k)[l] = row(l)[k];
}

}  // namespace eddyline
