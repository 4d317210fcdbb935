#pragma once
// The leader of a site relays the messages of its ranks to other sites, and distributes the messages that arrive.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "exchange/sites/predictive_coder.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// A message between ranks of different sites, and its capacity [bytes].
struct RelayedMessage {
  int from = 0, to = 0;
  std::uint64_t room = 0;
};

/// A rank of the leader's site (possibly the leader itself) and its messages to and from other sites.
struct Member {
  int rank = 0;
  std::vector<RelayedMessage> sends, receives;  // by site, then by rank
};

/// Several messages in one buffer: first their sizes, then their contents.
class Bundle {
 public:
  using Size = std::uint64_t;
  /// Allocates memory for `messages` messages with `bytes` bytes in total.
  void resize(std::size_t messages, std::size_t bytes) { memory_.resize(messages * sizeof(Size) + bytes); }
  std::span<std::byte> room() { return {memory_.data(), memory_.size()}; }

  /// Locates the messages of a received bundle.
  void read(std::size_t messages);
  std::span<const std::byte> message(std::size_t k) const;

  /// Writes the sizes; the caller then fills place(k) for each message.
  void write(std::span<const Size> sizes);
  std::span<std::byte> place(std::size_t k);
  std::span<const std::byte> written() const { return {memory_.data(), begin_.back()}; }

 private:
  Array<std::byte> memory_;
  std::vector<std::size_t> begin_;  // offset of each message, and the end of the last
};

/// Relays messages between sites. Bundles between leaders are sorted by sender, then receiver. Each member gets the
/// contents for it from one site after the other, sorted by sender and without sizes, because it knows the sizes.
class SiteLeader {
 public:
  /// `compress`: compresses the bundles sent to other leaders.
  SiteLeader(comm::Communicator& communicator, comm::Tag tag, Sent& sent, bool compress);

  /// Sets the members, sorted by rank, the leader first. To be called after a rebuild if any of them has changed.
  void arrange(std::vector<Member> members);
  /// Resets the compression. To be called after every rebuild, because the contents of messages change.
  void reset_coders();
  /// Starts receiving. `own`: the leader's own messages, which must be packed before the first call of make_progress().
  /// `given`: memory for the messages that the leader itself receives.
  void begin(const Bundle& own, std::byte* given);
  /// Makes all progress that is possible without waiting for other ranks. Returns whether the exchange is complete.
  bool make_progress();

 private:
  /// Index of a member, and index of one of its messages.
  struct Place {
    std::size_t member, message;
  };
  /// Another site with which this one exchanges messages.
  struct Site {
    int leader = 0;
    std::vector<Place> sends, receives;
    Bundle out, in;
    PredictiveCoder out_coder, in_coder;
    Array<std::byte> out_coded, in_coded;  // compressed bundles
    std::unique_ptr<comm::Requests> coming;
    std::vector<Array<std::byte>> given;  // messages for each member
    bool received = false;
  };

  std::size_t site_with(int leader);
  void arrange_rooms();
  void send_to_sites();
  void distribute(Site& site);
  void send(std::span<const std::byte> message, int to);

  comm::Communicator& communicator_;
  comm::Tag tag_;
  Sent& sent_;
  std::vector<Member> members_;
  std::vector<Bundle> bundles_;  // of the members; that of the leader is unused
  std::vector<Site> sites_;
  std::unique_ptr<comm::Requests> gathered_, sends_;
  const Bundle* own_ = nullptr;
  std::byte* given_ = nullptr;  // next free byte of the memory for the leader's own messages
  bool relayed_ = true, compress_;
};

}  // namespace eddyline::exchange
