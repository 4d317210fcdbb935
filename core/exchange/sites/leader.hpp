#pragma once
// What the leader of a site does for its ranks: passes on what they have for other sites, and gives out what comes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "exchange/sites/predictive_coder.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// A message between ranks of different sites, and the most bytes that it may hold.
struct Errand {
  int from = 0, to = 0;
  std::uint64_t room = 0;
};

/// What the leader knows of a rank of its site, itself included.
struct Member {
  int rank = 0;
  std::vector<Errand> sends, receives;  // by site, then by rank
};

/// A size for each message, then the messages, one after the other.
class Bundle {
 public:
  using Size = std::uint64_t;
  /// Room for so many messages.
  void resize(std::size_t messages, std::size_t bytes) { memory_.resize(messages * sizeof(Size) + bytes); }
  std::span<std::byte> room() { return {memory_.data(), memory_.size()}; }

  /// What has come: of so many messages.
  void read(std::size_t messages);
  std::span<const std::byte> message(std::size_t k) const;

  /// What is to go: sizes first, then the bytes of each.
  void write(std::span<const Size> sizes);
  std::span<std::byte> place(std::size_t k);
  std::span<const std::byte> written() const { return {memory_.data(), begin_.back()}; }

 private:
  Array<std::byte> memory_;
  std::vector<std::size_t> begin_;  // of each message, and the end of the last
};

/// From leader to leader messages go by sender, then receiver; to a rank of its site what has come from one site after
/// the other, by sender, without sizes, which the rank knows.
class SiteLeader {
 public:
  /// `compress`: what goes to other leaders.
  SiteLeader(comm::Communicator& communicator, comm::Tag tag, Sent& sent, bool compress);

  /// By rank; the leader is the first. After a rebuild, if anything is other than before.
  void arrange(std::vector<Member> members);
  /// After every rebuild: messages of other contents follow.
  void forget();
  /// Receives. `own`: what the leader itself sends, packed before pass_on() is called, and where it wants what comes.
  void begin(const Bundle& own, std::byte* given);
  /// Does what can be done now; whether all is done. Does not wait for others.
  bool pass_on();

 private:
  /// Of a member in the list of them, and which of its messages.
  struct Place {
    std::size_t member, message;
  };
  /// Another site, with which this one exchanges.
  struct Site {
    int leader = 0;
    std::vector<Place> sends, receives;
    Bundle out, in;
    PredictiveCoder out_coder, in_coder;
    Array<std::byte> out_coded, in_coded;  // where they are compressed
    std::unique_ptr<comm::Requests> coming;
    std::vector<Array<std::byte>> given;  // to each member
    bool came = false;
  };

  std::size_t site_with(int leader);
  void arrange_rooms();
  void send_to_sites();
  void give_out(Site& site);
  void send(std::span<const std::byte> message, int to);

  comm::Communicator& communicator_;
  comm::Tag tag_;
  Sent& sent_;
  std::vector<Member> members_;
  std::vector<Bundle> bundles_;  // of the members, but for the leader
  std::vector<Site> sites_;
  std::unique_ptr<comm::Requests> gathered_, sends_;
  const Bundle* own_ = nullptr;
  std::byte* given_ = nullptr;  // where the leader finds what comes for itself
  bool passed_on_ = true, compress_;
};

}  // namespace eddyline::exchange
