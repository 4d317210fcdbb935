#pragma once

#include <cstring>

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Every rank sends every other rank a block as long as the longest message, in one collective operation, as a program
/// must that knows neither neighbours nor sizes. It suits small data, such as the numbers of particles to come, for
/// which Abe et al. found it in use. Available in replays only.
class AllToAllBlocks final : public Strategy {
 public:
  /// `block`: bytes per rank, at least the size of the longest message.
  AllToAllBlocks(comm::Communicator& communicator, std::size_t block)
      : communicator_(communicator),
        requests_(communicator.requests()),
        block_(block),
        out_(block * static_cast<std::size_t>(communicator.size())),
        in_(out_.size()) {}

 private:
  void on_start() override {
    for (const Channel& channel : channels())
      std::memcpy(out_.data() + block_ * static_cast<std::size_t>(channel.rank), channel.out, channel.sent);
    requests_->all_to_all(std::span<const std::byte>(out_), std::span(in_));
  }
  void on_finish() override {
    comm::wait(communicator_, *requests_, "halo exchange, alltoall-blocks");
    for (Channel& channel : channels())
      std::memcpy(channel.in, in_.data() + block_ * static_cast<std::size_t>(channel.rank), channel.received);
  }

  comm::Communicator& communicator_;
  std::unique_ptr<comm::Requests> requests_;
  std::size_t block_;
  std::vector<std::byte> out_, in_;
};

}  // namespace eddyline::exchange
