#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"
#include "base/reproducible_sum.hpp"

namespace eddyline {

/// Adds blocks of numbers to a ReproducibleSum, as exactly as one by one, but mostly with two additions a block.
///
/// Each number is split, without an error, into a multiple of one unit, a multiple of a much smaller one, and the rest.
/// Units follow from the largest number of the block, so that sums of either multiples have room in a double. The rest
/// is 0 but for numbers that are 2^36 times as small as the largest, and is added alone. Numbers that are all the same,
/// as masses often are, are multiplied.
class BlockSum {
 public:
  static constexpr std::size_t k_most = 256;  // numbers of a block
  using Numbers = std::array<double, k_most>;

  /// Adds the first `count` of some numbers; what comes after them is overwritten.
  static void add(ReproducibleSum& sum, Numbers& value, std::size_t count) {
    if (count == 0) return;
    const std::size_t packs = (count + k_width - 1) / k_width;
    const auto filled = static_cast<std::ptrdiff_t>(packs * k_width), last = static_cast<std::ptrdiff_t>(count);
    std::fill(value.begin() + last, value.begin() + filled, value[0]);
    const Extent extent = extent_of(value, packs);
    if (extent.all_same) return add_same(sum, value[0], count);
    if (extent.exponent < k_least || extent.exponent > k_largest) return add_alone(sum, value, count);
    std::fill(value.begin() + last, value.begin() + filled, 0.0);
    const Pack4d large = rounder(extent.exponent - k_bits), small = rounder(extent.exponent - 2 * k_bits);
    Pack4d sum_of_large, sum_of_small;
    Pack4d::Bits any{};
    for (std::size_t p = 0; p < packs; ++p) {
      const Parts x(Pack4d::load(value.data() + p * k_width), large, small);
      sum_of_large = sum_of_large + x.large;
      sum_of_small = sum_of_small + x.small;
      any |= x.rest.bits();
    }
    sum.add(total(sum_of_large));
    sum.add(total(sum_of_small));
    if ((any[0] | any[1] | any[2] | any[3]) == 0) return;
    for (std::size_t p = 0; p < packs; ++p) {
      const Parts x(Pack4d::load(value.data() + p * k_width), large, small);
      for (std::size_t lane = 0; lane < k_width; ++lane)
        if (x.rest.v[lane] != 0) sum.add(x.rest.v[lane]);
    }
  }

 private:
  static constexpr std::size_t k_width = Pack4d::width;
  static constexpr int k_least = -900, k_largest = 1000;  // exponents for which both units are ordinary doubles
  /// From the largest exponent to that of the larger unit, and from there to the smaller: the sum of all numbers, each
  /// below 2^(k_bits + 1) units, is at most 2^53 units.
  static constexpr int k_bits = 44;

  struct Extent {
    bool all_same;
    int exponent;  // of the largest number, beyond k_largest if one is infinite; numbers that are none do not count
  };

  struct Parts {
    Pack4d large, small, rest;

    EDDYLINE_INLINE Parts(Pack4d x, Pack4d to_large, Pack4d to_small)
        : large((x + to_large) - to_large), small(((x - large) + to_small) - to_small), rest((x - large) - small) {}
  };

  static Extent extent_of(const Numbers& value, std::size_t packs) {
    constexpr std::int64_t k_but_sign = 0x7fffffffffffffff;
    const Pack4d first = value[0];
    Pack4d::Bits differ{};
    Pack4d largest;
    for (std::size_t p = 0; p < packs; ++p) {
      const Pack4d x = Pack4d::load(value.data() + p * k_width);
      differ |= x.v != first.v;
      largest = max(Pack4d(std::bit_cast<Pack4d::Lanes>(x.bits() & k_but_sign)), largest);
    }
    const double most = std::max(std::max(largest.v[0], largest.v[1]), std::max(largest.v[2], largest.v[3]));
    return {(differ[0] | differ[1] | differ[2] | differ[3]) == 0,
            static_cast<int>(std::bit_cast<std::int64_t>(most) >> 52) - 1023};
  }

  /// What is added to a number and taken off again to round it to a multiple of 2^exponent.
  static double rounder(int exponent) {
    return std::bit_cast<double>((static_cast<std::int64_t>(exponent + 52 + 1023) << 52) | std::int64_t{1} << 51);
  }
  static double total(const Pack4d& x) { return (x.v[0] + x.v[1]) + (x.v[2] + x.v[3]); }

  /// The product, and what it leaves out.
  static void add_same(ReproducibleSum& sum, double x, std::size_t count) {
    if (x == 0) return;
    const auto times = static_cast<double>(count);
    const double product = times * x;
    if (!(std::abs(product) > 0x1p-900 && std::abs(product) < 0x1p1000)) {
      for (std::size_t i = 0; i < count; ++i) sum.add(x);
      return;
    }
    sum.add(product);
    sum.add(std::fma(times, x, -product));
  }
  static void add_alone(ReproducibleSum& sum, const Numbers& value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) sum.add(value[i]);
  }
};

}  // namespace eddyline
