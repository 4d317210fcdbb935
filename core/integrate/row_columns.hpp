#pragma once

#include "integrate/particle_span.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::integrate {

/// The rows of a span, column by column: places in quanta, then what follows them in a row.
template <class T, int D, int Width>
struct RowColumns {
  std::int32_t x[D][k_span];
  T value[Width - D][k_span];

  /// Written: how many of the values after the places.
  template <int Written = Width - D>
  void write_to(neighbors::Rows<T>& rows, const std::int32_t* slot, std::size_t count) const {
    for (std::size_t l = 0; l < count; ++l) {
      const auto row = rows.row(slot[l]);
      for (int d = 0; d < D; ++d) rows.put_fixed(row.first + d, x[d][l]);
      for (int k = 0; k < Written; ++k) row[D + k] = value[k][l];
    }
  }
};

}  // namespace eddyline::integrate
