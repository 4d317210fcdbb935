#include <array>
#include <cmath>
#include <cstdint>

#include "base/random.hpp"
#include "harness.hpp"

using namespace eddyline;

using Four = std::array<std::uint32_t, 4>;

TEST(published_vectors) {
  // Known answers from the authors' library, Random123.
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) == (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(uniform) {
  constexpr int n = 100000;
  double sum = 0, squares = 0, product = 0, before = 0.5, lowest = 1, highest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double x = uniform_random(7, i, 0);
    sum += x;
    squares += x * x;
    product += (x - 0.5) * (before - 0.5);
    before = x;
    lowest = std::fmin(lowest, x);
    highest = std::fmax(highest, x);
  }
  // Bounds: five standard deviations.
  CHECK_NEAR(sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  CHECK_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n));
  CHECK_NEAR(product / n, 0, 5 / 12.0 / std::sqrt(n));
  CHECK(lowest >= 0 && lowest < 1e-3);
  CHECK(highest < 1 && highest > 1 - 1e-3);
}

TEST(each_argument_matters) {
  const double x = uniform_random(1, 2, 3);
  CHECK(x == uniform_random(1, 2, 3));
  CHECK(x != uniform_random(2, 2, 3));
  CHECK(x != uniform_random(1, 3, 3));
  CHECK(x != uniform_random(1, 2, 4));
  CHECK(x != uniform_random(1, 3, 2));
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  CHECK(x != uniform_random(1 + high, 2, 3));
  CHECK(x != uniform_random(1, 2 + high, 3));
  CHECK(x != uniform_random(1, 2, 3 + high));
}
