#pragma once
// Pair rows: what a pair sum needs of one particle, side by side, so that one or two loads bring it in.

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "base/arrays.hpp"
#include "base/pack.hpp"
#include "base/vec.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::neighbors {

/// Values of a row's first part, and of the rest if there is one: neither lies across two cache lines, and what the
/// particles around a chunk have to say fits the first cache more often than in rows of sixteen.
inline constexpr int k_first_part = 8;
constexpr int rest_of(int width) { return width <= k_first_part ? 0 : width <= k_first_part + 4 ? 4 : 8; }
/// How many values there is room for in a row.
constexpr int room_of(int width) { return k_first_part + rest_of(width); }

/// A row, or rows from the first on.
template <class T>
struct RowParts {
  T* first = nullptr;
  T* rest = nullptr;

  T& operator[](int k) const { return k < k_first_part ? first[k] : rest[k - k_first_part]; }
};

/// Rows of `width` values of type T (float, or double in double precision). The first D values of a row are its
/// fixed-point position (see pack.hpp). Dimensionless: lengths by R, speeds by c0, densities by rho0, volumes by dx^D.
template <class T>
class Rows {
 public:
  explicit Rows(int width) : width_(width) {}

  /// Room for `rows` rows and the sentinel after them: a particle without volume, so that every sum gets exact zeros
  /// from it.
  void resize(std::int32_t rows) {
    const auto n = static_cast<std::size_t>(rows) + 1;
    first_.resize(n * k_first_part);
    rest_.resize(n * static_cast<std::size_t>(rest()));
    begin_ = first_.data();
    for (int k = 0; k < room(); ++k) row(rows)[k] = T(0);
  }

  /// As many rows where others have their first parts, until those are resized: whoever writes one of them writes both.
  void alias(Rows& others) {
    assert(rest() == 0);
    begin_ = others.begin_;
  }

  /// What may lend its memory, until the next resize().
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

  /// Rows one after the other, to where no others of them are, with their positions shifted by whole quanta.
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3& by, int dimensions) {
    const RowParts<T> source = row(from), target = row(to);
    std::copy_n(source.rest, count * rest(), target.rest);
    if constexpr (sizeof(T) == sizeof(std::int32_t)) {  // all values of a row at a time
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

  static void put_fixed(float* to, std::int32_t value) { std::memcpy(to, &value, sizeof value); }
  static void put_fixed(double* to, std::int32_t value) {
    const std::int64_t wide = value;
    std::memcpy(to, &wide, sizeof wide);
  }
  static std::int32_t get_fixed(const float* from) {
    std::int32_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static std::int32_t get_fixed(const double* from) {
    std::int64_t wide;
    std::memcpy(&wide, from, sizeof wide);
    return static_cast<std::int32_t>(wide);
  }

 private:
  int rest() const { return rest_of(width_); }

  Array<T> first_, rest_;
  T* begin_ = nullptr;  // of the first parts
  int width_;
};

/// How far beyond a neighbour the row stands that is prefetched while its own is read, see k_row_step: one and a half
/// lines of cells, as of the cells around a particle those of the next line have not been read yet. They lie too far
/// from all that has been for a processor to foresee them.
inline std::int32_t prefetch_distance(const particles::CellIndex& rows) { return 3 * rows.line_length / 2 * k_row_step; }

/// The first `Width` values of the rows at the given places, transposed: out[k] holds value k of every lane's row. More
/// than those of the first part are all that the rows have. Four values at a time,
template <int Width, class P>
EDDYLINE_INLINE void load_by_fours(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                   P* out) {
  constexpr int k_rest = rest_of(Width);
  load_rows<4>(rows.first, k_first_part, place, out);
  if constexpr (Width > 4) load_rows<4>(rows.first + 4, k_first_part, place, out + 4);
  if constexpr (k_rest > 0) load_rows<k_rest>(rows.rest, k_rest, place, out + k_first_part);
}
/// or eight where there are no more than those of the first part.
template <int Width, class P>
EDDYLINE_INLINE void load_values(const RowParts<const typename P::value_type>& rows, const std::int32_t* place,
                                 P* out) {
  if constexpr (4 < Width && Width <= k_first_part)
    load_rows<k_first_part>(rows.first, k_first_part, place, out);
  else
    load_by_fours<Width>(rows, place, out);
}

}  // namespace eddyline::neighbors
