#pragma once
// Exact sums of many doubles for a few additions each.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/reproducible_sum.hpp"

namespace eddyline {

/// Adds blocks of numbers to a ReproducibleSum. The result is the exact sum, as if they were added one by one, but a
/// block mostly takes two additions to the ReproducibleSum.
///
/// Each number is split, without an error, into a multiple of a unit U, a multiple of a smaller unit u, and a rest:
///   large = (x + M) - M,  M = 1.5 2^52 U;  small = ((x - large) + m) - m,  m = 1.5 2^52 u;  rest = x - large - small
/// With S = sum |x| < 2^(e+1) the units are U = 2^(e-50) and u = 2^(e-95). Sums of 256 multiples of either stay below
/// 2^53 units, so that adding them is exact. If any rest is not zero, the rests are split in the same way.
/// Source: the error-free extraction of high-order parts of Rump, Ogita & Oishi 2008.
class BlockSum {
 public:
  static constexpr std::size_t k_most = 256;  // numbers of a block
  using Numbers = std::array<double, k_most>;

  /// Adds the first `count` of some numbers; the block is overwritten.
  static void add(ReproducibleSum& sum, Numbers& value, std::size_t count);

  /// The same with the loops of `kernel`, a BlockKernel, which has filled `values` and returned `magnitude`.
  template <class Kernel>
  static void add(const Kernel& kernel, ReproducibleSum& sum, double* values, std::size_t count, double magnitude) {
    while (magnitude != 0) {  // or is NaN
      const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52 & 0x7ffu) - 1023;
      if (exponent < k_least || exponent > k_largest) {
        for (std::size_t i = 0; i < count; ++i) sum.add(values[i]);
        return;
      }
      const double to_large = rounder(exponent - 50), to_small = rounder(exponent - 95);
      const auto parts = kernel.split(values, count, to_large, to_small);
      sum.add(parts.large);
      sum.add(parts.small);
      if (parts.rest != 0) kernel.keep_rest(values, count, to_large, to_small);
      magnitude = parts.rest;
    }
  }

 private:
  /// Exponents for which both units and what rounds to them are ordinary doubles.
  static constexpr int k_least = -900, k_largest = 1000;

  /// Constant that is added to a number and subtracted again, which rounds it to multiples of 2^exponent:
  /// 1.5 2^(52 + exponent).
  static double rounder(int exponent) {
    return std::bit_cast<double>((static_cast<std::int64_t>(exponent + 52 + 1023) << 52) | std::int64_t{1} << 51);
  }
};

}  // namespace eddyline
