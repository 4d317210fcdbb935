#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vec.hpp"

namespace eddyline::observe {

/// One bit for each point of a lattice: set if the point is inside a surface. A row of points along x takes whole
/// words; bits beyond its end are 0.
class Signs {
 public:
  Signs() = default;
  explicit Signs(Int3 count)
      : count_(count), words_((static_cast<std::size_t>(count[0]) + 63) / 64), bits_(words_ * rows()) {}
  /// Points with a value above `level` are inside, others and NaN are outside.
  Signs(Int3 count, std::span<const float> values, float level);

  const Int3& count() const { return count_; }
  std::size_t rows() const { return static_cast<std::size_t>(count_[1]) * static_cast<std::size_t>(count_[2]); }
  std::size_t words() const { return words_; }  // of a row
  std::size_t row(std::int32_t y, std::int32_t z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(count_[1]) + static_cast<std::size_t>(y);
  }
  const std::uint64_t* row_bits(std::size_t row) const { return bits_.data() + row * words_; }
  std::uint64_t* row_bits(std::size_t row) { return bits_.data() + row * words_; }
  bool inside(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return (row_bits(row(y, z))[x >> 6] >> (x& 63) & 1) != 0;
  }
  /// The words of layers [0, layers).
  std::span<const std::uint64_t> bits(std::int32_t layers) const {
    return {bits_.data(), static_cast<std::size_t>(layers) * static_cast<std::size_t>(count_[1]) * words_};
  }
  std::span<std::uint64_t> bits() { return bits_; }

  /// True if all points at the six faces of the lattice are outside, so that the surface is closed.
  bool border_is_outside() const;

  /// The lower ends of cut edges along an axis, as bits of one word of a row; the row must not be the last one along
  /// the axis. Points at the border along x must be outside.
  std::uint64_t cut_edges(int axis, std::size_t row, std::size_t word) const {
    const std::uint64_t* own = row_bits(row);
    if (axis == 0) return own[word] ^ next_points(own, word);
    return own[word] ^ row_bits(row + (axis == 1 ? 1 : static_cast<std::size_t>(count_[1])))[word];
  }
  /// Each bit: the next point's along x.
  std::uint64_t next_points(const std::uint64_t* row, std::size_t word) const {
    return row[word] >> 1 | (word + 1 < words_ ? row[word + 1] << 63 : 0);
  }
  /// Calls visit(x, y, z, axis) for each cut edge with its lower end in the layers [0, layers), in the order of
  /// vertices: by z, y, axis, x.
  template <class Visit>
  void for_each_cut_edge(std::int32_t layers, Visit&& visit) const {
    for (std::int32_t z = 0; z < layers; ++z)
      for (std::int32_t y = 0; y < count_[1]; ++y) for_each_cut_edge_of_row(y, z, visit);
  }
  template <class Visit>
  void for_each_cut_edge_of_row(std::int32_t y, std::int32_t z, Visit&& visit) const {
    for (int axis = 0; axis < 3; ++axis) {
      if ((axis == 1 && y + 1 == count_[1]) || (axis == 2 && z + 1 == count_[2])) continue;
      for (std::size_t word = 0; word < words_; ++word)
        for (std::uint64_t left = cut_edges(axis, row(y, z), word); left != 0; left &= left - 1)
          visit(static_cast<std::int32_t>(64 * word) + std::countr_zero(left), y, z, axis);
    }
  }
  std::size_t count_cut_edges(std::int32_t first_layer, std::int32_t last_layer) const;

  /// The corners of the cells that the surface passes through: calls visit(x, y, z, inside), in the order of cells (z,
  /// y, x); bit k of `inside`: corner k, see corner_rule().
  template <class Visit>
  void for_each_cut_cell(Visit&& visit) const {
    for (std::int32_t z = 0; z + 1 < count_[2]; ++z)
      for (std::int32_t y = 0; y + 1 < count_[1]; ++y) {
        const std::size_t below = row(y, z), above = row(y, z + 1);
        const std::uint64_t* rows[4] = {row_bits(below), row_bits(below + 1), row_bits(above), row_bits(above + 1)};
        for (std::size_t word = 0; word < words_; ++word) {
          std::uint64_t here[4], next[4], any = 0, all = ~std::uint64_t{0};
          for (int k = 0; k < 4; ++k) {
            here[k] = rows[k][word], next[k] = next_points(rows[k], word);
            any |= here[k] | next[k], all &= here[k] & next[k];
          }
          for (std::uint64_t left = any & ~all; left != 0; left &= left - 1) {
            const int bit = std::countr_zero(left);
            unsigned inside = 0;
            for (int k = 0; k < 4; ++k)
              inside |= static_cast<unsigned>((here[k] >> bit & 1) | (next[k] >> bit & 1) << 1) << (2 * k);
            visit(static_cast<std::int32_t>(64 * word) + bit, y, z, inside);
          }
        }
      }
  }

 private:
  Int3 count_{0, 0, 0};
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace eddyline::observe
