#pragma once
// Base of the one-sided strategies: a window with buffers for each neighbour's messages.

#include "comm/collectives.hpp"
#include "comm/wait.hpp"
#include "comm/window.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Messages are written directly to where their receiver reads them. Each neighbour has two buffers, which are used in
/// turn: before a rank writes message n+2, it has seen its neighbour's message n+1, which the neighbour sent after it
/// had read message n. The window is rebuilt if the neighbours of any rank change or need larger buffers, which one
/// maximum over all ranks detects at each rebuild. Then each rank tells its neighbours the offsets to write to.
class OneSided : public Strategy {
 public:
  OneSided(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

 protected:
  comm::Communicator& communicator() { return communicator_; }
  comm::Window& window() { return *window_; }
  comm::Requests& requests() { return *requests_; }
  comm::Tag tag() const { return tag_; }
  /// Number of the current exchange; each window counts from 1.
  std::uint64_t number() const { return number_; }
  /// Writes this channel's message to the receiver's window.
  void put(const Channel& channel) {
    if (channel.sent == 0) return;
    const Place& there = theirs_[index(channel)];
    window_->put(channel.outgoing(), channel.rank, number_ % 2 == 0 ? there.even : there.odd);
  }
  /// Offset of the message number in the receiver's window, or in this rank's window.
  std::size_t number_there(const Channel& channel) const { return theirs_[index(channel)].number; }
  std::size_t number_here(const Channel& channel) const { return own_[index(channel)].number; }

 private:
  /// Byte offsets in a window.
  struct Place {
    std::uint64_t number, even, odd;
  };

  /// Called when there is a new window; it is filled with zeros. Collective.
  virtual void on_window() {}
  /// Called at the begin of each exchange, in place of on_begin().
  virtual void on_exchange() {}

  std::size_t index(const Channel& channel) const { return static_cast<std::size_t>(&channel - all_); }

  void on_prepare(bool changed) final {
    if (!comm::any(communicator_, changed, "windows of the halo exchange")) return;
    own_.clear();
    constexpr std::size_t k_line = 64;
    std::size_t bytes = 0, out_bytes = 0;
    for (const Channel& channel : channels()) {
      const std::size_t room = size_class(channel.in_room);
      own_.push_back({bytes, bytes + k_line, bytes + k_line + room});
      bytes += k_line + 2 * room;
      out_bytes += channel.out_room;
    }
    if (window_) window_->close();
    window_ = communicator_.window(bytes);
    std::fill(window_->memory().begin(), window_->memory().end(), std::byte{});
    out_.resize(out_bytes);
    std::byte* next = out_.data();
    for (Channel& channel : channels()) {
      channel.out = next;
      next += channel.out_room;
    }
    all_ = channels().data();
    number_ = 0;
    on_window();
    theirs_.resize(channels().size());
    for (std::size_t k = 0; k < channels().size(); ++k) {
      const int rank = channels()[k].rank;
      requests_->receive(std::as_writable_bytes(std::span(&theirs_[k], 1)), rank, tag_);
      requests_->send(std::as_bytes(std::span(&own_[k], 1)), rank, tag_);
    }
    comm::wait(communicator_, *requests_, "windows of the halo exchange");
  }
  void on_begin() final {
    ++number_;
    for (Channel& channel : channels()) {
      const Place& here = own_[index(channel)];
      channel.in = window_->memory().data() + (number_ % 2 == 0 ? here.even : here.odd);
    }
    on_exchange();
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
  std::unique_ptr<comm::Window> window_;
  std::vector<Place> own_, theirs_;
  const Channel* all_ = nullptr;
  Array<std::byte> out_;
  std::uint64_t number_ = 0;
};

}  // namespace eddyline::exchange
