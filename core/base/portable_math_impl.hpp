#pragma once
// Implementation of portable_math.hpp, which loops on devices call as well.

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/host_device.hpp"
#include "base/portable_math.hpp"

// If one double would cost more than a fraction of an ulp, intermediate results are unevaluated sums of two doubles;
// each function ends with one rounding. The series are Taylor series on intervals so short that the first omitted term
// is below 2^-60 of the result.

namespace eddyline::portable::anywhere {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// The unevaluated sum hi + lo, |lo| at most about one ulp of hi.
struct Wide {
  double hi = 0, lo = 0;
};

EDDYLINE_HOST_DEVICE constexpr Wide wide_pi() { return {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}; }
EDDYLINE_HOST_DEVICE constexpr Wide wide_half_pi() { return {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}; }
EDDYLINE_HOST_DEVICE constexpr Wide wide_third() { return {0x1.5555555555555p-2, 0x1.5555555555555p-56}; }
EDDYLINE_HOST_DEVICE constexpr Wide wide_inverse_ln10() { return {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57}; }

/// ln 2 in two parts. The first part has 42 bits, so that its products with exponents are exact.
constexpr double k_ln2_hi = 0x1.62e42fefa3800p-1, k_ln2_lo = 0x1.ef35793c76730p-45;

/// a + b, exactly (Knuth).
EDDYLINE_HOST_DEVICE inline Wide two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// a + b, exactly, for |a| >= |b| or a == 0 (Dekker).
EDDYLINE_HOST_DEVICE inline Wide fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// a * b, exactly unless the low part underflows.
EDDYLINE_HOST_DEVICE inline Wide two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

EDDYLINE_HOST_DEVICE inline Wide operator+(Wide a, Wide b) {
  const Wide s = two_sum(a.hi, b.hi);
  return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

EDDYLINE_HOST_DEVICE inline Wide operator-(Wide a) { return {-a.hi, -a.lo}; }

EDDYLINE_HOST_DEVICE inline Wide operator*(Wide a, Wide b) {
  const Wide p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

EDDYLINE_HOST_DEVICE inline Wide operator/(Wide a, Wide b) {
  const double q = a.hi / b.hi;
  const double remainder = std::fma(-q, b.hi, a.hi) + (a.lo - q * b.lo);
  return fast_two_sum(q, remainder / b.hi);
}

EDDYLINE_HOST_DEVICE inline Wide sqrt(Wide a) {
  if (a.hi <= 0) return {};
  const double s = std::sqrt(a.hi);
  return fast_two_sum(s, (std::fma(-s, s, a.hi) + a.lo) / (s + s));
}

/// c[0] + c[1] z + c[2] z^2 + ... (Horner, fused).
template <std::size_t N>
EDDYLINE_HOST_DEVICE inline double polynomial(const std::array<double, N>& c, double z) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = std::fma(sum, z, c[i]);
  return sum;
}

/// 1 / (first + step i)! for i = 0 .. N - 1, times sign^i. Factorials up to 22! are exact doubles.
template <std::size_t N>
EDDYLINE_HOST_DEVICE constexpr std::array<double, N> inverse_factorials(int first, int step, double sign) {
  std::array<double, N> c{};
  double factor = 1;
  for (std::size_t i = 0; i < N; ++i) {
    double factorial = 1;
    for (int j = 2; j <= first + step * static_cast<int>(i); ++j) factorial *= j;
    c[i] = factor / factorial;
    factor *= sign;
  }
  return c;
}

/// 1 / (first + 2 i) for i = 0 .. N - 1, times sign^i.
template <std::size_t N>
EDDYLINE_HOST_DEVICE constexpr std::array<double, N> inverse_odds(int first, double sign) {
  std::array<double, N> c{};
  double factor = 1;
  for (std::size_t i = 0; i < N; ++i) {
    c[i] = factor / (first + 2 * static_cast<int>(i));
    factor *= sign;
  }
  return c;
}

/// 2^k, -1022 <= k <= 1023.
EDDYLINE_HOST_DEVICE inline double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

/// m 2^k, rounded once, for 1/2 < m < 2 and |k| <= 1100.
EDDYLINE_HOST_DEVICE inline double scale(double m, int k) {
  if (k > 1000) return m * power_of_two(k - 100) * power_of_two(100);
  if (k < -1000) return m * power_of_two(k + 200) * power_of_two(-200);
  return m * power_of_two(k);
}

/// exp(x) = m 2^k with m between 0.7 and 1.42, |x| <= 800.
struct ExpParts {
  Wide m;
  int k = 0;
};

EDDYLINE_HOST_DEVICE inline ExpParts exp_parts(Wide x) {
  constexpr double k_log2_e = 0x1.71547652b82fep+0;
  static constexpr auto c = inverse_factorials<12>(2, 1, 1);  // up to r^13 / 13!, |r| <= 0.347
  const double k = std::floor(x.hi * k_log2_e + 0.5);
  const Wide r = two_sum(std::fma(-k, k_ln2_hi, x.hi), std::fma(-k, k_ln2_lo, x.lo));
  const double tail = r.lo + std::fma(r.hi, r.lo, r.hi * r.hi * polynomial(c, r.hi));
  const Wide one_plus_r = fast_two_sum(1, r.hi);
  return {fast_two_sum(one_plus_r.hi, one_plus_r.lo + tail), static_cast<int>(k)};
}

/// log(x) to about 2^-63 of its value, for finite x > 0:
///   x = 2^k m, s = (m - 1) / (m + 1), log x = k ln 2 + 2 s (1 + s^2 / 3 + s^4 / 5 + ...), |s| <= 0.172.
EDDYLINE_HOST_DEVICE inline Wide log_wide(double x) {
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
  if (m > 0x1.6a09e667f3bcdp+0) {
    m *= 0.5;
    ++k;
  }
  static constexpr auto c = inverse_odds<12>(5, 1);  // up to s^26 / 27
  const Wide s = Wide{m - 1, 0} / two_sum(m, 1);
  const Wide z = s * s;
  const Wide g = wide_third() * z + Wide{z.hi * z.hi * polynomial(c, z.hi), 0};
  const Wide two_s{s.hi + s.hi, s.lo + s.lo};
  const Wide log_m = two_s + two_s * g;
  return Wide{k * k_ln2_hi, k * k_ln2_lo} + log_m;
}

/// |x| = n pi/2 + r with |r| <= pi/4 (a little more by rounding); n modulo 4.
struct QuarterTurns {
  Wide r;
  int n = 0;
};

/// Exact integer reduction for any finite a >= 1/2 (Payne and Hanek 1983). Only those bits of the product of a = m 2^e
/// with 2/pi that matter modulo 4 are computed, from seven words of 2/pi; the error of r is below 2^-130.
EDDYLINE_HOST_DEVICE inline QuarterTurns reduce_exactly(double a) {
  // The first 38 * 32 bits of 2 / pi.
  static constexpr std::array<std::uint32_t, 38> k_two_over_pi{
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
      0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
      0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
      0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
      0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};
  const auto bits = std::bit_cast<std::uint64_t>(a);
  const std::uint64_t m = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const int e = static_cast<int>(bits >> 52) - 1075;
  constexpr int k_words = 7;
  const int first = e < 34 ? 0 : (e - 2) / 32;  // words before this one contribute multiples of 4

  // product = m * (k_words words of 2/pi), least significant word first.
  std::array<std::uint32_t, k_words + 2> product{};
  const std::array<std::uint64_t, 2> factor{m & 0xffffffffu, m >> 32};
  for (int part = 0; part < 2; ++part) {
    std::uint64_t carry = 0;
    for (int i = 0; i < k_words; ++i) {
      const auto at = static_cast<std::size_t>(i + part);
      const std::uint64_t word = k_two_over_pi[static_cast<std::size_t>(first + k_words - 1 - i)];
      const std::uint64_t sum = word * factor[static_cast<std::size_t>(part)] + product[at] + carry;
      product[at] = static_cast<std::uint32_t>(sum);
      carry = sum >> 32;
    }
    product[static_cast<std::size_t>(k_words + part)] = static_cast<std::uint32_t>(carry);
  }
  const int point = 32 * (first + k_words) - e;  // the binary point stands above this many bits of the product
  const auto bit = [&](int i) -> std::uint32_t {
    return i < 0 || i >= 32 * (k_words + 2) ? 0u : (product[static_cast<std::size_t>(i / 32)] >> (i % 32)) & 1u;
  };
  int n = static_cast<int>(bit(point) + 2 * bit(point + 1));

  // The fraction below the point, six words long, as a number between -1/2 and 1/2.
  const bool upper_half = bit(point - 1) != 0;
  Wide fraction;
  double low = 0, unit = 0x1p-32;
  for (int word = 0; word < 6; ++word, unit *= 0x1p-32) {
    std::uint32_t value = 0;
    for (int i = 1; i <= 32; ++i) value = 2 * value + bit(point - 32 * word - i);
    if (upper_half) value = ~value;  // 1 - fraction, except for the last of 192 bits
    const Wide sum = two_sum(fraction.hi, value * unit);
    fraction.hi = sum.hi;
    low += sum.lo;
  }
  fraction = fast_two_sum(fraction.hi, low);
  if (upper_half) {
    fraction = -fraction;
    ++n;
  }
  return {fraction * wide_half_pi(), n & 3};
}

/// Reduction for any finite a >= 0. Up to 2^20 pi/2 it subtracts three parts (Cody and Waite 1980) whose products with
/// n are exact or carry their rounding error along. The rare arguments very near a multiple use reduce_exactly().
EDDYLINE_HOST_DEVICE inline QuarterTurns reduce(double a) {
  constexpr double k_two_over_pi_double = 0x1.45f306dc9c883p-1;
  constexpr double k_part_1 = 0x1.921fb54400000p+0, k_part_2 = 0x1.0b4611a600000p-34, k_part_3 = 0x1.3198a2e037073p-69;
  if (a < 0x1p20) {
    const double n = std::floor(a * k_two_over_pi_double + 0.5);
    if (n == 0) return {{a, 0}, 0};
    const Wide s = two_sum(std::fma(-n, k_part_1, a), -n * k_part_2);
    const Wide r = Wide{s.hi, s.lo} + Wide{-n * k_part_3, 0};
    if (std::abs(r.hi) > 0x1p-20) return {r, static_cast<int>(n) & 3};
  }
  return reduce_exactly(a);
}

/// sin(r), |r| <= 0.79.
EDDYLINE_HOST_DEVICE inline Wide sin_kernel(Wide r) {
  static constexpr auto c = inverse_factorials<8>(3, 2, -1);  // up to r^17 / 17!
  const double z = r.hi * r.hi;
  const double tail = std::fma(-r.hi * z, polynomial(c, z), r.lo * (1 - 0.5 * z));
  return fast_two_sum(r.hi, tail);
}

/// cos(r), |r| <= 0.79.
EDDYLINE_HOST_DEVICE inline Wide cos_kernel(Wide r) {
  static constexpr auto c = inverse_factorials<8>(4, 2, -1);  // up to r^18 / 18!
  const Wide z = two_product(r.hi, r.hi);
  const Wide head = fast_two_sum(1, -0.5 * z.hi);
  const double tail = std::fma(z.hi * z.hi, polynomial(c, z.hi), -0.5 * z.lo - r.hi * r.lo);
  return fast_two_sum(head.hi, head.lo + tail);
}

/// atan(y / x), 0 <= y <= x, x > 0. With c the multiple of 1/8 nearest to y / x:
///   atan(y / x) = atan(c) + atan(u), u = (y - c x) / (x + c y), |u| <= 1/16.
EDDYLINE_HOST_DEVICE inline Wide atan_ratio(Wide y, Wide x) {
  static constexpr std::array<Wide, 9> atan_of_eighths{{{0, 0},
                                                        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                                        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                                        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                                        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                                        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                                        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                                        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                                        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};
  static constexpr auto series = inverse_odds<8>(3, -1);  // up to u^17 / 17
  const double eighths = std::floor(y.hi / x.hi * 8 + 0.5);
  const double c = eighths * 0.125;
  const Wide u = (y + -(Wide{c, 0} * x)) / (x + Wide{c, 0} * y);
  const double z = u.hi * u.hi;
  const Wide atan_u = fast_two_sum(u.hi, std::fma(-u.hi * z, polynomial(series, z), u.lo));
  return atan_of_eighths[static_cast<std::size_t>(eighths)] + atan_u;
}

/// The angle of the point (x, y), x >= 0, y >= 0, not both 0 and of similar magnitude.
EDDYLINE_HOST_DEVICE inline Wide first_quadrant_angle(Wide y, Wide x) {
  if (y.hi <= x.hi) return atan_ratio(y, x);
  return wide_half_pi() + -atan_ratio(x, y);
}

/// sqrt(1 - x^2), |x| <= 1.
EDDYLINE_HOST_DEVICE inline Wide other_leg(double x) {
  const Wide square = two_product(x, x);
  return sqrt(Wide{1, 0} + -square);
}

/// sinh(x), |x| <= 1.
EDDYLINE_HOST_DEVICE inline Wide sinh_series(double x) {
  static constexpr auto c = inverse_factorials<9>(3, 2, 1);  // up to x^19 / 19!
  const double z = x * x;
  return fast_two_sum(x, x * z * polynomial(c, z));
}

/// cosh(x), |x| <= 1.
EDDYLINE_HOST_DEVICE inline Wide cosh_series(double x) {
  static constexpr auto c = inverse_factorials<9>(4, 2, 1);  // up to x^20 / 20!
  const Wide z = two_product(x, x);
  const Wide head = fast_two_sum(1, 0.5 * z.hi);
  return fast_two_sum(head.hi, head.lo + std::fma(z.hi * z.hi, polynomial(c, z.hi), 0.5 * z.lo));
}

/// exp(x), |x| <= 50, as a sum of two doubles.
EDDYLINE_HOST_DEVICE inline Wide exp_wide(double x) {
  const ExpParts e = exp_parts({x, 0});
  const double factor = power_of_two(e.k);
  return {e.m.hi * factor, e.m.lo * factor};
}

EDDYLINE_HOST_DEVICE inline bool is_odd_integer(double y) {
  const double half = 0.5 * y;
  return std::floor(y) == y && std::floor(half) != half;
}

/// x^n, 2 <= |n| <= 16, by repeated multiplication. Near the ends of the range the parts are not finite or not
/// accurate.
EDDYLINE_HOST_DEVICE inline Wide integer_power(double x, int n) {
  Wide result{1, 0}, square{x, 0};
  for (unsigned left = static_cast<unsigned>(n < 0 ? -n : n); left != 0; left >>= 1) {
    if ((left & 1u) != 0) result = result * square;
    if (left > 1) square = square * square;
  }
  return n < 0 ? Wide{1, 0} / result : result;
}

EDDYLINE_HOST_DEVICE inline double exp(double x) {
  if (!(x < 709.79)) return x != x ? x : k_infinity;
  if (x < -745.2) return 0;
  const ExpParts e = exp_parts({x, 0});
  return scale(e.m.hi, e.k);
}

EDDYLINE_HOST_DEVICE inline double log(double x) {
  if (!(x > 0)) return x == 0 ? -k_infinity : k_nan;
  if (x == k_infinity) return x;
  return log_wide(x).hi;
}

EDDYLINE_HOST_DEVICE inline double log10(double x) {
  if (!(x > 0)) return x == 0 ? -k_infinity : k_nan;
  if (x == k_infinity) return x;
  return (log_wide(x) * wide_inverse_ln10()).hi;
}

EDDYLINE_HOST_DEVICE inline double sin(double x) {
  const double a = std::abs(x);
  if (!(a < k_infinity)) return k_nan;
  if (a < 0x1p-27) return x;
  const QuarterTurns turns = reduce(a);
  double value = (turns.n & 1) != 0 ? cos_kernel(turns.r).hi : sin_kernel(turns.r).hi;
  if ((turns.n & 2) != 0) value = -value;
  return x < 0 ? -value : value;
}

EDDYLINE_HOST_DEVICE inline double cos(double x) {
  const double a = std::abs(x);
  if (!(a < k_infinity)) return k_nan;
  if (a < 0x1p-27) return 1;
  const QuarterTurns turns = reduce(a);
  const double value = (turns.n & 1) != 0 ? sin_kernel(turns.r).hi : cos_kernel(turns.r).hi;
  return turns.n == 1 || turns.n == 2 ? -value : value;
}

EDDYLINE_HOST_DEVICE inline double tan(double x) {
  const double a = std::abs(x);
  if (!(a < k_infinity)) return k_nan;
  if (a < 0x1p-27) return x;
  const QuarterTurns turns = reduce(a);
  const Wide s = sin_kernel(turns.r), c = cos_kernel(turns.r);
  const double value = ((turns.n & 1) != 0 ? -c / s : s / c).hi;
  return x < 0 ? -value : value;
}

EDDYLINE_HOST_DEVICE inline double asin(double x) {
  const double a = std::abs(x);
  if (!(a <= 1)) return k_nan;
  if (a < 0x1p-28) return x;
  return std::copysign(first_quadrant_angle({a, 0}, other_leg(a)).hi, x);
}

EDDYLINE_HOST_DEVICE inline double acos(double x) {
  const double a = std::abs(x);
  if (!(a <= 1)) return k_nan;
  const Wide angle = first_quadrant_angle(other_leg(a), {a, 0});
  return x < 0 ? (wide_pi() + -angle).hi : angle.hi;
}

EDDYLINE_HOST_DEVICE inline double atan2(double y, double x);

EDDYLINE_HOST_DEVICE inline double atan(double x) {
  const double a = std::abs(x);
  if (x != x || a < 0x1p-28) return x;
  return atan2(x, 1);
}

EDDYLINE_HOST_DEVICE inline double atan2(double y, double x) {
  if (x != x || y != y) return k_nan;
  double across = std::abs(x), up = std::abs(y);
  const bool left = std::signbit(x);
  if (up == 0) return left ? std::copysign(k_pi, y) : y;
  if (across == k_infinity && up == k_infinity) across = up = 1;
  Wide angle;
  if (across == k_infinity || up < across * 0x1p-60) {
    if (!left) return y / x;
    angle = {0, 0};
  } else if (up == k_infinity || across < up * 0x1p-60) {
    angle = wide_half_pi();
  } else {
    const double larger = across > up ? across : up;
    const double factor = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-500 ? 0x1p600 : 1;
    angle = first_quadrant_angle({up * factor, 0}, {across * factor, 0});
  }
  return std::copysign(left ? (wide_pi() + -angle).hi : angle.hi, y);
}

EDDYLINE_HOST_DEVICE inline double sinh(double x) {
  const double a = std::abs(x);
  if (x != x || a < 0x1p-28) return x;
  if (a < 1) return sinh_series(x).hi;
  if (a > 711) return std::copysign(k_infinity, x);
  double value = 0;
  if (a > 40) {
    const ExpParts e = exp_parts({a, 0});
    value = scale(e.m.hi, e.k - 1);
  } else {
    const Wide e = exp_wide(a);
    value = 0.5 * (e + -(Wide{1, 0} / e)).hi;
  }
  return std::copysign(value, x);
}

EDDYLINE_HOST_DEVICE inline double cosh(double x) {
  const double a = std::abs(x);
  if (x != x) return x;
  if (a < 1) return cosh_series(a).hi;
  if (a > 711) return k_infinity;
  if (a > 40) {
    const ExpParts e = exp_parts({a, 0});
    return scale(e.m.hi, e.k - 1);
  }
  const Wide e = exp_wide(a);
  return 0.5 * (e + Wide{1, 0} / e).hi;
}

EDDYLINE_HOST_DEVICE inline double tanh(double x) {
  const double a = std::abs(x);
  if (x != x || a < 0x1p-28) return x;
  if (a < 1) return (sinh_series(x) / cosh_series(x)).hi;
  if (a > 20) return std::copysign(1.0, x);
  const Wide q = Wide{2, 0} / (exp_wide(a + a) + Wide{1, 0});
  return std::copysign((Wide{1, 0} + -q).hi, x);
}

EDDYLINE_HOST_DEVICE inline double pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return k_nan;
  if (y == 1) return x;
  if (y == 2) return x * x;
  if (y == -1) return 1 / x;
  const double a = std::abs(x);
  const bool odd = is_odd_integer(y);
  if (std::abs(y) == k_infinity) return a == 1 ? 1 : (a > 1) == (y > 0) ? k_infinity : 0;
  if (a == 0 || a == k_infinity) {
    const double value = (a == 0) == (y > 0) ? 0 : k_infinity;
    return odd ? std::copysign(value, x) : value;
  }
  if (x < 0 && std::floor(y) != y) return k_nan;
  if (std::abs(y) <= 16 && std::floor(y) == y) {
    const double value = integer_power(x, static_cast<int>(y)).hi;
    if (std::abs(value) > 0x1p-900 && std::abs(value) < 0x1p900) return value;
  }
  const Wide log_a = log_wide(a);
  const double exponent = y * log_a.hi;
  double value = 0;
  if (exponent > 710) {
    value = k_infinity;
  } else if (exponent > -746) {
    const ExpParts e = exp_parts({exponent, std::fma(y, log_a.hi, -exponent) + y * log_a.lo});
    value = scale(e.m.hi, e.k);
  }
  return x < 0 && odd ? -value : value;
}

}  // namespace eddyline::portable::anywhere
