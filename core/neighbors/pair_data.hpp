#pragma once
// Pair data: all values of a particle that a pair sum needs, stored contiguously, so that one or two loads fetch them.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "base/arrays.hpp"
#include "base/pack.hpp"
#include "base/vec.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::neighbors {

/// Number of values in a row's first part, and in its second part if there is one. Neither crosses a cache line, and
/// the data around a chunk fit the first-level cache more often than with rows of sixteen values.
inline constexpr int k_first_part = 8;
constexpr int rest_of(int width) { return width <= k_first_part ? 0 : width <= k_first_part + 4 ? 4 : 8; }
/// Number of values that a row can hold.
constexpr int room_of(int width) { return k_first_part + rest_of(width); }

/// A row, or an array of rows given by its first one.
template <class T>
struct RowParts {
  T* first = nullptr;
  T* rest = nullptr;

  EDDYLINE_HOST_DEVICE T& operator[](int k) const { return k < k_first_part ? first[k] : rest[k - k_first_part]; }
};

/// Rows of `width` values of type T (float, or double in double precision). The first D values of a row are its
/// fixed-point position (see pack.hpp). All values are dimensionless: lengths in units of R, speeds of c0, densities of
/// rho0, volumes of dx^D.
template <class T>
class PairData {
 public:
  explicit PairData(int width) : width_(width) {}

  /// Allocates `rows` rows and a sentinel row after them: a particle without volume, which adds exact zeros to every
  /// sum.
  void resize(std::int32_t rows) {
    const auto n = static_cast<std::size_t>(rows) + 1;
    first_.resize(n * k_first_part);
    rest_.resize(n * static_cast<std::size_t>(rest()));
    begin_ = first_.data();
    for (int k = 0; k < room(); ++k) row(rows)[k] = T(0);
  }

  /// Shares the memory of the first parts of `others`, until those are resized: writing a row here overwrites the row
  /// there.
  void alias(PairData& others) {
    assert(rest() == 0);
    begin_ = others.begin_;
  }

  /// Memory that may be used otherwise until the next resize().
  Array<T>& first_parts() { return first_; }

  int width() const { return width_; }
  int room() const { return room_of(width_); }
  RowParts<T> row(std::int32_t r) {
    return {begin_ + std::int64_t{r} * k_first_part, rest_.data() + std::int64_t{r} * rest()};
  }
  RowParts<const T> row(std::int32_t r) const {
    return {begin_ + std::int64_t{r} * k_first_part, rest_.data() + std::int64_t{r} * rest()};
  }
  RowParts<const T> data() const { return {begin_, rest_.data()}; }
  std::size_t bytes() const { return first_.bytes() + rest_.bytes(); }

  /// Copies consecutive rows to a range that does not overlap, with positions shifted by whole quanta.
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3& by, int dimensions) {
    const RowParts<T> source = row(from), target = row(to);
    std::copy_n(source.rest, count * rest(), target.rest);
    if constexpr (sizeof(T) == sizeof(std::int32_t)) {  // all values of a row at once
      using Values __attribute__((vector_size(k_first_part * sizeof(std::uint32_t)))) = std::uint32_t;
      Values quanta{}, values;
      for (int d = 0; d < dimensions; ++d) quanta[d] = static_cast<std::uint32_t>(by[static_cast<std::size_t>(d)]);
      for (std::int32_t k = 0; k < count * k_first_part; k += k_first_part) {
        std::memcpy(&values, source.first + k, sizeof values);
        values += quanta;
        std::memcpy(target.first + k, &values, sizeof values);
      }
    } else {
      std::copy_n(source.first, count * k_first_part, target.first);
      for (std::int32_t k = 0; k < count; ++k) shift(to + k, by, dimensions);
    }
  }

  /// Shifts the position of a row by whole quanta.
  void shift(std::int32_t r, const Int3& by, int dimensions) {
    T* x = row(r).first;
    for (int d = 0; d < dimensions; ++d)
      put_fixed(x + d, static_cast<std::int32_t>(static_cast<std::uint32_t>(get_fixed(x + d)) +
                                                 static_cast<std::uint32_t>(by[static_cast<std::size_t>(d)])));
  }

  static EDDYLINE_HOST_DEVICE void put_fixed(float* to, std::int32_t value) { std::memcpy(to, &value, sizeof value); }
  static EDDYLINE_HOST_DEVICE void put_fixed(double* to, std::int32_t value) {
    const std::int64_t wide = value;
    std::memcpy(to, &wide, sizeof wide);
  }
  static EDDYLINE_HOST_DEVICE std::int32_t get_fixed(const float* from) {
    std::int32_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static EDDYLINE_HOST_DEVICE std::int32_t get_fixed(const double* from) {
    std::int64_t wide;
    std::memcpy(&wide, from, sizeof wide);
    return static_cast<std::int32_t>(wide);
  }

 private:
  int rest() const { return rest_of(width_); }

  Array<T> first_, rest_;
  T* begin_ = nullptr;  // begin of the first parts
  int width_;
};

/// Distance from a neighbour's row to the row that is prefetched meanwhile, see k_row_step: one and a half lines of
/// cells, because the next line of cells around a particle has not been read yet. It is too far from earlier accesses
/// for the processor's own prefetcher.
inline std::int32_t prefetch_distance(const particles::CellIndex& rows) {
  return 3 * rows.line_length / 2 * k_row_step;
}

/// Loads the first `Width` values of the rows at the given places, transposed: out[k] holds value k of each lane's row.
/// If Width exceeds the first part, it must include all values of the row. Loads four values at a time.
template <int Width, class P>
EDDYLINE_INLINE void load_by_fours(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                   P* out) {
  constexpr int k_rest = rest_of(Width);
  load_rows<4>(rows.first, k_first_part, place, out);
  if constexpr (Width > 4) load_rows<4>(rows.first + 4, k_first_part, place, out + 4);
  if constexpr (k_rest > 0) load_rows<k_rest>(rows.rest, k_rest, place, out + k_first_part);
}
/// The same, but loads eight values at a time if all lie in the first part.
template <int Width, class P>
EDDYLINE_INLINE void load_values(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                 P* out) {
  if constexpr (4 < Width && Width <= k_first_part)
    load_rows<k_first_part>(rows.first, k_first_part, place, out);
  else
    load_by_fours<Width>(rows, place, out);
}

}  // namespace eddyline::neighbors
