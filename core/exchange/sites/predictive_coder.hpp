#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::exchange {

/// Makes messages shorter that change little from one to the next, and loses no bit. Both sides keep the last two
/// messages of each length, and foretell every word of 32 bits as if it went on changing as it did. What it differs by
/// is small; it takes as many bits as the same word's difference took in the message before, or says how many. A
/// message that would not become shorter goes as it is.
class PredictiveCoder {
 public:
  /// Bytes that a message of so many may take.
  static std::size_t most(std::size_t bytes) { return bytes + sizeof(Header); }

  /// Forgets what went before: messages of other contents follow. On both sides at the same time.
  void forget();
  /// `to`: room for most(message.size()). Returns how many bytes it takes.
  std::size_t encode(std::span<const std::byte> message, std::span<std::byte> to);
  /// The other side's message; `coded` may be longer than it is. Returns its size; `to` has room for it.
  std::size_t decode(std::span<const std::byte> coded, std::span<std::byte> to);

 private:
  using Word = std::uint32_t;
  /// How long the message is, and whether it is coded.
  struct Header {
    std::uint32_t bytes = 0, is_coded = 0;
  };
  /// What is known of messages of one length.
  struct Past {
    std::size_t bytes = 0;
    int messages = 0;                  // seen since it was forgotten, at most 2
    std::vector<Word> last, before;    // the messages
    std::vector<std::uint8_t> widths;  // bits that the difference of each word took
  };

  Past& past_of(std::size_t bytes);
  static Word foretold(const Past& past, std::size_t k);
  static void remember(Past& past, std::size_t k, Word word, int width);

  std::vector<Past> pasts_;
  std::size_t used_ = 0;
};

}  // namespace eddyline::exchange
