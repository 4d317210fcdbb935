#pragma once
// Policies that load the values of a chunk's neighbours and prefetch rows.

#include <algorithm>

#include "neighbors/pair_data.hpp"

namespace eddyline::neighbors {

/// Each lane has its own neighbours, whose rows are loaded and transposed.
struct OwnNeighbors {
  template <int Width, class P>
  static EDDYLINE_INLINE void load(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                   P* out) {
    load_values<Width>(rows, place, out);
  }
  /// Prefetches the row that lies `distance` beyond one of the neighbours' rows. Only with enough registers: with
  /// fewer, it costs as much time as it saves.
  template <int Width, class P>
  static EDDYLINE_INLINE void prefetch(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                       std::int32_t distance) {
    if constexpr (P::k_registers < 32) return;
    const std::int32_t there = place[P::width / 2] + distance;
    eddyline::prefetch(row_at(rows.first, k_first_part, there));
    if constexpr (rest_of(Width) > 0) eddyline::prefetch(row_at(rows.rest, rest_of(Width), there));
  }
  template <class P>
  static EDDYLINE_INLINE void split(P both, P& upper, P& lower) {
    upper = upper_half(both), lower = lower_half(both);
  }
};

/// The same for groups of four or eight values; the remaining values are gathered one by one.
struct RestGathered : OwnNeighbors {
  template <int Width, class P>
  static EDDYLINE_INLINE void load(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                   P* out) {
    constexpr int k_whole = Width < k_first_part ? 4 : k_first_part;
    load_rows<k_whole>(rows.first, k_first_part, place, out);
    for (int k = k_whole; k < std::min(Width, k_first_part); ++k) out[k] = gather<k_first_part>(rows.first + k, place);
    for (int k = k_first_part; k < Width; ++k) out[k] = gather<rest_of(Width)>(rows.rest + k - k_first_part, place);
  }
};

/// All lanes load the first lane's neighbours, so that only arithmetic remains. For benchmarks.
struct SameNeighbors {
  template <int Width, class P>
  static EDDYLINE_INLINE void load(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                   P* out) {
    const auto* first = row_at(rows.first, k_first_part, place[0]);
    const auto* rest = row_at(rows.rest, rest_of(Width), place[0]);
    for (int k = 0; k < Width; ++k) out[k] = P(k < k_first_part ? first[k] : rest[k - k_first_part]);
  }
  template <int Width, class P>
  static EDDYLINE_INLINE void prefetch(const RowParts<const typename P::value_type>&, const std::int32_t*,
                                       std::int32_t) {}
  template <class P>
  static EDDYLINE_INLINE void split(P both, P& upper, P& lower) {
    upper = lower = both;  // splitting halves counts as part of loading
  }
};

}  // namespace eddyline::neighbors
