#pragma once
// Strategies of halo exchange: ways of moving messages. A strategy moves bytes and never changes them.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "comm/tags.hpp"

namespace eddyline::exchange {

/// A neighbour, the number of bytes sent to it, and the number received from it. Neighbours are mutual: a rank that
/// sends also receives, even if nothing.
struct Neighbor {
  int rank = 0;
  std::size_t sent = 0, received = 0;
};

/// Measurements on which a strategy based its choice; most strategies have none.
struct Trials {
  std::string taken;  // name of the strategy chosen; empty: still measuring
  std::vector<std::pair<std::string, double>>
      measured;  // name of each strategy, time for which an exchange kept a rank waiting [s]
};

/// Counts of what a rank has sent.
struct Sent {
  std::int64_t messages = 0, bytes = 0;
  std::int64_t messages_between = 0, bytes_between = 0;  // the part that went to other sites
  std::array<std::int64_t, 32> sizes{};  // sizes[k]: number of messages of 2^(k-1) to less than 2^k bytes

  void add(std::size_t message, bool between_sites) {
    if (message == 0) return;
    const auto size = static_cast<std::int64_t>(message);
    ++messages, bytes += size;
    if (between_sites) ++messages_between, bytes_between += size;
    ++sizes[static_cast<std::size_t>(std::bit_width(message)) % 32];
  }
  Sent& operator+=(const Sent& more) {
    messages += more.messages, bytes += more.bytes;
    messages_between += more.messages_between, bytes_between += more.bytes_between;
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] += more.sizes[k];
    return *this;
  }
};

/// One way of exchanging messages with all neighbours at the same time. Collective: all ranks make the same calls in
/// the same order:
///
///   prepare(largest sizes per neighbour)                             after a rebuild
///   begin(exact sizes per neighbour)                                 each exchange
///   fill outgoing(k), then send(k)                                   for each neighbour k
///   start()                                                          all messages are packed
///   ... the caller computes what does not depend on other ranks, and may call arrived() now and then ...
///   finish(), then read incoming(k)
///
/// A strategy overrides the private functions below as needed.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Neighbours must be sorted by rank. Collective. A call with the same neighbours and no larger sizes than before
  /// costs nothing; buffers grow with slack, so that other calls are rare.
  void prepare(std::span<const Neighbor> most);
  void begin(std::span<const Neighbor> exactly);
  std::span<std::byte> outgoing(std::size_t k) const { return {channels_[k].out, channels_[k].sent}; }
  void send(std::size_t k) { on_send(channels_[k]); }
  void start() { on_start(); }
  /// True if all messages have arrived, so that finish() returns without waiting. Makes progress. A strategy that
  /// cannot tell returns false.
  bool arrived() { return !under_way_ || on_test(); }
  /// Waits until all messages have arrived. A second call does nothing.
  void finish();
  std::span<const std::byte> incoming(std::size_t k) const { return {channels_[k].in, channels_[k].received}; }

  virtual Trials trials() const { return {}; }
  /// Counts of what was sent; null if it was exactly one message to each neighbour that had bytes to receive.
  virtual const Sent* sent() const { return nullptr; }

 protected:
  /// A neighbour, the sizes of this exchange's messages to and from it, and their buffers.
  struct Channel {
    int rank = 0;
    std::size_t out_room = 0, in_room = 0;  // capacities of the buffers [bytes], rounded by size_class()
    std::size_t sent = 0, received = 0;
    std::byte *out = nullptr, *in = nullptr;

    std::span<const std::byte> outgoing() const { return {out, sent}; }
    std::span<std::byte> incoming() const { return {in, received}; }
  };
  std::vector<Channel>& channels() { return channels_; }
  /// Rounds up by at most an eighth.
  static std::size_t size_class(std::size_t bytes);

 private:
  /// Called after the channels have been set up; must give each channel its buffers. `changed`: the channels or their
  /// capacities differ from those before on this rank, as they do the first time. Collective.
  virtual void on_prepare(bool changed) {
    if (changed) use_own_buffers();
  }
  /// The sizes are known; the data received last time have been read.
  virtual void on_begin() {}
  /// The message of this channel is packed; it may be empty.
  virtual void on_send(Channel&) {}
  /// All messages are packed. Must not wait for other ranks.
  virtual void on_start() {}
  /// True if on_finish() would return without waiting. Must not wait for other ranks.
  virtual bool on_test() { return false; }
  /// Waits until all messages have arrived and the send buffers may be reused.
  virtual void on_finish() = 0;

 protected:
  /// Gives all channels buffers owned by this object, with `gap` bytes before each message.
  void use_own_buffers(std::size_t gap = 0);

 private:
  std::vector<Channel> channels_;
  Array<std::byte> memory_;
  bool prepared_ = false, under_way_ = false;
};

/// Names that make_strategy() accepts, the default first.
std::vector<std::string> strategy_names();
/// Exchanges with different tags may be in progress at the same time. Throws UserError if the name is unknown or if the
/// message-passing library lacks what the strategy needs.
std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag);

/// Treatment of messages between sites. combine: messages of all ranks of a site travel together, see Combined.
/// compress: they are compressed, see PredictiveCoder. All fields for a neighbour always travel in one message.
struct BetweenSites {
  bool combine = false, compress = false;
};
/// The reason why this strategy cannot be combined with separate treatment of messages between sites; empty if it can.
/// Throws UserError if the name is unknown.
std::string inside_refusal(std::string_view name);
/// Throws UserError, in addition, if the strategy cannot carry only the messages inside a site.
std::unique_ptr<Strategy> make_strategy(std::string_view name, BetweenSites between, comm::Communicator& communicator,
                                        const comm::HaloTags& tags);

}  // namespace eddyline::exchange
