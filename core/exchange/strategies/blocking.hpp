#pragma once

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Exchanges with one neighbour after the other, in the order of ranks, with synchronous sends; of two ranks the lower
/// one sends first (Vertanen's exchange). It cannot deadlock, because a rank that waits for a higher one has finished
/// with all lower ones. But ranks wait for each other in chains, and no communication overlaps with computation.
class Blocking final : public Strategy {
 public:
  Blocking(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

 private:
  void on_start() override {
    for (const Channel& channel : channels()) {
      if (channel.rank > communicator_.rank()) send(channel);
      receive(channel);
      if (channel.rank < communicator_.rank()) send(channel);
    }
  }
  bool on_test() override { return true; }
  void on_finish() override {}

  void send(const Channel& channel) {
    if (channel.sent == 0) return;
    requests_->send_synchronously(channel.outgoing(), channel.rank, tag_);
    comm::wait(communicator_, *requests_, "halo exchange, blocking send");
  }
  void receive(const Channel& channel) {
    if (channel.received == 0) return;
    requests_->receive(channel.incoming(), channel.rank, tag_);
    comm::wait(communicator_, *requests_, "halo exchange, blocking receive");
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
