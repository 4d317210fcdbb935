#include "observe/isosurface/signs.hpp"

#include "base/lanes.hpp"
#include "base/parallel_for.hpp"

namespace eddyline::observe {

namespace {

/// Bits of up to 64 values.
std::uint64_t above(const float* values, std::size_t count, float level) {
  std::uint64_t bits = 0;
  std::size_t k = 0;
  for (; k + 8 <= count; k += 8) bits |= std::uint64_t{eddyline::bits(Pack8f::load(values + k) > Pack8f(level))} << k;
  for (; k < count; ++k) bits |= std::uint64_t{values[k] > level} << k;
  return bits;
}

}  // namespace

Signs::Signs(Int3 count, std::span<const float> values, float level) : Signs(count) {
  const auto columns = static_cast<std::size_t>(count[0]);
  parallel_for(static_cast<std::int64_t>(rows()), 64, [&](std::int64_t first, std::int64_t last) {
    for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r)
      for (std::size_t word = 0; word < words_; ++word)
        row_bits(r)[word] =
            above(values.data() + r * columns + 64 * word, std::min<std::size_t>(64, columns - 64 * word), level);
  });
}

bool Signs::border_is_outside() const {
  if (rows() == 0 || words_ == 0) return true;
  const auto last = static_cast<std::size_t>(count_[0] - 1);
  for (std::int32_t z = 0; z < count_[2]; ++z)
    for (std::int32_t y = 0; y < count_[1]; ++y) {
      const std::uint64_t* bits = row_bits(row(y, z));
      if ((bits[0] & 1) != 0 || (bits[last / 64] >> (last % 64)) != 0) return false;
      if (y > 0 && z > 0 && y + 1 < count_[1] && z + 1 < count_[2]) continue;
      for (std::size_t word = 0; word < words_; ++word)
        if (bits[word] != 0) return false;
    }
  return true;
}

std::size_t Signs::count_cut_edges(std::int32_t first_layer, std::int32_t last_layer) const {
  std::size_t edges = 0;
  for (std::int32_t z = first_layer; z < last_layer; ++z)
    for (std::int32_t y = 0; y < count_[1]; ++y)
      for (int axis = 0; axis < 3; ++axis) {
        if ((axis == 1 && y + 1 == count_[1]) || (axis == 2 && z + 1 == count_[2])) continue;
        for (std::size_t word = 0; word < words_; ++word)
          edges += static_cast<std::size_t>(std::popcount(cut_edges(axis, row(y, z), word)));
      }
  return edges;
}

}  // namespace eddyline::observe
