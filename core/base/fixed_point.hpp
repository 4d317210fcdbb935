#pragma once
// Fixed-point positions (the law, rule 7): differences within pairs are exact within +-16 R in a domain of any size.

#include <cmath>
#include <cstdint>

#include "base/host_device.hpp"

namespace eddyline {

/// Maps lengths to integers modulo 2^32 in units of the quantum q = 2^(floor(log2 R) - 26) m.
class FixedPoint {
 public:
  FixedPoint() = default;
  explicit FixedPoint(double interaction_radius) {
    const int exponent = std::ilogb(interaction_radius) - 26;
    quantum_ = std::scalbn(1.0, exponent);
    inverse_ = std::scalbn(1.0, -exponent);
  }

  EDDYLINE_HOST_DEVICE double quantum() const { return quantum_; }

  /// Number of quanta nearest to x, exact below 2^52 quanta.
  std::int64_t quanta(double x) const { return static_cast<std::int64_t>(std::nearbyint(x * inverse_)); }
  /// quanta(x) modulo 2^32, as pair data store it; |x| below 2^51 quanta. The sum with 1.5 2^52 has no bits for
  /// fractions: it is rounded to the nearest integer, and its low bits are that integer.
  EDDYLINE_HOST_DEVICE std::int32_t wrapped(double x) const {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, x* inverse_ + 0x1.8p52)));
  }
  /// The multiple of the quantum nearest to x; periods are rounded to it.
  EDDYLINE_HOST_DEVICE double round(double x) const { return std::nearbyint(x * inverse_) * quantum_; }
  /// The position nearest to x among all positions that pair data store as `place`.
  EDDYLINE_HOST_DEVICE double unwrapped(std::int32_t place, double x) const {
    const auto apart = static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(wrapped(x));
    return round(x) + static_cast<std::int32_t>(apart) * quantum_;
  }

 private:
  double quantum_ = 1, inverse_ = 1;
};

}  // namespace eddyline
