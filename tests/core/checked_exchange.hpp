#pragma once
// The example of docs/exchange.md.

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Nonblocking messages, each with a checksum before it: for networks that are not to be trusted.
class Checked final : public Strategy {
 public:
  Checked(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

 private:
  /// After a rebuild: room for the longest messages, with a gap before each for its checksum.
  void on_prepare(bool changed) override {
    if (changed) own_memory(sizeof(std::uint64_t));
  }
  /// Sizes are known, and what came last time has been read: it may be overwritten.
  void on_begin() override {
    for (const Channel& channel : channels())
      if (channel.received > 0) requests_->receive(with_checksum(channel.in, channel.received), channel.rank, tag_);
  }
  /// This message is packed: it may leave.
  void on_send(Channel& channel) override {
    if (channel.sent == 0) return;
    const std::uint64_t sum = checksum(channel.outgoing());
    std::memcpy(channel.out - sizeof sum, &sum, sizeof sum);
    requests_->send(with_checksum(channel.out, channel.sent), channel.rank, tag_);
  }
  /// All waiting goes through comm::wait, which leaves the core to others and gives up in the end.
  void on_finish() override {
    comm::wait(communicator_, *requests_, "halo exchange, checked");
    for (const Channel& channel : channels()) {
      std::uint64_t sum = 0;
      if (channel.received > 0) std::memcpy(&sum, channel.in - sizeof sum, sizeof sum);
      if (channel.received > 0 && sum != checksum(channel.incoming()))
        throw std::runtime_error("a message from rank " + std::to_string(channel.rank) + " was garbled on its way");
    }
  }

  static std::span<std::byte> with_checksum(std::byte* message, std::size_t bytes) {
    return {message - sizeof(std::uint64_t), sizeof(std::uint64_t) + bytes};
  }
  /// Source: Fowler, Noll and Vo, FNV-1a.
  static std::uint64_t checksum(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0xCBF29CE484222325u;
    for (const std::byte each : bytes) sum = (sum ^ std::to_integer<std::uint64_t>(each)) * 0x100000001B3u;
    return sum;
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
