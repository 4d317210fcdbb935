#pragma once

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// One neighbour after the other, in the order of ranks, with sends that complete when the other has begun to receive:
/// of two ranks the lower one sends first (Vertanen's exchange). It cannot deadlock, because a rank that waits for one
/// higher up has dealt with all below; but ranks wait for each other in chains.
class Blocking final : public Strategy {
 public:
  Blocking(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), requests_(communicator.requests()) {}

  void start(std::span<const Message> sent, std::span<const Message> received) override {
    auto to = sent.begin();
    auto from = received.begin();
    while (to != sent.end() || from != received.end()) {
      const bool both = to != sent.end() && from != received.end();
      const int rank = both ? std::min(to->rank, from->rank) : to != sent.end() ? to->rank : from->rank;
      const bool sends = to != sent.end() && to->rank == rank, receives = from != received.end() && from->rank == rank;
      if (sends && rank > communicator_.rank()) send(*to);
      if (receives) receive(*from);
      if (sends && rank < communicator_.rank()) send(*to);
      to += sends ? 1 : 0;
      from += receives ? 1 : 0;
    }
  }
  void finish() override {}

 private:
  void send(const Message& message) {
    requests_->send_synchronously(message.bytes, message.rank, tag_);
    comm::wait(communicator_, *requests_, "halo exchange, blocking send");
  }
  void receive(const Message& message) {
    requests_->receive(message.bytes, message.rank, tag_);
    comm::wait(communicator_, *requests_, "halo exchange, blocking receive");
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
