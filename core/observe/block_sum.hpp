#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"
#include "base/reproducible_sum.hpp"

namespace eddyline::observe {

/// Adds blocks of numbers to a ReproducibleSum, as exactly as one by one, but mostly with two additions a block.
///
/// Each number is split, without an error, into a multiple of one unit, a multiple of a much smaller one, and the rest.
/// Units follow from the largest number of the block, so that sums of either multiples have room in a double. The rest
/// is 0 but for numbers that are 2^40 times as small as the largest, and is added alone.
class BlockSum {
 public:
  static constexpr std::size_t k_most = 256;  // numbers of a block
  using Numbers = std::array<double, k_most>;

  /// Adds the first `count` of some numbers; what comes after them is overwritten.
  static void add(ReproducibleSum& sum, Numbers& value, std::size_t count) {
    constexpr std::size_t width = Pack4d::width;
    const std::size_t packs = (count + width - 1) / width;
    std::fill(value.begin() + static_cast<std::ptrdiff_t>(count),
              value.begin() + static_cast<std::ptrdiff_t>(packs * width), 0.0);
    const int exponent = largest_exponent(value, packs);
    if (exponent == k_none) return;
    if (exponent < k_least || exponent > k_largest) {
      for (std::size_t i = 0; i < count; ++i) sum.add(value[i]);
      return;
    }
    // To a multiple of 2^e is rounded what is added to 1.5 2^(e + 52) and taken off again.
    const Pack4d large = std::ldexp(0x1.8p52, exponent - k_bits), small = std::ldexp(0x1.8p52, exponent - 2 * k_bits);
    Pack4d sum_of_large, sum_of_small;
    Pack4d::Bits any{};
    std::array<Pack4d, k_most / width> rest;
    for (std::size_t p = 0; p < packs; ++p) {
      const double* lanes = value.data() + p * width;
      const Pack4d x = Pack4d::Lanes{lanes[0], lanes[1], lanes[2], lanes[3]};
      const Pack4d first = (x + large) - large, second = ((x - first) + small) - small;
      sum_of_large = sum_of_large + first;
      sum_of_small = sum_of_small + second;
      rest[p] = (x - first) - second;
      any |= rest[p].bits();
    }
    for (std::size_t lane = 0; lane < width; ++lane) {
      sum.add(sum_of_large.v[lane]);
      sum.add(sum_of_small.v[lane]);
    }
    if ((any[0] | any[1] | any[2] | any[3]) == 0) return;
    for (std::size_t i = 0; i < count; ++i)
      if (const double left = rest[i / width].v[i % width]; left != 0) sum.add(left);
  }

 private:
  static constexpr int k_none = -2000;
  static constexpr int k_least = -900, k_largest = 1000;  // exponents for which both units are ordinary doubles
  /// From the largest exponent to that of the larger unit, and from there to the smaller: the sum of the 64 numbers of
  /// a lane, each below 2^(k_bits + 1) units, is at most 2^53 units.
  static constexpr int k_bits = 46;

  /// Exponent of the largest number, beyond k_largest if one is infinite or none at all; k_none: all are 0.
  static int largest_exponent(const Numbers& value, std::size_t packs) {
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < packs * Pack4d::width; ++i)
      largest = std::max(largest, std::bit_cast<std::int64_t>(value[i]) & 0x7fffffffffffffff);
    return largest == 0 ? k_none : static_cast<int>(largest >> 52) - 1023;
  }
};

}  // namespace eddyline::observe
