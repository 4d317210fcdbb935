#pragma once
// What a halo carries of rows and positions: see exchange/halo.hpp.

#include <cstring>

#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::neighbors {

/// Rows as far as they mean anything; their positions are shifted by the period.
template <class T>
class RowField {
 public:
  RowField(Rows<T>& rows, int dimensions) : rows_(rows), dimensions_(dimensions) {}

  std::size_t bytes() const { return sizeof(T) * static_cast<std::size_t>(rows_.width()); }
  void copy(std::int32_t from, std::int32_t to, const Int3& shift) const {
    std::memcpy(rows_.row(to), rows_.row(from), bytes());
    rows_.shift(to, shift, dimensions_);
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    for (std::int32_t k = 0; k < count; ++k, to += bytes()) std::memcpy(to, rows_.row(first + k), bytes());
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3& shift) const {
    for (std::int32_t k = 0; k < count; ++k, from += bytes()) {
      std::memcpy(rows_.row(first + k), from, bytes());
      rows_.shift(first + k, shift, dimensions_);
    }
  }

 private:
  Rows<T>& rows_;
  int dimensions_;
};

/// Fixed-point positions, an array an axis.
class PositionField {
 public:
  PositionField(FixedPositions& positions, int dimensions) : positions_(positions), dimensions_(dimensions) {}

  std::size_t bytes() const { return sizeof(std::int32_t) * static_cast<std::size_t>(dimensions_); }
  void copy(std::int32_t from, std::int32_t to, const Int3& shift) const {
    for (int d = 0; d < dimensions_; ++d) *at(d, to) = shifted(*at(d, from), shift[static_cast<std::size_t>(d)]);
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    const std::size_t size = static_cast<std::size_t>(count) * sizeof(std::int32_t);
    for (int d = 0; d < dimensions_; ++d, to += size) std::memcpy(to, at(d, first), size);
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3& shift) const {
    const std::size_t size = static_cast<std::size_t>(count) * sizeof(std::int32_t);
    for (int d = 0; d < dimensions_; ++d, from += size) {
      std::int32_t* to = at(d, first);
      std::memcpy(to, from, size);
      for (std::int32_t k = 0; k < count; ++k) to[k] = shifted(to[k], shift[static_cast<std::size_t>(d)]);
    }
  }

 private:
  static std::int32_t shifted(std::int32_t place, std::int32_t by) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(place) + static_cast<std::uint32_t>(by));
  }
  std::int32_t* at(int axis, std::int32_t row) const { return positions_.x[axis].data() + row; }

  FixedPositions& positions_;
  int dimensions_;
};

}  // namespace eddyline::neighbors
