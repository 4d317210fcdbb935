#include "observe/codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace eddyline::observe {

namespace {

constexpr std::size_t k_block = 64, k_bits = 8;  // pixels that are processed together; the bits of a byte
constexpr float k_nan = std::numeric_limits<float>::quiet_NaN();

bool is_finite(float value) { return std::abs(value) < std::numeric_limits<float>::infinity(); }

/// Packs eight pixels, 1 for yes and 0 for no, into the bits of a byte, the first pixel highest. In the product each
/// pixel has a bit of its own.
std::uint8_t bits_of(const std::uint8_t* yes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t eight;
  std::memcpy(&eight, yes, sizeof eight);
  return static_cast<std::uint8_t>((eight * 0x8040201008040201) >> 56);
}

struct Range {
  float low, high;
};

/// Returns the range of the finite values; 0 if there is none.
Range range_of(std::span<const float> values) {
  constexpr float k_none = std::numeric_limits<float>::infinity();
  float low = k_none, high = -k_none;
#pragma omp simd reduction(min : low) reduction(max : high)
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = values[i], beside_low = is_finite(value) ? value : k_none,
                beside_high = is_finite(value) ? value : -k_none;
    low = std::min(low, beside_low), high = std::max(high, beside_high);
  }
  return low <= high ? Range{low, high} : Range{0, 0};
}

/// Calls find(first, count) for one block after the other.
template <class Find>
void for_each_block(std::size_t size, Find&& find) {
  for (std::size_t first = 0; first < size; first += k_block) find(first, std::min(k_block, size - first));
}

}  // namespace

void keep_known(std::span<const float> pixels, const bool* is_solid, std::uint8_t* known, std::vector<float>& values) {
  for_each_block(pixels.size(), [&](std::size_t first, std::size_t count) {
    float value[k_block], kept[k_block];
    std::uint8_t is_known[k_block];
    std::fill(std::copy_n(pixels.data() + first, count, value), value + k_block, k_nan);
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) is_known[l] = is_finite(value[l]) ? 1 : 0;
    if (is_solid != nullptr)
      for (std::size_t l = 0; l < count; ++l)
        if (is_solid[first + l]) is_known[l] = 1, value[l] = k_nan;
    std::size_t found = 0;
    for (std::size_t l = 0; l < count; l += k_bits) {
      const std::uint8_t bits = known[(first + l) / k_bits] = bits_of(is_known + l);
      if (bits == 0xFF) {
        std::memcpy(kept + found, value + l, k_bits * sizeof(float));
        found += k_bits;
      } else if (bits != 0) {
        for (std::size_t k = l; k < l + k_bits; ++k)
          if (is_known[k] != 0) kept[found++] = value[k];
      }
    }
    values.insert(values.end(), kept, kept + found);
  });
}

Codes codes_of(std::span<const float> values, std::uint16_t top, std::uint16_t solid) {
  const Range range = range_of(values);
  const double low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  Codes found;
  found.offset = low;
  if (high > low) found.scale = (high - low) / top;
  found.codes.resize(values.size());
  for_each_block(values.size(), [&, low, scale = found.scale](std::size_t first, std::size_t count) {
    const float* value = values.data() + first;
    std::int32_t whole[k_block];
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l) {
      const float counted = is_finite(value[l]) ? value[l] : range.low;
      whole[l] = static_cast<std::int32_t>(std::nearbyint((static_cast<double>(counted) - low) / scale));
    }
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l)
      found.codes[first + l] = is_finite(value[l]) ? static_cast<std::uint16_t>(whole[l]) : solid;
  });
  return found;
}

std::vector<std::uint8_t> codes_of_cover(std::span<const float> covers, float one) {
  std::vector<std::uint8_t> codes(covers.size());
  for_each_block(covers.size(), [&, one](std::size_t first, std::size_t count) {
    std::int32_t whole[k_block];
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l)
      whole[l] = static_cast<std::int32_t>(std::nearbyint(one * covers[first + l]));
#pragma omp simd
    for (std::size_t l = 0; l < count; ++l) codes[first + l] = static_cast<std::uint8_t>(whole[l]);
  });
  return codes;
}

}  // namespace eddyline::observe
