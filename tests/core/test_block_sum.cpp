#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/block_sum.hpp"
#include "base/random.hpp"
#include "harness.hpp"

using namespace eddyline;

namespace {

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// Numbers of both signs whose sizes span so many powers of two.
std::vector<double> numbers(std::size_t count, std::uint64_t seed, int powers, int middle = 0) {
  std::vector<double> found;
  for (std::uint64_t i = 0; i < count; ++i)
    found.push_back(std::ldexp(uniform_random(seed, i, 0) - 0.5,
                               middle + static_cast<int>((uniform_random(seed, i, 1) - 0.5) * powers)));
  return found;
}

void check_same_as_one_by_one(const std::vector<double>& terms) {
  ReproducibleSum one_by_one, in_blocks;
  for (const double x : terms) one_by_one.add(x);
  BlockSum::Numbers block;
  block.fill(std::numeric_limits<double>::quiet_NaN());  // what comes after the last must not matter
  for (std::size_t first = 0; first < terms.size(); first += BlockSum::k_most) {
    const std::size_t count = std::min(BlockSum::k_most, terms.size() - first);
    std::copy_n(terms.begin() + static_cast<std::ptrdiff_t>(first), count, block.begin());
    BlockSum::add(in_blocks, block, count);
  }
  const auto expected = one_by_one.pack(), found = in_blocks.pack();
  CHECK(expected == found || (std::isnan(one_by_one.value()) && std::isnan(in_blocks.value())));
  CHECK(bits(one_by_one.value()) == bits(in_blocks.value()));
}

}  // namespace

TEST(blocks_add_up_exactly) {
  for (const int powers : {1, 10, 60, 120, 400, 1900})
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{3}, std::size_t{256}, std::size_t{257}, std::size_t{1000}})
      check_same_as_one_by_one(numbers(count, static_cast<std::uint64_t>(powers) + count, powers));
}

TEST(blocks_of_the_smallest_and_the_largest_numbers_add_up_exactly) {
  for (const int middle : {-1060, -1000, -950, -890, 950, 995, 1010})
    check_same_as_one_by_one(numbers(600, static_cast<std::uint64_t>(2000 + middle), 20, middle));
}

TEST(a_block_of_equal_largest_numbers_has_room) {
  for (const double x : {1.0, std::nextafter(2.0, 0.0), -std::nextafter(0x1p900, 0.0), std::nextafter(0x1p-880, 0.0)})
    check_same_as_one_by_one(std::vector<double>(BlockSum::k_most, x));
}

TEST(blocks_of_numbers_that_are_all_the_same_add_up_exactly) {
  for (const double x : {0.1, -1e-3, 1 / 3.0, 1e300, std::numeric_limits<double>::denorm_min(), 1e-280})
    for (const std::size_t count : {std::size_t{1}, std::size_t{3}, std::size_t{255}, std::size_t{600}})
      check_same_as_one_by_one(std::vector<double>(count, x));
}

TEST(blocks_of_zeros_and_of_no_numbers) {
  check_same_as_one_by_one(std::vector<double>(300, 0.0));
  check_same_as_one_by_one(std::vector<double>(5, -0.0));
  check_same_as_one_by_one({0.0, -0.0, 0.0, 0.0, -0.0});
  check_same_as_one_by_one({});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> terms = numbers(300, 7, 10);
    terms[100] = bad;
    check_same_as_one_by_one(terms);
    check_same_as_one_by_one(std::vector<double>(300, bad));
    std::vector<double> zeros(300, 0.0);
    zeros[100] = bad;
    check_same_as_one_by_one(zeros);
  }
}
