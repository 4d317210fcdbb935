#pragma once

#include <cstddef>

#include "base/pack.hpp"

namespace eddyline {

/// The loops of BlockSum over one block, for packs of any width; its comment has the formulas. Flavours compile them
/// for their instruction set.
template <class P>
struct BlockKernel {
  struct Parts {
    double large, small;  // exact sums of the multiples of both units
    double rest;          // sum of magnitudes of the rests, rounded: 0 only if all are 0
  };

  /// Room that a block of `count` numbers needs: whole groups of packs.
  static constexpr std::size_t k_group = 4 * static_cast<std::size_t>(P::width);
  static constexpr std::size_t padded(std::size_t count) { return (count + k_group - 1) / k_group * k_group; }

  /// out_i = a_i b_i, rounded once; 0 from `count` to the end of the last group. Returns the sum of magnitudes.
  static double multiply(const double* a, const double* b, std::size_t count, double* out) {
    return fill(
        count, out, [&](std::size_t i) { return P::load(a + i) * P::load(b + i); },
        [&](std::size_t i) { return a[i] * b[i]; });
  }
  /// out_i = a_i, likewise.
  static double copy(const double* a, std::size_t count, double* out) {
    return fill(count, out, [&](std::size_t i) { return P::load(a + i); }, [&](std::size_t i) { return a[i]; });
  }

  /// `to_large`, `to_small`: M and m. Reads whole groups.
  static Parts split(const double* values, std::size_t count, double to_large, double to_small) {
    const P M = to_large, m = to_small;
    P large[2], small[2], rest[2];
    for (std::size_t i = 0; i < padded(count); i += 2 * k_width)
      for (std::size_t k = 0; k < 2; ++k) {
        const Split x(P::load(values + i + k * k_width), M, m);
        large[k] = large[k] + x.large;
        small[k] = small[k] + x.small;
        rest[k] = rest[k] + abs(x.rest);
      }
    return {total(large[0] + large[1]), total(small[0] + small[1]), total(rest[0] + rest[1])};
  }
  /// Each number becomes its rest.
  static void keep_rest(double* values, std::size_t count, double to_large, double to_small) {
    const P M = to_large, m = to_small;
    for (std::size_t i = 0; i < padded(count); i += k_width) Split(P::load(values + i), M, m).rest.store(values + i);
  }

 private:
  static constexpr std::size_t k_width = static_cast<std::size_t>(P::width);

  struct Split {
    P large, small, rest;

    EDDYLINE_INLINE Split(P x, P M, P m)
        : large((x + M) - M), small(((x - large) + m) - m), rest((x - large) - small) {}
  };

  template <class OfPack, class OfOne>
  EDDYLINE_INLINE static double fill(std::size_t count, double* out, OfPack&& of_pack, OfOne&& of_one) {
    P sum[4];
    std::size_t i = 0;
    for (; i + k_group <= count; i += k_group)
      for (std::size_t k = 0; k < 4; ++k) {
        const P x = of_pack(i + k * k_width);
        x.store(out + i + k * k_width);
        sum[k] = sum[k] + abs(x);
      }
    for (std::size_t j = i; j < count; ++j) out[j] = of_one(j);
    for (std::size_t j = count; j < padded(count); ++j) out[j] = 0;
    for (; i < count; i += k_width) sum[0] = sum[0] + abs(P::load(out + i));
    return total((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }

  EDDYLINE_INLINE static double total(P x) {
    double lane[k_width];
    x.store(lane);
    double sum = 0;
    for (const double each : lane) sum += each;
    return sum;
  }
};

}  // namespace eddyline
