#pragma once

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// All receives are posted first, then all sends; nobody waits for anybody before finish(), so that the interior can be
/// computed while messages travel (Hammond's asynchronous exchange).
class Nonblocking final : public Strategy {
 public:
  Nonblocking(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

  void start(std::span<const Message> sent, std::span<const Message> received) override {
    for (const Message& message : received) requests_->receive(message.bytes, message.rank, tag_);
    for (const Message& message : sent) requests_->send(message.bytes, message.rank, tag_);
  }
  void finish() override { comm::wait(communicator_, *requests_, "halo exchange, nonblocking"); }

 private:
  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
