#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/portable_math.hpp"
#include "base/random.hpp"
#include "harness.hpp"

using namespace eddyline;

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

/// Distance from the exact value in units in the last place of that value.
double ulps(double found, long double exact) {
  int exponent = 0;
  std::frexp(static_cast<double>(exact), &exponent);
  const int last_place = std::max(exponent - 53, -1074);
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / std::ldexp(1.0L, last_place));
}

/// The larger value; a NaN stays.
double larger(double a, double b) { return b <= a ? a : b; }

/// The largest error over arguments distributed evenly, or evenly by logarithm, between two bounds. The reference is
/// the C library's long double functions; where long double is double, there is nothing to compare with.
template <class Function, class Reference>
double worst_error(Function function, Reference reference, double low, double high, bool logarithmic = false) {
  double worst = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double f = uniform_random(1, 2, i);
    const double x = logarithmic ? std::exp((1 - f) * std::log(low) + f * std::log(high)) : low + f * (high - low);
    worst = larger(worst, ulps(function(x), reference(static_cast<long double>(x))));
  }
  return std::numeric_limits<long double>::digits > 60 ? worst : 0;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace

#define CHECK_ACCURACY(name, low, high, logarithmic)                                                                  \
  CHECK_NEAR(worst_error([](double x) { return portable::name(x); }, [](long double x) { return std::name(x); }, low, \
                         high, logarithmic),                                                                          \
             0, 0.9)

TEST(within_an_ulp) {
  CHECK_ACCURACY(exp, -1.0, 1.0, false);
  CHECK_ACCURACY(exp, -745.0, 709.7, false);
  CHECK_ACCURACY(log, 0.5, 2.0, false);
  CHECK_ACCURACY(log, 1e-308, 1e308, true);
  CHECK_ACCURACY(log10, 0.5, 2.0, false);
  CHECK_ACCURACY(log10, 1e-308, 1e308, true);
  CHECK_ACCURACY(sin, -10.0, 10.0, false);
  CHECK_ACCURACY(sin, 1e-9, 1e6, true);
  CHECK_ACCURACY(cos, -10.0, 10.0, false);
  CHECK_ACCURACY(cos, 1e-9, 1e6, true);
  CHECK_ACCURACY(tan, -10.0, 10.0, false);
  CHECK_ACCURACY(tan, 1e-9, 1e6, true);
  CHECK_ACCURACY(sin, 1e6, 1e300, true);
  CHECK_ACCURACY(cos, 1e6, 1e300, true);
  CHECK_ACCURACY(asin, -1.0, 1.0, false);
  CHECK_ACCURACY(acos, -1.0, 1.0, false);
  CHECK_ACCURACY(acos, 0.999, 1.0, false);
  CHECK_ACCURACY(atan, -3.0, 3.0, false);
  CHECK_ACCURACY(atan, 1e-18, 1e18, true);
  CHECK_ACCURACY(sinh, -3.0, 3.0, false);
  CHECK_ACCURACY(sinh, 1e-9, 710.4, true);
  CHECK_ACCURACY(cosh, -3.0, 3.0, false);
  CHECK_ACCURACY(cosh, 1.0, 710.4, false);
  CHECK_ACCURACY(tanh, -3.0, 3.0, false);
  CHECK_ACCURACY(tanh, 1e-9, 30.0, true);
}

TEST(functions_of_two_arguments) {
  if (std::numeric_limits<long double>::digits <= 60) return;
  double worst_pow = 0, worst_atan2 = 0;
  for (std::uint64_t i = 0; i < 50000; ++i) {
    const double u = 2 * uniform_random(3, 0, i) - 1, v = 2 * uniform_random(3, 1, i) - 1;
    const double x = std::exp(3 * u), y = 40 * v;
    worst_pow = larger(worst_pow, ulps(portable::pow(x, y), std::pow(static_cast<long double>(x), y)));
    worst_atan2 = larger(worst_atan2, ulps(portable::atan2(u, v), std::atan2(static_cast<long double>(u), v)));
  }
  CHECK_NEAR(worst_pow, 0, 1);
  CHECK_NEAR(worst_atan2, 0, 0.6);
}

TEST(integer_powers_are_exact) {
  CHECK(portable::pow(0.1, 2) == 0.1 * 0.1);
  CHECK(portable::pow(3, 33) == 5559060566555523.0);
  CHECK(portable::pow(-5, 21) == -476837158203125.0);
  CHECK(portable::pow(10, 22) == 1e22);
  CHECK(portable::pow(2, -1074) == 0x1p-1074);
  CHECK(portable::pow(-2, 1023) == -0x1p1023);
  CHECK(portable::pow(0.5, -3) == 8);
  CHECK(portable::log10(1e15) == 15);
  CHECK(portable::log10(1e-7) == -7);
}

