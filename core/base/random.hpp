#pragma once
// Counter-based random numbers, which need no state.

#include <array>
#include <cstdint>

namespace eddyline {

/// Philox 4x32-10: ten rounds of a keyed bijection turn a 128-bit counter and a 64-bit key into 128 random bits.
/// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3 and table 2.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// A uniform random number in [0, 1), a multiple of 2^-53. It depends only on its three arguments, so a particle gets
/// the same numbers wherever and whenever they are computed. `id`: the particle; `counter`: distinguishes the numbers
/// of a particle (axis, step, purpose).
constexpr double uniform_random(std::uint64_t seed, std::uint64_t id, std::uint64_t counter) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const auto r = philox({low(counter), high(counter), low(id), high(id)}, {low(seed), high(seed)});
  return static_cast<double>((std::uint64_t{r[1]} << 32 | r[0]) >> 11) * 0x1p-53;
}

}  // namespace eddyline
