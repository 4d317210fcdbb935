// List building with AVX-512: sixteen candidates at a time, the near ones compressed in a register and stored.
#include <immintrin.h>

#include <utility>

#include "base/pack_avx512.hpp"
#include "neighbors/list.hpp"

namespace eddyline::neighbors {

namespace {

/// Of sixteen candidates at one moment, see Candidates::Places.
template <int D>
struct Sixteen {
  __m512 x[D], square;
  __mmask16 near;

  Sixteen(const __m512* places, const GroupBox& box, __m512 bound) : square(_mm512_setzero_ps()) {
    __m512 apart2 = _mm512_setzero_ps();
    for (int d = 0; d < D; ++d) {
      x[d] = places[d];
      const __m512 below = _mm512_sub_ps(_mm512_set1_ps(box.lower[d]), x[d]);
      const __m512 above = _mm512_sub_ps(x[d], _mm512_set1_ps(box.upper[d]));
      const __m512 apart = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
      square = _mm512_fmadd_ps(x[d], x[d], square);
      apart2 = _mm512_fmadd_ps(apart, apart, apart2);
    }
    near = _mm512_cmp_ps_mask(apart2, bound, _CMP_LE_OQ);
  }
  void put(__mmask16 kept, std::int32_t at, Candidates::Places& to) const {
    for (int d = 0; d < D; ++d) _mm512_storeu_ps(to.x[d].data() + at, _mm512_maskz_compress_ps(kept, x[d]));
    _mm512_storeu_ps(to.square.data() + at, _mm512_maskz_compress_ps(kept, square));
  }
};

template <int D, bool Foresees>
void collect(const FixedPositions& positions, const Headings* headings, const Group& group, float limit,
             std::int32_t begin, std::int32_t end, Candidates& to) {
  const __m512i lanes = _mm512_setr_epi32(0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120);
  static_assert(k_row_step == 8);
  const __m512 bound = _mm512_set1_ps(limit);
  std::int32_t at = to.count;
  for (std::int32_t j = begin; j < end; j += 16) {
    __m512 r[D], first[D], last[D];
    for (int d = 0; d < D; ++d) {
      const __m512i place = _mm512_loadu_si512(positions.x[d].data() + j);
      r[d] = first[d] = _mm512_cvtepi32_ps(_mm512_sub_epi32(place, _mm512_set1_epi32(group.center[d])));
      if constexpr (Foresees) {
        const __m512 heading = headings == nullptr ? _mm512_setzero_ps() : _mm512_loadu_ps(headings->x[d].data() + j);
        const __m512 w = _mm512_sub_ps(heading, _mm512_set1_ps(group.heading[d]));
        first[d] = _mm512_fmadd_ps(w, _mm512_set1_ps(-group.behind), r[d]);
        last[d] = _mm512_fmadd_ps(w, _mm512_set1_ps(group.ahead), r[d]);
      }
    }
    const auto rows = static_cast<__mmask16>(end - j < 16 ? (1 << (end - j)) - 1 : 0xffff);
    const Sixteen<D> at_begin(first, group.begin, bound);
    auto near = static_cast<__mmask16>(at_begin.near & rows);
    if constexpr (Foresees) {
      const Sixteen<D> at_end(last, group.end, bound);
      near = static_cast<__mmask16>((at_begin.near | at_end.near) & rows);
      at_end.put(near, at, to.end);
    }
    at_begin.put(near, at, to.begin);
    const __m512i place = _mm512_add_epi32(lanes, _mm512_set1_epi32(j * k_row_step));
    _mm512_storeu_si512(to.place.data() + at, _mm512_maskz_compress_epi32(near, place));
    at += __builtin_popcount(near);
  }
  to.count = at;
}

template <bool Foresees>
void collect_avx512(const FixedPositions& positions, const Headings* headings, int dimensions, const Group& group,
                    float limit, std::int32_t begin, std::int32_t end, Candidates& candidates) {
  dimensions == 2 ? collect<2, Foresees>(positions, headings, group, limit, begin, end, candidates)
                  : collect<3, Foresees>(positions, headings, group, limit, begin, end, candidates);
}

/// Which of sixteen candidates are near one particle at one moment.
template <int D>
class Nearness {
 public:
  explicit Nearness(const Seeker::Place& i) : bound_(_mm512_set1_ps(i.limit)) {
    for (int d = 0; d < D; ++d) twice_[d] = _mm512_set1_ps(-2 * i.x[d]);
  }
  __mmask16 operator()(const __m512* x, __m512 square) const {
    for (int d = 0; d < D; ++d) square = _mm512_fmadd_ps(twice_[d], x[d], square);
    return _mm512_cmp_ps_mask(square, bound_, _CMP_LE_OQ);
  }

