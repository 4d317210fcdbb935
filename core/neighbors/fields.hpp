#pragma once
// What a halo carries of rows and positions: see exchange/halo.hpp.

#include <array>
#include <cstring>

#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::neighbors {

/// Some values of a row, one after the other.
struct Values {
  int first = 0, count = 0;
};

/// Rows as far as they mean anything; their positions are shifted by the period. In messages only some of their values,
/// if whoever receives them knows the others.
template <class T>
class RowField {
 public:
  RowField(Rows<T>& rows, int dimensions) : RowField(rows, dimensions, {0, rows.width()}) {}
  RowField(Rows<T>& rows, int dimensions, Values sent, Values also_sent = {})
      : rows_(rows), dimensions_(dimensions), sent_{sent, also_sent} {}

  std::size_t bytes() const { return size(sent_[0]) + size(sent_[1]); }
  void copy(std::int32_t from, std::int32_t to, const Int3& shift) const {
    std::memcpy(rows_.row(to), rows_.row(from), sizeof(T) * static_cast<std::size_t>(rows_.width()));
    rows_.shift(to, shift, dimensions_);
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    for (std::int32_t k = 0; k < count; ++k)
      for (const Values& values : sent_) {
        std::memcpy(to, rows_.row(first + k) + values.first, size(values));
        to += size(values);
      }
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3& shift) const {
    for (std::int32_t k = 0; k < count; ++k) {
      for (const Values& values : sent_) {
        std::memcpy(rows_.row(first + k) + values.first, from, size(values));
        from += size(values);
      }
      if (sent_[0].first == 0) rows_.shift(first + k, shift, dimensions_);
    }
  }

 private:
  static constexpr std::size_t size(const Values& values) { return sizeof(T) * static_cast<std::size_t>(values.count); }

  Rows<T>& rows_;
  int dimensions_;
  std::array<Values, 2> sent_;
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
