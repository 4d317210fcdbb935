#pragma once
// Persistent messages and graphs of ranks, made of plain messages of any communicator.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace fixture {

namespace comm = eddyline::comm;

class PlainPersistent final : public comm::Persistent {
 public:
  explicit PlainPersistent(comm::Communicator& communicator) : requests_(communicator.requests()) {}

  std::size_t add_send(std::span<const std::byte> from, int to, comm::Tag tag) override {
    known_.push_back({from, {}, to, tag});
    return known_.size() - 1;
  }
  std::size_t add_receive(std::span<std::byte> into, int from, comm::Tag tag) override {
    known_.push_back({{}, into, from, tag});
    return known_.size() - 1;
  }
  void start(std::size_t number) override {
    const Message& message = known_.at(number);
    if (message.into.empty())
      requests_->send(message.from, message.rank, message.tag);
    else
      requests_->receive(message.into, message.rank, message.tag);
  }
  bool test() override { return requests_->test(); }

 private:
  struct Message {
    std::span<const std::byte> from;
    std::span<std::byte> into;
    int rank;
    comm::Tag tag;
  };
  std::unique_ptr<comm::Requests> requests_;
  std::vector<Message> known_;
};

class PlainGraph final : public comm::Graph {
 public:
  /// `number`: of the graph, the same on all ranks.
  PlainGraph(comm::Communicator& communicator, std::span<const int> neighbors, int number)
      : requests_(communicator.requests()),
        neighbors_(neighbors.begin(), neighbors.end()),
        tag_(static_cast<comm::Tag>(1000 + number)) {}

  void exchange(const std::byte* out, const comm::Blocks& sent, std::byte* in, const comm::Blocks& received) override {
    for (std::size_t k = 0; k < neighbors_.size(); ++k) {
      requests_->receive({in + received.offsets[k], static_cast<std::size_t>(received.sizes[k])}, neighbors_[k], tag_);
      requests_->send({out + sent.offsets[k], static_cast<std::size_t>(sent.sizes[k])}, neighbors_[k], tag_);
    }
  }
  bool test() override { return requests_->test(); }
  void close() override {}

 private:
  std::unique_ptr<comm::Requests> requests_;
  std::vector<int> neighbors_;
  comm::Tag tag_;
};

}  // namespace fixture
