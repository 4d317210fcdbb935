// Exact dot products: the same bits for any order, cut, thread count and instruction set.
#include <omp.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "base/instructions.hpp"
#include "base/random.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/single_process.hpp"
#include "harness.hpp"
#include "linear/dots.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using linear::Dots;
using linear::DotTerm;

namespace {

constexpr double k_infinity = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// Numbers of both signs whose sizes span so many powers of two.
std::vector<double> numbers(std::size_t count, std::uint64_t seed, int powers, int middle = 0) {
  std::vector<double> found;
  for (std::uint64_t i = 0; i < count; ++i)
    found.push_back(std::ldexp(uniform_random(seed, i, 0) - 0.5,
                               middle + static_cast<int>((uniform_random(seed, i, 1) - 0.5) * powers)));
  return found;
}

double one_by_one(const std::vector<double>& a, const std::vector<double>& b) {
  ReproducibleSum sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.add(a[i] * b[i]);
  return sum.value();
}

double dot(Dots& dots, const std::vector<double>& a, const std::vector<double>& b) {
  const DotTerm terms[] = {{a.data(), b.data()}};
  return dots.of(terms, a.size())[0];
}

void check_with_every_instruction_set(const std::vector<double>& a, const std::vector<double>& b) {
  const auto alone = comm::single_process();
  const double expected = one_by_one(a, b);
  for (const auto& instructions : instruction_sets()) {
    Dots dots(*alone, instructions);
    const double found = dot(dots, a, b);
    CHECK(bits(found) == bits(expected) || (std::isnan(found) && std::isnan(expected)));
  }
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  check_with_every_instruction_set(a, b);
  return one_by_one(a, b);
}

}  // namespace

TEST(dots_are_the_exact_sums_of_products) {
  for (const int powers : {1, 40, 200, 900})
    for (const std::size_t count : {0u, 1u, 3u, 31u, 256u, 257u, 2000u}) {
      const auto a = numbers(count, 10 + count, powers), b = numbers(count, 20 + count, powers);
      check_with_every_instruction_set(a, b);
    }
}

TEST(the_order_of_the_terms_does_not_matter) {
  auto a = numbers(3000, 1, 100), b = numbers(3000, 2, 100);
  const auto alone = comm::single_process();
  Dots dots(*alone);
  const double expected = dot(dots, a, b);
  for (std::size_t i = a.size() - 1; i > 0; --i) {
    const auto other = static_cast<std::size_t>(uniform_random(3, i, 0) * static_cast<double>(i));
    std::swap(a[i], a[other]), std::swap(b[i], b[other]);
  }
  CHECK(bits(dot(dots, a, b)) == bits(expected));
}

TEST(ranks_and_threads_give_the_same_dots) {
  constexpr std::size_t k_count = 20'000;  // more than one thread's share
  const auto a = numbers(k_count, 3, 60), b = numbers(k_count, 4, 60);
  const double expected[] = {one_by_one(a, b), one_by_one(b, b), one_by_one(a, std::vector<double>(k_count, 1.0))};
  for (const int ranks : {1, 2, 3, 4})
    for (const int threads : {1, 2, 3})
      fixture::on_ranks(ranks, [&](comm::Communicator& c) {
        omp_set_num_threads(threads);
        const auto part = [&](int rank) {  // unequal; the last of four has nothing
          return rank == c.size() ? k_count : k_count * static_cast<std::size_t>(rank * rank) / 9 % (k_count + 1);
        };
        const std::size_t first = std::min(part(c.rank()), k_count), last = part(c.rank() + 1);
        const DotTerm terms[] = {
            {a.data() + first, b.data() + first}, {b.data() + first, b.data() + first}, {a.data() + first}};
        Dots dots(c);
        for (int repeat = 0; repeat < 2; ++repeat) {
          const auto found = dots.of(terms, last - first);
          for (std::size_t k = 0; k < 3; ++k) CHECK(bits(found[k]) == bits(expected[k]));
        }
      });
}

TEST(terms_that_cancel_lose_nothing) {
  CHECK(dot_of({1e300, 1.0, -1e300}, {1.0, 1.0, 1.0}) == 1.0);
  CHECK(dot_of({0x1p500, 3.0, -0x1p500, 0x1p-500}, {0x1p500, 1.0, 0x1p500, 1.0}) == 3.0);
  CHECK(bits(dot_of({1e10, -1e10}, {0.1, 0.1})) == 0);
}

TEST(zeros_give_zero) {
  CHECK(bits(dot_of({}, {})) == 0);
  CHECK(bits(dot_of({-0.0, 0.0, 1.0}, {1.0, -2.0, -0.0})) == 0);
  check_with_every_instruction_set(std::vector<double>(1000, -0.0), std::vector<double>(1000, 2.0));
}

TEST(subnormal_numbers_count) {
  const double least = std::numeric_limits<double>::denorm_min();
  CHECK(dot_of({least, least}, {1.0, 2.0}) == 3 * least);
  CHECK(dot_of(std::vector<double>(1000, 0x1p-540), std::vector<double>(1000, 0x1p-534)) == 1000 * least);
  CHECK(dot_of({0x1p-540}, {0x1p-535}) == 0);  // half of the least: rounded to even
  CHECK(dot_of({1.0, least}, {1.0, 1.0}) == 1.0);
  check_with_every_instruction_set(numbers(600, 5, 60, -500), numbers(600, 6, 60, -500));
}

TEST(values_too_large_or_not_finite_are_detected) {
  for (const double bad : {k_infinity, -k_infinity, k_nan}) {
    auto a = numbers(600, 7, 10);
    const auto b = numbers(600, 8, 10);
    a[300] = bad;
    CHECK(std::isnan(dot_of(a, b)));
    CHECK(std::isnan(dot_of({bad}, {0.0})));
    CHECK(std::isnan(dot_of(std::vector<double>(300, bad), std::vector<double>(300, bad))));
  }
  CHECK(std::isnan(dot_of({1e200, 1.0}, {1e200, 1.0})));    // a product overflows
  CHECK(dot_of({1e308, 1e308}, {1.0, 1.0}) == k_infinity);  // the sum does
  CHECK(dot_of({-1e308, -1e308}, {1.0, 1.0}) == -k_infinity);
  CHECK(dot_of({1e308, 1e308, -1e308}, {1.0, 1.0, 1.0}) == 1e308);
}

TEST(one_rank_with_a_bad_number_makes_the_dot_nan_everywhere) {
  fixture::on_ranks(3, [](comm::Communicator& c) {
    const double own[] = {c.rank() == 1 ? k_infinity : 1.0};
    const DotTerm terms[] = {{own}};
    Dots dots(c);
    CHECK(std::isnan(dots.of(terms, 1)[0]));
  });
}

TEST(dots_travel_while_the_rank_computes) {
  fixture::on_ranks(2, [](comm::Communicator& c) {
    double own[] = {1.0 + c.rank(), 2.0};
    const DotTerm terms[] = {{own, own}, {own}};
    Dots dots(c);
    dots.begin(terms, 2);
    own[0] = 100;
    const auto found = dots.end();
    CHECK(found.size() == 2 && found[0] == 1 + 4 + 4 + 4 && found[1] == 7);
  });
}

TEST(more_dots_than_one_reduction_carries_are_refused) {
  const auto alone = comm::single_process();
  Dots dots(*alone);
  const std::vector<DotTerm> terms(Dots::k_most + 1);
  CHECK_THROWS(dots.of(terms, 0), "8 dot products at most, not 9");
  CHECK_THROWS(Dots(*alone, "mmx"), "this machine supports");
}
