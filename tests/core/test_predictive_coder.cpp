#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "exchange/sites/predictive_coder.hpp"
#include "harness.hpp"

using namespace eddyline;
using exchange::PredictiveCoder;

namespace {

using Bytes = std::vector<std::byte>;

/// Encodes a message on one side, decodes it on the other, checks that it is unchanged, and returns the encoded size.
std::size_t travels(PredictiveCoder& here, PredictiveCoder& there, const Bytes& message) {
  Bytes coded(PredictiveCoder::max_encoded_size(message.size()), std::byte{0xAB}),
      received(message.size() + 3, std::byte{0xCD});
  const std::size_t bytes = here.encode(message, coded);
  CHECK(bytes <= coded.size());
  std::fill(coded.begin() + static_cast<std::ptrdiff_t>(bytes), coded.end(),
            std::byte{0x55});  // an older, longer message
  CHECK(there.decode(coded, received) == message.size());
  CHECK(std::equal(message.begin(), message.end(), received.begin()));
  CHECK(received[message.size()] == std::byte{0xCD});
  return bytes;
}

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace

TEST(numbers_that_change_linearly_take_few_bits) {
  PredictiveCoder here, there;
  constexpr std::size_t k_values = 1000;
  std::vector<std::size_t> sizes;
  for (int n = 0; n < 12; ++n) {
    std::vector<float> values(k_values);
    for (std::size_t k = 0; k < k_values; ++k)
      values[k] = static_cast<float>(std::sin(0.37 * static_cast<double>(k) + 1e-3 * n) + 1.5);
    sizes.push_back(travels(here, there, bytes_of(values)));
  }
  CHECK(sizes[0] == PredictiveCoder::max_encoded_size(4 * k_values));  // no history yet
  CHECK(sizes[1] < 3 * k_values);
  CHECK(sizes[11] < k_values);  // eight of 32 bits
}

TEST(constant_numbers_take_one_bit) {
  PredictiveCoder here, there;
  const Bytes message = bytes_of(std::vector<float>(800, 0.1F));
  travels(here, there, message);
  travels(here, there, message);
  travels(here, there, message);
  CHECK(travels(here, there, message) <= PredictiveCoder::max_encoded_size(100));
}

TEST(noise_costs_at_most_a_header) {
  PredictiveCoder here, there;
  for (std::uint64_t n = 0; n < 6; ++n) {
    Bytes message(1003);
    for (std::size_t k = 0; k < message.size(); ++k)
      message[k] = static_cast<std::byte>(256 * uniform_random(7, n, static_cast<std::uint64_t>(k)));
    CHECK(travels(here, there, message) == PredictiveCoder::max_encoded_size(message.size()));
  }
}

TEST(any_bits_are_decoded_unchanged) {
  const float special[] = {0.0F,
                           -0.0F,
                           1e-45F,
                           std::numeric_limits<float>::infinity(),
                           -3.0F,
                           std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::max(),
                           1.0F};
  PredictiveCoder here, there;
  for (std::uint64_t n = 0; n < 200; ++n) {
    // Varying lengths, more than the coder remembers; some words change wildly, most change little.
    const auto length = static_cast<std::size_t>(50 + 40 * (n % (n < 100 ? 3 : 11)));
    std::vector<float> values(length);
    for (std::size_t k = 0; k < length; ++k) {
      const double draw = uniform_random(1, n, static_cast<std::uint64_t>(k));
      values[k] = draw < 0.1 ? special[static_cast<std::size_t>(80 * draw)] : static_cast<float>(k + 1e-4 * draw);
    }
    Bytes message = bytes_of(values);
    message.resize(message.size() - n % 4);  // not a multiple of a word
    travels(here, there, message);
    if (n % 17 == 16) here.reset(), there.reset();
  }
  travels(here, there, {});
}
