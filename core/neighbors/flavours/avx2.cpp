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
std::int32_t filter(const std::int32_t* const* x, const std::int32_t* x_i, float cut_squared, std::int32_t begin,
                    std::int32_t end, std::int32_t self, std::int32_t* out) {
  __m256i position[D];
  for (int d = 0; d < D; ++d) position[d] = _mm256_set1_epi32(x_i[d]);
  const __m256 cut = _mm256_set1_ps(cut_squared);
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i own = _mm256_set1_epi32(self), last = _mm256_set1_epi32(end);
  std::int32_t found = 0;
  for (std::int32_t j = begin; j < end; j += k_lanes) {
    __m256 r2 = _mm256_setzero_ps();
    for (int d = 0; d < D; ++d) {
      const __m256i candidates = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x[d] + j));
      const __m256 r = _mm256_cvtepi32_ps(_mm256_sub_epi32(position[d], candidates));
      r2 = _mm256_fmadd_ps(r, r, r2);
    }
    const __m256i index = _mm256_add_epi32(lanes, _mm256_set1_epi32(j));
    const __m256i valid = _mm256_andnot_si256(_mm256_cmpeq_epi32(index, own), _mm256_cmpgt_epi32(last, index));
    const __m256 near = _mm256_and_ps(_mm256_castsi256_ps(valid), _mm256_cmp_ps(r2, cut, _CMP_LE_OQ));
    const auto mask = static_cast<unsigned>(_mm256_movemask_ps(near));
    const __m256i order = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(k_compress[mask].data()));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + found), _mm256_permutevar8x32_epi32(index, order));
    found += __builtin_popcount(mask);
  }
  return found;
}

std::int32_t filter_avx2(const FixedPositions& positions, int dimensions, const std::int32_t* x_i, float cut_squared,
                         std::int32_t begin, std::int32_t end, std::int32_t self, std::int32_t* out) {
  const std::int32_t* x[3] = {positions.x[0].data(), positions.x[1].data(), positions.x[2].data()};
  return dimensions == 2 ? filter<2>(x, x_i, cut_squared, begin, end, self, out)
                         : filter<3>(x, x_i, cut_squared, begin, end, self, out);
}

void interleave_avx2(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to) {
  const std::int32_t lanes[k_lanes] = {0, 1, 2, 3, 4, 5, 6, 7};
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

ListKernels list_kernels_avx2() { return {filter_avx2, interleave_avx2}; }

}  // namespace eddyline::neighbors
