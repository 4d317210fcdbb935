#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::exchange {

/// Lossless compression of messages that change little from one to the next. Both sides keep the last two messages of
/// each length and predict every 32-bit word by linear extrapolation. The difference from the prediction is small. It
/// is stored with as many bits as the difference of the same word took in the previous message, or with an explicit
/// number of bits. A message that would not become shorter is sent uncompressed.
class PredictiveCoder {
 public:
  /// Largest encoded size of a message of `bytes` bytes.
  static std::size_t max_encoded_size(std::size_t bytes) { return bytes + sizeof(Header); }

  /// Discards the history, because the contents of messages change. Must be called on both sides at the same time.
  void reset();
  /// `to` must hold max_encoded_size(message.size()) bytes. Returns the encoded size.
  std::size_t encode(std::span<const std::byte> message, std::span<std::byte> to);
  /// Decodes a message of the other side and returns its size. `coded` may be longer than the encoded message; `to`
  /// must be large enough for the decoded one.
  std::size_t decode(std::span<const std::byte> coded, std::span<std::byte> to);

 private:
  using Word = std::uint32_t;
  /// Size of the message, and whether it is compressed.
  struct Header {
    std::uint32_t bytes = 0, is_coded = 0;
  };
  /// History of the messages of one length.
  struct History {
    std::size_t bytes = 0;
    int messages = 0;                  // number of messages since the reset, at most 2
    std::vector<Word> last, before;    // the last two messages
    std::vector<std::uint8_t> widths;  // bits that the last difference of each word took
  };

  History& history_of(std::size_t bytes);
  static Word predicted(const History& history, std::size_t k);
  static void store(History& history, std::size_t k, Word word, int width);

  std::vector<History> histories_;
  std::size_t used_ = 0;
};

}  // namespace eddyline::exchange
