#pragma once
// How the messages of a halo exchange travel. A strategy moves bytes and changes none of them.

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

namespace eddyline::exchange {

/// A neighbour, and how many bytes go to it and come from it. Who sends also receives, if only nothing.
struct Neighbor {
  int rank = 0;
  std::size_t sent = 0, received = 0;
};

/// What a strategy measured before it decided; of most there is nothing to tell.
struct Trials {
  std::string taken;                                     // empty: still measuring
  std::vector<std::pair<std::string, double>> measured;  // strategy, seconds that an exchange kept a rank waiting
};

/// What a rank has sent.
struct Sent {
  std::int64_t messages = 0, bytes = 0;
  std::int64_t messages_between = 0, bytes_between = 0;  // those of them that went to other sites
  std::array<std::int64_t, 32> sizes{};                  // messages of 2^(k-1) to less than 2^k bytes

  void add(std::size_t message, bool between_sites) {
    if (message == 0) return;
    const auto size = static_cast<std::int64_t>(message);
    ++messages, bytes += size;
    if (between_sites) ++messages_between, bytes_between += size;
    ++sizes[static_cast<std::size_t>(std::bit_width(message)) % 32];
  }
};

/// One way of exchanging messages with the neighbours, who all do so at the same time. All ranks call the same in the
/// same order:
///
///   prepare(at most so many bytes for whom)                          after a rebuild
///   begin(exactly so many bytes)                                     each exchange
///   fill outgoing(k), then send(k)                                   for each neighbour k
///   start()                                                          all are packed
///   ... the caller computes what needs nothing from others, and may ask for arrived() now and then ...
///   finish(), then read incoming(k)
///
/// A new one overrides what it needs of the private functions below.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Neighbours by rank. Collective. The same neighbours with no more bytes than there is room for cost nothing; room
  /// is made with slack, so that the rest is rare.
  void prepare(std::span<const Neighbor> most);
  void begin(std::span<const Neighbor> exactly);
  std::span<std::byte> outgoing(std::size_t k) const { return {channels_[k].out, channels_[k].sent}; }
  void send(std::size_t k) { on_send(channels_[k]); }
  void start() { on_start(); }
  /// Whether all has come, so that finish() need not wait. Messages make progress here. Who cannot tell says no.
  bool arrived() { return !under_way_ || on_test(); }
  /// A second call does nothing.
  void finish();
  std::span<const std::byte> incoming(std::size_t k) const { return {channels_[k].in, channels_[k].received}; }

  virtual Trials trials() const { return {}; }
  /// What has gone to other ranks; null: a message to each neighbour that was to get any, and nothing else.
  virtual const Sent* sent() const { return nullptr; }

 protected:
  /// A neighbour, what goes to it and comes from it in this exchange, and where that is packed and found.
  struct Channel {
    int rank = 0;
    std::size_t out_room = 0, in_room = 0;  // bytes, as size_class() has them
    std::size_t sent = 0, received = 0;
    std::byte *out = nullptr, *in = nullptr;

    std::span<const std::byte> outgoing() const { return {out, sent}; }
    std::span<std::byte> incoming() const { return {in, received}; }
  };
  std::vector<Channel>& channels() { return channels_; }
  /// Rounds up by an eighth at most.
  static std::size_t size_class(std::size_t bytes);

 private:
  /// Channels have been set up. Gives each its memory; `changed`: they, or their room, are others than before on this
  /// rank, as they are the first time. Collective.
  virtual void on_prepare(bool changed) {
    if (changed) use_own_buffers();
  }
  /// Sizes are known; what was found in `in` last time has been read.
  virtual void on_begin() {}
  /// This message is packed; it may be empty.
  virtual void on_send(Channel&) {}
  /// All messages are packed. Does not wait for others.
  virtual void on_start() {}
  /// Whether on_finish() would not wait. Does not wait for others.
  virtual bool on_test() { return false; }
  /// Waits for what has come, and until what was sent may be packed anew.
  virtual void on_finish() = 0;

 protected:
  /// Memory of this object for all channels, with `gap` bytes before each message.
  void use_own_buffers(std::size_t gap = 0);

 private:
  std::vector<Channel> channels_;
  Array<std::byte> memory_;
  bool prepared_ = false, under_way_ = false;
};

/// Names that make_strategy() knows, the default first.
std::vector<std::string> strategy_names();
/// Exchanges with different tags may be under way at once. Throws UserError for a name that is not known, or if the
/// message passing cannot do what the strategy needs.
std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag);

/// What is done to messages between sites: those of all ranks of a site travel together, see Combined; they become
/// shorter, see PredictiveCoder. All fields for a neighbour always travel in one message.
struct BetweenSites {
  bool combine = false, compress = false;
};
/// Why messages inside a site cannot be exchanged by this strategy where those between sites are treated apart; empty:
/// they can. Throws UserError for a name that is not known.
std::string inside_refusal(std::string_view name);
/// Throws UserError if the strategy cannot carry the messages inside a site alone, too.
std::unique_ptr<Strategy> make_strategy(std::string_view name, BetweenSites between, comm::Communicator& communicator,
                                        comm::Tag tag);

}  // namespace eddyline::exchange
