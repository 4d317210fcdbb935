#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/random.hpp"
#include "base/reproducible_sum.hpp"
#include "harness.hpp"

using namespace eddyline;

namespace {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

double sum(const std::vector<double>& terms) {
  ReproducibleSum s;
  for (const double x : terms) s.add(x);
  return s.value();
}

/// Terms of both signs whose magnitudes span the whole range of doubles.
std::vector<double> wild_terms(int n, std::uint64_t seed) {
  std::vector<double> terms;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    const double mantissa = uniform_random(seed, i, 0) - 0.5;
    terms.push_back(std::ldexp(mantissa, static_cast<int>(uniform_random(seed, i, 1) * 2000) - 1050));
  }
  return terms;
}

void shuffle(std::vector<double>& terms, std::uint64_t seed) {
  for (std::size_t i = terms.size(); i > 1; --i)
    std::swap(terms[i - 1], terms[static_cast<std::size_t>(uniform_random(seed, i, 2) * static_cast<double>(i))]);
}

}  // namespace

TEST(any_order_gives_the_same_bits) {
  std::vector<double> terms = wild_terms(3000, 1);
  const double expected = sum(terms);
  for (std::uint64_t round = 0; round < 20; ++round) {
    shuffle(terms, round);
    CHECK(bits(sum(terms)) == bits(expected));
  }
}

TEST(any_grouping_gives_the_same_bits) {
  const std::vector<double> terms = wild_terms(1000, 2);
  const double expected = sum(terms);
  for (const std::size_t groups : {2u, 3u, 7u, 1000u}) {
    std::vector<ReproducibleSum> partial(groups);
    for (std::size_t i = 0; i < terms.size(); ++i) partial[i * 7919 % groups].add(terms[i]);
    ReproducibleSum whole;
    for (std::size_t g = groups; g-- > 0;) whole.merge(partial[g]);
    CHECK(bits(whole.value()) == bits(expected));
  }
}

TEST(cancellation_is_exact) {
  CHECK(sum({1e300, 1.0, -1e300}) == 1.0);
  CHECK(sum({1e308, 1e308, -1e308, -1e308, 5e-324}) == 5e-324);
  std::vector<double> terms = wild_terms(2000, 3);
  for (std::size_t i = 0; i < 2000; ++i) terms.push_back(-terms[i]);
  terms.push_back(0.1);
  shuffle(terms, 4);
  CHECK(sum(terms) == 0.1);
  terms.push_back(-0.1);
  CHECK(bits(sum(terms)) == bits(0.0));
}

TEST(one_rounding_to_nearest_even) {
  CHECK(sum({1.0, 0x1p-53}) == 1.0);
  CHECK(sum({1.0, 0x1p-53, 0x1p-1074}) == 1.0 + 0x1p-52);
  CHECK(sum({1.0 + 0x1p-52, 0x1p-53}) == 1.0 + 0x1p-51);
  CHECK(sum({-1.0, -0x1p-53, -0x1p-300}) == -1.0 - 0x1p-52);
  CHECK(sum({0x1.fffffffffffffp0, 0x1p-53}) == 2.0);
  // Two terms: IEEE addition rounds the same exact sum.
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const double a = std::ldexp(uniform_random(5, i, 0) - 0.5, static_cast<int>(uniform_random(5, i, 1) * 120) - 60);
    const double b = std::ldexp(uniform_random(5, i, 2) - 0.5, static_cast<int>(uniform_random(5, i, 3) * 120) - 60);
    CHECK(bits(sum({a, b})) == bits(a + b));
  }
}

TEST(the_sum_of_one_term_is_that_term) {
  for (const double x : wild_terms(5000, 6)) CHECK(bits(sum({x})) == bits(x));
  for (const double x : {5e-324, -5e-324, 0x1p-1022, 0x1.fffffffffffffp-1023, std::numeric_limits<double>::max(),
                         -std::numeric_limits<double>::max()})
    CHECK(bits(sum({x})) == bits(x));
  CHECK(bits(sum({-0.0})) == bits(0.0));
  CHECK(bits(sum({})) == bits(0.0));
}

TEST(subnormal_results) {
  CHECK(sum({0x1p-1022, -0x1p-1074}) == 0x1.ffffffffffffep-1023);
  CHECK(sum({0x1p-1074, 0x1p-1074, 0x1p-1074}) == 3 * 0x1p-1074);
}

TEST(overflow_and_values_that_are_not_finite) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(sum({largest, largest}) == infinity);
  CHECK(sum({-largest, -largest}) == -infinity);
  CHECK(sum({largest, 0x1p969}) == largest);   // below half of its last place
  CHECK(sum({largest, 0x1p970}) == infinity);  // a tie, rounded up to 2^1024
  CHECK(sum({largest, largest, -largest}) == largest);
  CHECK(std::isnan(sum({1.0, infinity})));
  CHECK(std::isnan(sum({std::numeric_limits<double>::quiet_NaN()})));
  ReproducibleSum bad, good;
  bad.add(infinity);
  good.add(1);
  good.merge(bad);
  CHECK(std::isnan(good.value()));
}

TEST(many_merges_of_itself) {
  // Doubling 60 times stands for 2^60 additions: carries must be passed on in time.
  for (const double x : {0x1.fffffffffffffp0, -0x1.fffffffffffffp0, 0x1.fffffffffffffp-1000}) {
    ReproducibleSum s;
    s.add(x);
    for (int i = 0; i < 60; ++i) {
      const ReproducibleSum copy = s;
      s.merge(copy);
    }
    CHECK(s.value() == std::ldexp(x, 60));
  }
}

TEST(partial_sums_can_be_sent_as_bytes) {
  CHECK(std::is_trivially_copyable_v<ReproducibleSum>);
  CHECK(sizeof(ReproducibleSum) <= 600);
}
