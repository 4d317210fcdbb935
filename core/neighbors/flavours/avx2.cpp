// List building with AVX2: eight candidates at a time, the near ones moved to the front by a table of permutations.
#include <immintrin.h>

#include <array>

#include "base/pack_avx2.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

constexpr int k_lanes = 8;

/// For every mask of eight lanes: the lanes whose bit is set, in order, then lane 0.
constexpr auto k_compress = [] {
  std::array<std::array<std::int32_t, k_lanes>, 256> table{};
  for (std::size_t mask = 0; mask < 256; ++mask) {
    std::size_t kept = 0;
    for (std::int32_t lane = 0; lane < k_lanes; ++lane)
      if ((mask >> lane & 1) != 0) table[mask][kept++] = lane;
  }
  return table;
}();

template <int D>
void collect(const std::int32_t* const* x, const std::int32_t* center, std::int32_t begin, std::int32_t end,
             Candidates& to) {
  const __m256i lanes = _mm256_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56);
  static_assert(k_row_step == 8);
  for (std::int32_t j = begin; j < end; j += k_lanes) {
    const std::int32_t at = to.count + (j - begin);
    __m256 square = _mm256_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x[d] + j));
      const __m256 r = _mm256_cvtepi32_ps(_mm256_sub_epi32(place, _mm256_set1_epi32(center[d])));
      square = _mm256_fmadd_ps(r, r, square);
      _mm256_storeu_ps(to.x[d].data() + at, r);
    }
    _mm256_storeu_ps(to.square.data() + at, square);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to.place.data() + at),
                        _mm256_add_epi32(lanes, _mm256_set1_epi32(j * k_row_step)));
  }
  to.count += end - begin;
}

void collect_avx2(const FixedPositions& positions, int dimensions, const std::int32_t* center, std::int32_t begin,
                  std::int32_t end, Candidates& candidates) {
  const std::int32_t* x[3] = {positions.x[0].data(), positions.x[1].data(), positions.x[2].data()};
  dimensions == 2 ? collect<2>(x, center, begin, end, candidates) : collect<3>(x, center, begin, end, candidates);
}

template <int D>
std::int32_t filter(const Candidates& candidates, const float* x_i, float limit, std::int32_t* out) {
  __m256 twice[D];
  for (int d = 0; d < D; ++d) twice[d] = _mm256_set1_ps(-2 * x_i[d]);
  const __m256 bound = _mm256_set1_ps(limit);
  std::int32_t found = 0;
  for (std::int32_t j = 0; j < candidates.count; j += k_lanes) {
    __m256 s = _mm256_loadu_ps(candidates.square.data() + j);
    for (int d = 0; d < D; ++d) s = _mm256_fmadd_ps(twice[d], _mm256_loadu_ps(candidates.x[d].data() + j), s);
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(s, bound, _CMP_LE_OQ)));
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(k_compress[mask].data()));
    const __m256i place = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(candidates.place.data() + j));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + found), _mm256_permutevar8x32_epi32(place, order));
    found += __builtin_popcount(mask);
  }
  return found;
}

std::int32_t filter_avx2(const Candidates& candidates, int dimensions, const float* x_i, float limit,
                         std::int32_t* out) {
  return dimensions == 2 ? filter<2>(candidates, x_i, limit, out) : filter<3>(candidates, x_i, limit, out);
}

void interleave_avx2(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                     bool /*past_caches*/) {
  const std::int32_t lanes[k_lanes] = {0, 8, 16, 24, 32, 40, 48, 56};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack8f column[k_step];
  for (int half = 0; half < k_chunk; half += k_lanes)
    for (std::int32_t k = 0; k < length; k += k_step) {
      // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
      load_rows<k_step>(reinterpret_cast<const float*>(from + half * stride), static_cast<int>(stride), k, lanes,
                        column);
      const int columns = length - k < k_step ? length - k : k_step;
      for (int c = 0; c < columns; ++c)
        column[c].store(reinterpret_cast<float*>(to + static_cast<std::int64_t>(k + c) * k_chunk + half));
    }
}

}  // namespace

ListKernels list_kernels_avx2() { return {collect_avx2, filter_avx2, interleave_avx2}; }

}  // namespace eddyline::neighbors
