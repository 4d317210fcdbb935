#pragma once
// Implementation of the matrix product over the pack type P. Included by flavours/ only.

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "neighbors/for_each_pair.hpp"
#include "physics/mps/matrix.hpp"

namespace eddyline::physics::mps {

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

template <class P>
void multiply_matrix(const Product& in, std::int64_t first, std::int64_t last) {
  static constexpr int k_packs = neighbors::k_chunk / P::width;
  for (std::int64_t c = first; c < last; ++c) {
    const auto rows = in.targets.template places<neighbors::k_chunk>(c * neighbors::k_chunk);
    const std::int64_t begin = in.matrix.first[c];
    const float* a = in.matrix.values + begin;
    const std::int32_t* place = in.matrix.places + begin;
    P here[k_packs], sum[k_packs];
    for (int k = 0; k < k_packs; ++k) here[k] = numbers_at<P>(in.x, rows.data() + k * P::width);
    for (std::int32_t e = 0; e < in.matrix.lengths[c]; ++e, a += neighbors::k_chunk, place += neighbors::k_chunk)
      for (int k = 0; k < k_packs; ++k) {
        const int lane = k * P::width;
        sum[k] = sum[k] + widened<P>(a + lane) * (here[k] - numbers_at<P>(in.x, place + lane));
      }
    double here_of[neighbors::k_chunk], sum_of[neighbors::k_chunk];
    for (int k = 0; k < k_packs; ++k) here[k].store(here_of + k * P::width), sum[k].store(sum_of + k * P::width);
    for (std::int64_t l = 0; l < neighbors::k_chunk && c * neighbors::k_chunk + l < in.targets.count; ++l) {
      const std::int32_t row = rows[static_cast<std::size_t>(l)] / k_row_step;
      in.y[row] = in.own[row] * here_of[l] + in.factor * sum_of[l];
    }
  }
}

}  // namespace eddyline::physics::mps