TEST(special_values) {
  CHECK(portable::exp(-k_infinity) == 0);
  CHECK(portable::exp(k_infinity) == k_infinity);
  CHECK(portable::exp(710) == k_infinity);
  CHECK(portable::exp(-746) == 0);
  CHECK(portable::exp(-745) == 0x1p-1074);
  CHECK(std::isnan(portable::exp(k_nan)));
  CHECK(portable::log(0) == -k_infinity);
  CHECK(portable::log(k_infinity) == k_infinity);
  CHECK(portable::log(1) == 0);
  CHECK(std::isnan(portable::log(-1)));
  CHECK(std::isnan(portable::log(k_nan)));
  CHECK(std::isnan(portable::log10(-k_infinity)));
  CHECK(std::isnan(portable::sin(k_infinity)));
  CHECK(std::isnan(portable::cos(-k_infinity)));
  CHECK(std::isnan(portable::tan(k_nan)));
  CHECK(std::signbit(portable::sin(-0.0)));
  CHECK(portable::cos(0) == 1);
  CHECK(std::isnan(portable::asin(1.0000001)));
  CHECK(std::isnan(portable::acos(-1.0000001)));
  CHECK(portable::acos(1) == 0);
  CHECK(portable::acos(-1) == portable::k_pi);
  CHECK(portable::asin(-1) == -portable::k_pi / 2);
  CHECK(portable::atan(-k_infinity) == -portable::k_pi / 2);
  CHECK(portable::atan2(0.0, -1) == portable::k_pi);
  CHECK(portable::atan2(-0.0, -1) == -portable::k_pi);
  CHECK(std::signbit(portable::atan2(-0.0, 1)));
  CHECK(portable::atan2(-3, 0) == -portable::k_pi / 2);
  CHECK(portable::atan2(k_infinity, k_infinity) == portable::k_pi / 4);
  CHECK(portable::atan2(1e-300, 1e300) == 0);
  CHECK(portable::atan2(1e300, -1e-300) == portable::k_pi / 2);
  CHECK(std::isnan(portable::atan2(k_nan, 0)));
  CHECK(portable::sinh(-800) == -k_infinity);
  CHECK(portable::cosh(-800) == k_infinity);
  CHECK(portable::tanh(-800) == -1);
  CHECK(std::signbit(portable::tanh(-0.0)));
}

TEST(special_values_of_pow) {
  CHECK(portable::pow(k_nan, 0) == 1);
  CHECK(portable::pow(1, k_nan) == 1);
  CHECK(std::isnan(portable::pow(-2, 0.5)));
  CHECK(std::isnan(portable::pow(2, k_nan)));
  CHECK(portable::pow(0, -1) == k_infinity);
  CHECK(portable::pow(-0.0, -3) == -k_infinity);
  CHECK(std::signbit(portable::pow(-0.0, 3)));
  CHECK(portable::pow(-k_infinity, 3) == -k_infinity);
  CHECK(portable::pow(-k_infinity, -2) == 0);
  CHECK(portable::pow(0.5, k_infinity) == 0);
  CHECK(portable::pow(0.5, -k_infinity) == k_infinity);
  CHECK(portable::pow(-1, k_infinity) == 1);
  CHECK(portable::pow(10, 400) == k_infinity);
  CHECK(portable::pow(-10, 401) == -k_infinity);
  CHECK(portable::pow(10, -400) == 0);
  CHECK(portable::pow(1e-200, 2) == 0);
}

TEST(argument_reduction_is_exact) {
  // The double nearest to a multiple of pi/2 (Muller, "Elementary Functions", section 11.3): 6381956970095103 * 2^797
  // is 4.7e-19 away from one.
  const double worst = 6381956970095103.0 * 0x1p797;
  CHECK_NEAR(portable::cos(worst) * 1e19, -4.6871659242546277, 1e-14);
  CHECK(portable::sin(worst) == 1);
  // sin^2 + cos^2 = 1, at any size.
  for (int e = -20; e < 1023; ++e) {
    const double x = std::ldexp(1.7, e), s = portable::sin(x), c = portable::cos(x);
    CHECK_NEAR(s * s + c * c, 1, 4e-16);
  }
}

TEST(the_same_bits_everywhere) {
  const struct {
    double value;
    std::uint64_t bits;
  } golden[] = {
      {portable::exp(1.0), 0x4005bf0a8b145769},        {portable::exp(-700.25), 0x00caf5fe9a485c8e},
      {portable::exp(0.1), 0x3ff1aec7b35a00d4},        {portable::log(0.3), 0xbff34378fcbda721},
      {portable::log(1e100), 0x406cc845b54b54f2},      {portable::log10(2.0), 0x3fd34413509f79ff},
      {portable::sin(1.0), 0x3feaed548f090cee},        {portable::sin(1e5), 0x3fa24daa9c527e96},
      {portable::sin(1e22), 0xbfeb453ab76bf397},       {portable::cos(2.5), 0xbfe9a2f7ef858b7d},
      {portable::cos(-1e300), 0xbfe2699022adc4c1},     {portable::tan(1.5), 0x402c33ed50b88777},
      {portable::asin(0.7), 0x3fe8d00e692afd95},       {portable::acos(-0.2), 0x3ffc5abe698d8960},
      {portable::atan(3.0), 0x3ff3fc176b7a8560},       {portable::atan2(-1.0, -2.0), 0xc0056c6e7397f5ae},
      {portable::sinh(2.0), 0x400d03cf63b6e19f},       {portable::cosh(0.3), 0x3ff0b9b4e0b6ec4c},
      {portable::tanh(0.9), 0x3fe6ebe982d6605d},       {portable::pow(2.0, 0.5), 0x3ff6a09e667f3bcd},
      {portable::pow(1.1, 100.5), 0x40cc3a9d34309b70}, {portable::pow(-1.7, 7.0), 0xc0448455c380f3af},
  };
  for (const auto& g : golden) CHECK(bits(g.value) == g.bits);
}
