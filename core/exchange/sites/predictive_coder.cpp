#include "exchange/sites/predictive_coder.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace eddyline::exchange {

namespace {

constexpr std::size_t k_histories = 8;      // message lengths whose history is kept; a halo uses two or three at a time
constexpr int k_word_bits = 32;             // bits per word
constexpr int k_length_bits = 6;            // bits of a width written explicitly
constexpr std::uint8_t k_first_width = 16;  // width before any difference is known

/// Zigzag encoding: maps small differences of either sign to small unsigned numbers.
std::uint32_t zigzag_encode(std::uint32_t difference) {
  return (difference << 1) ^ (difference >> 31 != 0 ? ~std::uint32_t{0} : 0);
}
std::uint32_t zigzag_decode(std::uint32_t value) { return (value >> 1) ^ ((value & 1) != 0 ? ~std::uint32_t{0} : 0); }

/// Writes bits one after the other, lowest first. Stops at the end of the buffer.
class BitWriter {
 public:
  explicit BitWriter(std::span<std::byte> to) : to_(to) {}

  /// Writes at most 33 bits.
  void put(std::uint64_t value, int bits) {
    held_ |= value << filled_;
    filled_ += bits;
    while (filled_ >= k_word_bits) {
      flush(sizeof(std::uint32_t));
      held_ >>= k_word_bits;
      filled_ -= k_word_bits;
    }
  }
  /// The bytes written; empty if the buffer was too small.
  std::span<const std::byte> finish() {
    flush(static_cast<std::size_t>((filled_ + 7) / 8));
    return overflown_ ? std::span<const std::byte>() : to_.first(used_);
  }

 private:
  void flush(std::size_t bytes) {
    overflown_ = overflown_ || used_ + bytes > to_.size();
    if (!overflown_) std::memcpy(to_.data() + used_, &held_, bytes);
    used_ += bytes;
  }

  std::span<std::byte> to_;
  std::uint64_t held_ = 0;
  int filled_ = 0;  // fewer than 32 between calls
  std::size_t used_ = 0;
  bool overflown_ = false;
};

/// Reads bits one after the other, lowest first. Reads zeros beyond the end.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> from) : from_(from) {}

  /// Reads at most 32 bits.
  std::uint32_t get(int bits) {
    if (filled_ < bits) {
      std::uint32_t next = 0;
      std::memcpy(&next, from_.data() + used_, std::min(sizeof next, from_.size() - used_));
      used_ = std::min(used_ + sizeof next, from_.size());
      held_ |= std::uint64_t{next} << filled_;
      filled_ += k_word_bits;
    }
    const auto value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << bits) - 1));
    held_ >>= bits;
    filled_ -= bits;
    return value;
  }

 private:
  std::span<const std::byte> from_;
  std::uint64_t held_ = 0;
  int filled_ = 0;  // fewer than 32 when more bits are loaded
  std::size_t used_ = 0;
};

std::uint32_t word_at(std::span<const std::byte> message, std::size_t k) {
  std::uint32_t word = 0;
  std::memcpy(&word, message.data() + k * sizeof word, sizeof word);
  return word;
}

}  // namespace

void PredictiveCoder::reset() { used_ = 0; }

PredictiveCoder::History& PredictiveCoder::history_of(std::size_t bytes) {
  for (std::size_t p = 0; p < used_; ++p)
    if (histories_[p].bytes == bytes) return histories_[p];
  if (used_ == k_histories) used_ = 0;
  if (used_ == histories_.size()) histories_.emplace_back();
  History& history = histories_[used_++];
  const std::size_t words = bytes / sizeof(Word);
  history.bytes = bytes;
  history.messages = 0;
  history.last.resize(words);
  history.before.resize(words);
  history.widths.assign(words, k_first_width);
  return history;
}

PredictiveCoder::Word PredictiveCoder::predicted(const History& history, std::size_t k) {
  return history.messages < 2 ? history.last[k] : 2 * history.last[k] - history.before[k];
}

void PredictiveCoder::store(History& history, std::size_t k, Word word, int width) {
  history.before[k] = history.last[k];
  history.last[k] = word;
  history.widths[k] = static_cast<std::uint8_t>(width);
}

std::size_t PredictiveCoder::encode(std::span<const std::byte> message, std::span<std::byte> to) {
  assert(to.size() >= max_encoded_size(message.size()));
  History& history = history_of(message.size());
  const std::size_t words = history.last.size(), rest = message.size() % sizeof(Word);
  BitWriter bits(to.subspan(sizeof(Header), message.size()));
  for (std::size_t k = 0; k < words; ++k) {
    const Word word = word_at(message, k);
    const Word difference = zigzag_encode(word - predicted(history, k));
    const int width = std::bit_width(difference), usual = history.widths[k];
    if (history.messages > 0) {
      if (width <= usual) {
        bits.put(1 | std::uint64_t{difference} << 1, usual + 1);
      } else {
        bits.put(static_cast<std::uint64_t>(width) << 1, 1 + k_length_bits);
        bits.put(difference, width);
      }
    }
    store(history, k, word, history.messages > 0 ? width : k_first_width);
  }
  for (std::size_t k = message.size() - rest; k < message.size(); ++k)
    bits.put(std::to_integer<std::uint64_t>(message[k]), 8);
  const auto coded = bits.finish();
  const bool is_coded = history.messages > 0 && !coded.empty() && coded.size() < message.size();
  history.messages = std::min(history.messages + 1, 2);

  const Header header{static_cast<std::uint32_t>(message.size()), is_coded ? 1U : 0U};
  std::memcpy(to.data(), &header, sizeof header);
  if (is_coded) return sizeof header + coded.size();
  std::copy(message.begin(), message.end(), to.begin() + sizeof header);
  return sizeof header + message.size();
}

std::size_t PredictiveCoder::decode(std::span<const std::byte> coded, std::span<std::byte> to) {
  Header header;
  std::memcpy(&header, coded.data(), sizeof header);
  const std::size_t bytes = header.bytes;
  assert(bytes <= to.size());
  const auto from = coded.subspan(sizeof header);
  const bool is_coded = header.is_coded != 0;
  if (!is_coded) std::copy_n(from.begin(), bytes, to.begin());
  History& history = history_of(bytes);
  const std::size_t words = history.last.size(), rest = bytes % sizeof(Word);
  BitReader bits(from);
  for (std::size_t k = 0; k < words; ++k) {
    Word word = 0, difference = 0;
    if (is_coded) {
      const int width = bits.get(1) != 0 ? history.widths[k] : static_cast<int>(bits.get(k_length_bits));
      difference = bits.get(width);
      word = predicted(history, k) + zigzag_decode(difference);
      std::memcpy(to.data() + k * sizeof word, &word, sizeof word);
    } else {
      word = word_at(to, k);
      difference = zigzag_encode(word - predicted(history, k));
    }
    store(history, k, word, history.messages > 0 ? std::bit_width(difference) : k_first_width);
  }
  if (is_coded)
    for (std::size_t k = bytes - rest; k < bytes; ++k) to[k] = static_cast<std::byte>(bits.get(8));
  history.messages = std::min(history.messages + 1, 2);
  return bytes;
}

}  // namespace eddyline::exchange
