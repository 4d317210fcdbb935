#pragma once
// Fields of pair data and positions for the halo exchange, see exchange/halo.hpp.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"

namespace eddyline::neighbors {

/// Copies bytes; 4 to 32 of them without a function call, as two pieces that may overlap.
inline void copy_few(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto copy = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    std::byte first[N], last[N];
    std::memcpy(first, from, N), std::memcpy(last, from + bytes - N, N);
    std::memcpy(to, first, N), std::memcpy(to + bytes - N, last, N);
  };
  if (bytes >= 16 && bytes <= 32)
    copy(std::integral_constant<std::size_t, 16>());
  else if (bytes >= 8 && bytes < 16)
    copy(std::integral_constant<std::size_t, 8>());
  else if (bytes >= 4 && bytes < 8)
    copy(std::integral_constant<std::size_t, 4>());
  else
    std::memcpy(to, from, bytes);
}

/// A range of consecutive values of a row.
struct Values {
  int first = 0, count = 0;
};

/// The pair data, without padding; periodic shifts are added to positions. A message can contain a subset of the values
/// if the receiver knows the others.
template <class T>
class RowField {
 public:
  RowField(PairData<T>& rows, int dimensions) : RowField(rows, dimensions, {0, rows.width()}) {}
  RowField(PairData<T>& rows, int dimensions, Values sent) : rows_(rows), dimensions_(dimensions) {
    const int split = std::clamp(k_first_part - sent.first, 0, sent.count);
    add(sent.first, split, false);
    add(std::max(sent.first - k_first_part, 0), sent.count - split, true);
    has_position_ = sent.first == 0;
  }

  std::size_t bytes() const { return bytes_; }
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3& shift) const {
    rows_.copy(from, to, count, shift, dimensions_);
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    for (std::int32_t k = 0; k < count; ++k) {
      const auto row = rows_.row(first + k);
      for (int p = 0; p < pieces_; ++p) {
        const Piece& piece = piece_[static_cast<std::size_t>(p)];
        copy_few(to, reinterpret_cast<const std::byte*>(piece.of(row)), piece.bytes);
        to += piece.bytes;
      }
    }
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3& shift) const {
    const bool shifted = has_position_ && shift != Int3{};
    for (std::int32_t k = 0; k < count; ++k) {
      const auto row = rows_.row(first + k);
      for (int p = 0; p < pieces_; ++p) {
        const Piece& piece = piece_[static_cast<std::size_t>(p)];
        copy_few(reinterpret_cast<std::byte*>(piece.of(row)), from, piece.bytes);
        from += piece.bytes;
      }
      if (shifted) rows_.shift(first + k, shift, dimensions_);
    }
  }

 private:
  /// The values of one part of a row.
  struct Piece {
    std::ptrdiff_t at = 0;
    std::size_t bytes = 0;
    bool of_rest = false;

    T* of(const RowParts<T>& row) const { return (of_rest ? row.rest : row.first) + at; }
  };

  void add(int first, int count, bool of_rest) {
    if (count == 0) return;
    const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(count);
    piece_[static_cast<std::size_t>(pieces_++)] = {first, bytes, of_rest};
    bytes_ += bytes;
  }

  PairData<T>& rows_;
  int dimensions_, pieces_ = 0;
  std::array<Piece, 2> piece_;
  std::size_t bytes_ = 0;
  bool has_position_;
};

/// Fixed-point positions, one array per axis. Periodic images have none, so nothing is copied within the process.
class PositionField {
 public:
  PositionField(FixedPositions& positions, int dimensions) : positions_(positions), dimensions_(dimensions) {}

  std::size_t bytes() const { return sizeof(std::int32_t) * static_cast<std::size_t>(dimensions_); }
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
