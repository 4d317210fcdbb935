#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "grid/index_box.hpp"

namespace eddyline::patches {

/// Copies a row of numbers. Most rows of ghosts are short: for these, a call would take longer than the copy.
template <class T>
void copy_row(const T* from, std::int32_t count, T* to) {
  constexpr std::int32_t k_pack = 4;
  if (count > 2 * k_pack) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
  } else if (count >= k_pack) {  // two packs, which may overlap
    std::memcpy(to, from, k_pack * sizeof(T));
    std::memcpy(to + count - k_pack, from + count - k_pack, k_pack * sizeof(T));
  } else {
    for (std::int32_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

/// Copies the values of the cells `part` from the memory of the cells `source` to that of the cells `target`; all are
/// row-major. A cell of the source has the index of the target minus `shift`.
template <class T>
void copy_cells(const T* from, const grid::IndexBox& source, T* to, const grid::IndexBox& target,
                const grid::IndexBox& part, Int3 shift = {0, 0, 0}) {
  Int3 first;
  for (std::size_t d = 0; d < 3; ++d) first[d] = part.lower[d] - shift[d];
  from += source.index(first);
  to += target.index(part.lower);
  const std::ptrdiff_t from_y = source.count(0), from_z = from_y * source.count(1);
  const std::ptrdiff_t to_y = target.count(0), to_z = to_y * target.count(1);
  const std::int32_t nx = part.count(0), ny = part.count(1), nz = part.count(2);
  for (std::int32_t z = 0; z < nz; ++z)
    for (std::int32_t y = 0; y < ny; ++y) copy_row(from + z * from_z + y * from_y, nx, to + z * to_z + y * to_y);
}

}  // namespace eddyline::patches
