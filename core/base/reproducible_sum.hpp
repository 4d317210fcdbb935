#pragma once
// A sum of doubles that does not depend on the order of its terms.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace eddyline {

/// The exact sum of any number of doubles: any order, any grouping and any number of partial sums merged in any order
/// give the same bits. It allocates nothing and is trivially copyable, so that partial sums can be sent as bytes
/// between machines of equal byte order.
///
/// The sum is a fixed-point number of 2176 bits whose last bit is 2^-1074, the smallest double. It has 68 words; each
/// holds 32 bits and the carries not yet passed on (Kulisch's long accumulator). Adding a term changes three words.
class ReproducibleSum {
 public:
  void add(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto exponent = static_cast<std::uint32_t>(bits >> 52) & 0x7ffu;
    if (exponent == 0x7ff) {
      not_finite_ = true;
      return;
    }
    std::uint64_t mantissa = bits & 0x000fffffffffffffu;
    if (exponent != 0) mantissa |= 0x0010000000000000u;
    const std::uint32_t shift = exponent != 0 ? exponent - 1 : 0;  // |x| = mantissa 2^(shift - 1074)
    std::int64_t* word = words_.data() + shift / 32;
    const std::uint32_t offset = shift % 32;
    const std::uint64_t low = (mantissa & 0xffffffffu) << offset, high = (mantissa >> 32) << offset;
    const auto sign = static_cast<std::int64_t>(bits) >> 63;  // 0 or -1: (v ^ sign) - sign negates
    word[0] += (static_cast<std::int64_t>(low & 0xffffffffu) ^ sign) - sign;
    word[1] += (static_cast<std::int64_t>((low >> 32) + (high & 0xffffffffu)) ^ sign) - sign;
    word[2] += (static_cast<std::int64_t>(high >> 32) ^ sign) - sign;
    if (++additions_ == k_carry_after) pass_carries();
  }

  /// Adds the sum of `other`.
  void merge(const ReproducibleSum& other) {
    not_finite_ = not_finite_ || other.not_finite_;
    if (additions_ + other.additions_ >= k_carry_after) {
      pass_carries();
      ReproducibleSum carried = other;
      carried.pass_carries();
      add_words(carried);
    } else {
      add_words(other);
    }
  }

  /// The sum as integers that can be added element by element to those of up to 2^31 other sums; ranks combine sums
  /// this way.
  using Packed = std::array<std::int64_t, 69>;
  Packed pack() const {
    ReproducibleSum carried = *this;
    carried.pass_carries();
    Packed packed{};
    std::copy(carried.words_.begin(), carried.words_.end(), packed.begin());
    packed.back() = not_finite_ ? 1 : 0;
    return packed;
  }
  static ReproducibleSum unpack(const Packed& packed) {
    ReproducibleSum sum;
    std::copy(packed.begin(), packed.end() - 1, sum.words_.begin());
    sum.not_finite_ = packed.back() != 0;
    sum.pass_carries();
    return sum;
  }

  /// The exact sum, rounded once to the nearest double (ties to even). Returns an infinity if the sum is beyond the
  /// range of doubles, and NaN if any term was infinite or NaN. An empty sum, and a sum that cancels, is +0.
  double value() const {
    if (not_finite_) return std::numeric_limits<double>::quiet_NaN();
    ReproducibleSum magnitude = *this;
    magnitude.pass_carries();
    const bool negative = magnitude.words_[k_words - 1] < 0;
    if (negative) {
      for (std::int64_t& word : magnitude.words_) word = -word;
      magnitude.pass_carries();
    }
    const auto& w = magnitude.words_;
    std::size_t top = k_words;
    while (top > 0 && w[top - 1] == 0) --top;
    if (top == 0) return 0;
    --top;

    // `head` holds the 64 bits from the leading one downwards; of the lower bits only "not zero" matters.
    const auto word = [&](std::size_t i) {
      return i < k_words ? static_cast<std::uint64_t>(w[i]) : 0u;
    };  // wraps: i < 0
    const int leading = std::countl_zero(static_cast<std::uint32_t>(w[top]));
    std::uint64_t head = word(top) << 32 | word(top - 1);
    std::uint64_t rest = word(top - 2);
    if (leading != 0) {
      head = head << leading | rest >> (32 - leading);
      rest = rest << leading & 0xffffffffu;
    }
    for (std::size_t i = 0; i + 2 < top; ++i) rest |= word(i);

    const int lowest = 32 * static_cast<int>(top) - 32 - leading;  // head's last bit is 2^(lowest - 1074)
    const int dropped = lowest >= -11 ? 11 : -lowest;              // bits of head below the last bit of the result
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    const std::uint64_t cut = head & (2 * half - 1);
    std::uint64_t mantissa = head >> dropped;
    if (cut > half || (cut == half && (rest != 0 || (mantissa & 1u) != 0))) ++mantissa;
    const int shift = lowest + dropped;  // the result is mantissa 2^(shift - 1074)
    if (shift > 2045) return negative ? -k_infinity : k_infinity;
    // If the mantissa is normal, its leading bit adds the missing 1 to the exponent field; so does a carry.
    const std::uint64_t bits = (static_cast<std::uint64_t>(shift) << 52) + mantissa;
    return std::bit_cast<double>(bits | (negative ? std::uint64_t{1} << 63 : 0));
  }

 private:
  static constexpr std::size_t k_words = 68;
  static constexpr std::int64_t k_carry_after = std::int64_t{1} << 29;  // a term adds less than 2^33 to a word
  static constexpr double k_infinity = std::numeric_limits<double>::infinity();

  /// Brings every word but the last into 0 .. 2^32 - 1; the last word keeps the sign.
  void pass_carries() {
    std::int64_t carry = 0;
    for (std::size_t i = 0; i + 1 < k_words; ++i) {
      const std::int64_t sum = words_[i] + carry;
      words_[i] = sum & 0xffffffff;
      carry = sum >> 32;
    }
    words_[k_words - 1] += carry;
    additions_ = 1;
  }

  void add_words(const ReproducibleSum& other) {
    for (std::size_t i = 0; i < k_words; ++i) words_[i] += other.words_[i];
    additions_ += other.additions_;
  }

  std::array<std::int64_t, k_words> words_{};
  std::int64_t additions_ = 0;
  bool not_finite_ = false;
};

}  // namespace eddyline
