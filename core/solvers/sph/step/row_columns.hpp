#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/transpose.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cell_index.hpp"
#include "solvers/sph/step/particle_span.hpp"

namespace eddyline::sph {

/// The rows of a span, column by column: places in quanta, then the other values of a row.
template <class T, int D, int Width>
struct RowColumns {
  std::int32_t x[D][k_span];
  T value[Width - D][k_span];

  /// Writes to the rows of the span's particles; may also write padding behind the values of a row.
  void write_to(neighbors::PairData<T>& rows, const particles::CellIndex& where, const ParticleSpan& span) const {
    std::size_t l = 0;
    if constexpr (sizeof(T) == sizeof(std::int32_t))
      for (; l + k_rows_at_once <= span.count; l += k_rows_at_once) write_some(rows, where, span.first + l, l);
    for (; l < span.count; ++l) {
      const auto row = rows.row(where.row_of(span.first + l));
      for (int d = 0; d < D; ++d) rows.put_fixed(row.first + d, x[d][l]);
      for (int k = 0; k < Width - D; ++k) row[D + k] = value[k][l];
    }
  }

 private:
  /// Writes k_rows_at_once of them, beginning with a particle.
  EDDYLINE_INLINE void write_some(neighbors::PairData<T>& rows, const particles::CellIndex& where, std::size_t particle,
                                  std::size_t l) const {
    const auto part = [&](int k, T* to, int stride) __attribute__((always_inline)) {
      columns_to_rows(
          [&](int c) {
            const int at = std::min(k + c, Width - 1);
            return (at < D ? reinterpret_cast<const T*>(x[at]) : value[at - D]) + l;  // bits are copied, not converted
          },
          [&](int r) { return to + std::int64_t{where.row_of(particle + static_cast<std::size_t>(r))} * stride; });
    };
    const auto to = rows.row(0);
    constexpr int k_rest = neighbors::rest_of(Width);
    part(0, to.first, neighbors::k_first_part);
    constexpr int k_next = k_columns_at_once, k_first = neighbors::k_first_part;
    if constexpr (Width > k_next) part(k_next, to.first + k_next, k_first);
    if constexpr (k_rest > 0) part(k_first, to.rest, k_rest);
    if constexpr (k_rest > k_next) part(k_first + k_next, to.rest + k_next, k_rest);
  }
};

/// Reads k_columns_at_once columns of the first parts of a span's rows, beginning with column `from`.
template <class T>
void read_columns(const neighbors::PairData<T>& rows, int from, const particles::CellIndex& where,
                  const ParticleSpan& span, T (&columns)[k_columns_at_once][k_span]) {
  std::size_t l = 0;
  const auto row = [&](int k) {
    return rows.row(where.row_of(span.first + l + static_cast<std::size_t>(k))).first + from;
  };
  for (; l + k_rows_at_once <= span.count; l += k_rows_at_once)
    rows_to_columns(row, [&](int c) { return columns[c] + l; });
  for (; l < span.count; ++l)
    for (int c = 0; c < k_columns_at_once; ++c) columns[c][l] = row(0)[c];
}

}  // namespace eddyline::sph
