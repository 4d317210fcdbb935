#pragma once

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Posts all receives first and starts each send as soon as its message is packed. No rank waits before finish(), so
/// that the interior can be computed while messages travel (Hammond's asynchronous exchange).
class Nonblocking final : public Strategy {
 public:
  Nonblocking(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

 private:
  void on_begin() override {
    for (const Channel& channel : channels())
      if (channel.received > 0) requests_->receive(channel.incoming(), channel.rank, tag_);
  }
  void on_send(Channel& channel) override {
    if (channel.sent > 0) requests_->send(channel.outgoing(), channel.rank, tag_);
  }
  bool on_test() override { return requests_->test(); }
  void on_finish() override { comm::wait(communicator_, *requests_, "halo exchange, nonblocking"); }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
