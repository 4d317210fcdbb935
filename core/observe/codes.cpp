#include "observe/codes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

namespace eddyline::observe {

namespace {

constexpr std::size_t k_block = 64, k_bits = 8;  // pixels that are looked at together; whose bits are a byte

/// What becomes of the pixels of a block: 1 for those that have a code, else 0.
template <class Code>
struct Block {
  std::uint8_t has_code[k_block];
  Code code[k_block];
};

/// As bits, the first of eight the highest: the product has each of them where no other comes.
std::uint8_t bits_of(const std::uint8_t* yes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t eight;
  std::memcpy(&eight, yes, sizeof eight);
  return static_cast<std::uint8_t>((eight * 0x8040201008040201) >> 56);
}

/// Calls find(first, pixels of a block from that on, block) for one block after the other; behind the last pixel there
/// are more of `none`, which is to have no code. Keeps what it has found.
template <class Code, class Find>
void encode(std::span<const float> pixels, float none, std::vector<std::uint8_t>& known, std::vector<Code>& codes,
            Find&& find) {
  const std::size_t bytes = (pixels.size() + k_bits - 1) / k_bits;
  known.resize(bytes);
  codes.resize(pixels.size() + k_block);
  Block<Code> block;
  std::size_t count = 0;
  for (std::size_t first = 0; first < pixels.size(); first += k_block) {
    const std::size_t in_block = std::min(k_block, pixels.size() - first);
    if (in_block == k_block) {
      find(first, pixels.data() + first, block);
    } else {
      float last[k_block];
      std::fill(std::copy_n(pixels.data() + first, in_block, last), last + k_block, none);
      find(first, last, block);
    }
    for (std::size_t l = 0; l < in_block; l += k_bits) {
      const std::uint8_t bits = known[(first + l) / k_bits] = bits_of(block.has_code + l);
      if (bits == 0xFF) {
        std::memcpy(codes.data() + count, block.code + l, k_bits * sizeof(Code));
        count += k_bits;
      } else if (bits != 0) {
        for (std::size_t k = l; k < l + k_bits; ++k) {
          codes[count] = block.code[k];
          count += block.has_code[k];
        }
      }
    }
  }
  codes.resize(count);
}

bool is_finite(float value) { return std::abs(value) < std::numeric_limits<float>::infinity(); }

struct Range {
  float low, high;
};

/// Of the finite ones; 0 if there is none.
Range range_of(std::span<const float> pixels) {
  constexpr float k_none = std::numeric_limits<float>::infinity();
  float low = k_none, high = -k_none;
#pragma omp simd reduction(min : low) reduction(max : high)
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const float pixel = pixels[i], beside_low = is_finite(pixel) ? pixel : k_none,
                beside_high = is_finite(pixel) ? pixel : -k_none;
    low = std::min(low, beside_low), high = std::max(high, beside_high);
  }
  return low <= high ? Range{low, high} : Range{0, 0};
}

}  // namespace

RasterCodes codes_of(std::span<const float> pixels, std::uint16_t top, const bool* is_solid, std::uint16_t solid) {
  const Range range = range_of(pixels);
  const double low = static_cast<double>(range.low), high = static_cast<double>(range.high);
  RasterCodes found;
  found.offset = low;
  if (high > low) found.scale = (high - low) / top;
  const auto find = [&, low, scale = found.scale](std::size_t first, const float* value, Block<std::uint16_t>& block) {
    double steps[k_block];
    std::int32_t whole[k_block];
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) {
      const float counted = is_finite(value[l]) ? value[l] : range.low;
      steps[l] = std::nearbyint((static_cast<double>(counted) - low) / scale);
    }
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) whole[l] = static_cast<std::int32_t>(steps[l]);
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) block.code[l] = static_cast<std::uint16_t>(whole[l]);
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) block.has_code[l] = is_finite(value[l]) ? 1 : 0;
    if (is_solid == nullptr) return;
    for (std::size_t l = 0; l < std::min(k_block, pixels.size() - first); ++l)
      if (is_solid[first + l]) block.has_code[l] = 1, block.code[l] = solid;
  };
  encode(pixels, std::numeric_limits<float>::quiet_NaN(), found.known, found.codes, find);
  return found;
}

CoverCodes codes_of_cover(std::span<const float> cover, float one) {
  CoverCodes found;
  encode(cover, 0, found.known, found.codes, [one](std::size_t, const float* value, Block<std::uint8_t>& block) {
    std::int32_t whole[k_block];
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) whole[l] = static_cast<std::int32_t>(std::nearbyint(one * value[l]));
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) block.code[l] = static_cast<std::uint8_t>(whole[l]);
#pragma omp simd
    for (std::size_t l = 0; l < k_block; ++l) block.has_code[l] = whole[l] > 0 ? 1 : 0;
  });
  return found;
}

}  // namespace eddyline::observe
