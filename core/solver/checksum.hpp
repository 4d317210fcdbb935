#pragma once

#include <bit>
#include <cstdint>

namespace eddyline::solver {

/// Mixes the bits of a word: the last operations of the generator SplitMix64.
constexpr std::uint64_t mix(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9u;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBu;
  return h ^ (h >> 31);
}

/// Two 64-bit sums of hashes of the members of a state, each of its key and its values. They are the same for any order
/// of members and any distribution over ranks.
struct Checksum {
  std::uint64_t low = 0, high = 0;
  bool operator==(const Checksum&) const = default;
};

/// Hash of one member.
class MemberHash {
 public:
  explicit MemberHash(std::int64_t key) : hash_(mix(static_cast<std::uint64_t>(key) + k_golden)) {}
  void add(double value) { hash_ = mix(hash_ ^ std::bit_cast<std::uint64_t>(value)) + k_golden; }
  void add_to(Checksum& sum) const {
    sum.low += mix(hash_);
    sum.high += mix(hash_ ^ 0xD6E8FEB86659FD93u);
  }

 private:
  static constexpr std::uint64_t k_golden = 0x9E3779B97F4A7C15u;
  std::uint64_t hash_;
};

}  // namespace eddyline::solver
