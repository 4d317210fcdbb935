#pragma once

#include <atomic>

#include "comm/collectives.hpp"
#include "comm/wait.hpp"
#include "comm/window.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Ranks of one machine read their neighbours' packed messages in place, in shared memory: nothing is sent or copied.
/// Messages to other machines are sent as with `nonblocking`.
///
/// Memory ordering: a sender packs its message and then stores the number of the exchange beside it (release). The
/// receiver loads that number until it is that of the current exchange (acquire), and then sees the packed message.
/// Both are atomic operations of the processor on memory shared by processes. There are two buffers, used in turn:
/// before a rank packs message n+2, it has seen its neighbour's number n+1, which the neighbour stored after it had
/// read message n. The memory is allocated anew if the neighbours of any rank change or need larger buffers, which one
/// maximum over all ranks detects at each rebuild.
class Shared final : public Strategy {
 public:
  Shared(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

 private:
  /// Byte offsets in a rank's part.
  struct Place {
    std::uint64_t number, even, odd;
    std::uint64_t turn(std::uint64_t n) const { return n % 2 == 0 ? even : odd; }
  };
  using Number = std::atomic_ref<std::uint64_t>;
  static_assert(Number::is_always_lock_free);

  static Number number_at(std::byte* part, const Place& place) {
    return Number(*reinterpret_cast<std::uint64_t*>(part + place.number));
  }
  std::byte* there(std::size_t k) const { return parts_[k]; }  // null: on another machine

  void on_prepare(bool changed) override {
    if (!comm::any(communicator_, changed, "shared memory of the halo exchange")) return;
    use_own_buffers();  // for messages to other machines
    constexpr std::size_t k_line = 64;
    std::size_t bytes = 0;
    own_.clear();
    for (const Channel& channel : channels()) {
      own_.push_back({bytes, bytes + k_line, bytes + k_line + channel.out_room});
      bytes += k_line + 2 * channel.out_room;
    }
    if (memory_) memory_->close();
    memory_ = communicator_.shared_memory(bytes);
    number_ = 0;
    for (const Place& place : own_) number_at(memory_->own().data(), place).store(0, std::memory_order_relaxed);
    theirs_.resize(own_.size());
    parts_.clear();
    for (std::size_t k = 0; k < own_.size(); ++k) {
      const int rank = channels()[k].rank;
      parts_.push_back(memory_->of(rank).data());
      requests_->receive(std::as_writable_bytes(std::span(&theirs_[k], 1)), rank, tag_);
      requests_->send(std::as_bytes(std::span(&own_[k], 1)), rank, tag_);
    }
    comm::wait(communicator_, *requests_, "shared memory of the halo exchange");
  }
  void on_begin() override {
    ++number_;
    for (std::size_t k = 0; k < channels().size(); ++k) {
      Channel& channel = channels()[k];
      if (there(k) != nullptr) {
        channel.out = memory_->own().data() + own_[k].turn(number_);
        channel.in = there(k) + theirs_[k].turn(number_);
      } else if (channel.received > 0) {
        requests_->receive(channel.incoming(), channel.rank, tag_);
      }
    }
  }
  void on_send(Channel& channel) override {
    const auto k = static_cast<std::size_t>(&channel - channels().data());
    if (there(k) != nullptr)
      number_at(memory_->own().data(), own_[k]).store(number_, std::memory_order_release);
    else if (channel.sent > 0)
      requests_->send(channel.outgoing(), channel.rank, tag_);
  }
  bool on_test() override {
    for (std::size_t k = 0; k < channels().size(); ++k)
      if (there(k) != nullptr && number_at(there(k), theirs_[k]).load(std::memory_order_acquire) < number_)
        return false;
    return requests_->test();
  }
  void on_finish() override {
    comm::wait_until(communicator_, "halo exchange, shared", [this] { return on_test(); });
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
  std::unique_ptr<comm::SharedMemory> memory_;
  std::vector<Place> own_, theirs_;
  std::vector<std::byte*> parts_;  // of the neighbours
  std::uint64_t number_ = 0;
};

}  // namespace eddyline::exchange
