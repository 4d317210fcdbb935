#pragma once

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// All receives are posted first, then all sends; nobody waits for anybody before finish(), so that the interior can be
/// computed while messages travel (Hammond's asynchronous exchange).
class Nonblocking final : public Strategy {
 public:
  explicit Nonblocking(comm::Communicator& communicator)
      : communicator_(communicator), requests_(communicator.requests()) {}

  void start(std::span<const Message> sent, std::span<const Message> received) override {
    for (const Message& message : received) requests_->receive(message.bytes, message.rank, comm::Tag::halo);
    for (const Message& message : sent) requests_->send(message.bytes, message.rank, comm::Tag::halo);
  }
  void finish() override { comm::wait(communicator_, *requests_, "halo exchange, nonblocking"); }

 private:
  comm::Communicator& communicator_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
