#pragma once
// Rows of particles on a device.

#include <cstdint>

#include "device/flow.hpp"
#include "neighbors/pair_data.hpp"

namespace eddyline::device {

using neighbors::RowParts;

/// Row `r` of some rows of a width.
template <int Width, class T>
EDDYLINE_INLINE RowParts<T> row_of(const RowParts<T>& rows, std::int64_t r) {
  return {rows.first + r * neighbors::k_first_part, rows.rest + r * neighbors::rest_of(Width)};
}

/// Copies rows to their images; Width: number of values that a row holds.
template <class T, int D, int Width>
struct CopyRows {
  RowParts<T> rows;
  const RowImage* images;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const RowImage image = images[k];
    const auto from = row_of<Width>(rows, image.from), to = row_of<Width>(rows, image.to);
    for (int c = 0; c < neighbors::k_first_part; ++c) to.first[c] = from.first[c];
    for (int c = 0; c < neighbors::rest_of(Width); ++c) to.rest[c] = from.rest[c];
    for (int d = 0; d < D; ++d) {
      const auto x = static_cast<std::uint32_t>(neighbors::PairData<T>::get_fixed(from.first + d));
      neighbors::PairData<T>::put_fixed(to.first + d,
                                        static_cast<std::int32_t>(x + static_cast<std::uint32_t>(image.shift[d])));
    }
  }
};

}  // namespace eddyline::device