 private:
  __m512 twice_[D], bound_;
};

/// Some at a time, so that candidates are loaded once for all of them.
template <int D, bool Foresees, std::size_t N>
void filter(const Candidates& candidates, Seeker* seekers) {
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    const Nearness<D> at_begin[] = {Nearness<D>(seekers[K].begin)...}, at_end[] = {Nearness<D>(seekers[K].end)...};
    std::int32_t* out[] = {seekers[K].neighbors...};
    const auto load = [](const Candidates::Places& places, std::int32_t j, __m512* x) {
      for (int d = 0; d < D; ++d) x[d] = _mm512_loadu_ps(places.x[d].data() + j);
      return _mm512_loadu_ps(places.square.data() + j);
    };
    for (std::int32_t j = 0; j < candidates.count; j += 16) {
      __m512 x[D];
      const __m512 square = load(candidates.begin, j, x);
      __mmask16 near[] = {at_begin[K](x, square)...};
      if constexpr (Foresees) {
        const __m512 last = load(candidates.end, j, x);
        ((near[K] = static_cast<__mmask16>(near[K] | at_end[K](x, last))), ...);
      }
      const __m512i place = _mm512_loadu_si512(candidates.place.data() + j);
      const auto put = [&](std::size_t k) {
        near[k] = _mm512_mask_cmpneq_epi32_mask(near[k], place, _mm512_set1_epi32(seekers[k].self));
        _mm512_storeu_si512(out[k], _mm512_maskz_compress_epi32(near[k], place));
        out[k] += __builtin_popcount(near[k]);
      };
      (put(K), ...);
    }
    ((seekers[K].found = static_cast<std::int32_t>(out[K] - seekers[K].neighbors)), ...);
  };
  each(std::make_index_sequence<N>());
}

template <int D, bool Foresees>
void filter(const Candidates& candidates, std::span<Seeker> seekers) {
  constexpr std::size_t k_together = 4;
  std::size_t k = 0;
  for (; k + k_together <= seekers.size(); k += k_together) filter<D, Foresees, k_together>(candidates, &seekers[k]);
  for (; k < seekers.size(); ++k) filter<D, Foresees, 1>(candidates, &seekers[k]);
}

template <bool Foresees>
void filter_avx512(const Candidates& candidates, int dimensions, std::span<Seeker> seekers) {
  dimensions == 2 ? filter<2, Foresees>(candidates, seekers) : filter<3, Foresees>(candidates, seekers);
}

void interleave_avx512(const std::int32_t* from, std::int64_t stride, std::int32_t length, std::int32_t* to,
                       bool past_caches) {
  const std::int32_t lanes[k_chunk] = {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120};
  static_assert(k_row_step == 8);
  constexpr int k_step = 8;
  Pack16f column[k_step];
  for (std::int32_t k = 0; k < length; k += k_step) {
    // Bits are moved, not numbers: the last block reads past the lists, into their scratch space.
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
  return {
      {collect_avx512<false>, filter_avx512<false>}, {collect_avx512<true>, filter_avx512<true>}, interleave_avx512};
}

}  // namespace eddyline::neighbors
