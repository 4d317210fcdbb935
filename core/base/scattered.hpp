#pragma once
// Numbers of an array by row that are loaded from the lanes' places. For flavours, besides the header of their packs.

#include <cstdint>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "base/pack.hpp"

namespace eddyline {

/// The number at a place of an array by row.
EDDYLINE_INLINE const double* number_at(const double* numbers, std::int32_t place) {
  static_assert(sizeof(double) == k_row_step);
  return reinterpret_cast<const double*>(reinterpret_cast<const char*>(numbers) + place);
}

#ifdef __AVX2__
/// Four numbers, loaded one by one: faster than the gather instructions of many processors.
EDDYLINE_INLINE __m256d four_at(const double* numbers, const std::int32_t* place) {
  const auto two = [&](int k) __attribute__((always_inline)) {
    return _mm_loadh_pd(_mm_load_sd(number_at(numbers, place[k])), number_at(numbers, place[k + 1]));
  };
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(two(0)), two(2), 1);
}
#endif

/// The numbers at the lanes' places.
template <class P>
EDDYLINE_INLINE P numbers_at(const double* numbers, const std::int32_t* place) {
#ifdef __AVX512F__
  if constexpr (P::width == 8)
    return P(_mm512_insertf64x4(_mm512_castpd256_pd512(four_at(numbers, place)), four_at(numbers, place + 4), 1));
#endif
#ifdef __AVX2__
  if constexpr (P::width == 4) return P(typename P::Lanes(four_at(numbers, place)));
#endif
  if constexpr (P::width == 1) return P(*number_at(numbers, *place));
}

/// Floats as doubles.
template <class P>
EDDYLINE_INLINE P widened(const float* from) {
#ifdef __AVX512F__
  if constexpr (P::width == 8) return P(_mm512_cvtps_pd(_mm256_loadu_ps(from)));
#endif
#ifdef __AVX2__
  if constexpr (P::width == 4) return P(typename P::Lanes(_mm256_cvtps_pd(_mm_loadu_ps(from))));
#endif
  if constexpr (P::width == 1) return P(static_cast<double>(*from));
}

}  // namespace eddyline
