#pragma once

#include <map>

#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Persistent requests: sends and receives that are described once and started again and again. The message size is
/// part of the description, but exchanges within a step differ in size, and each rebuild changes sizes a little.
/// Therefore sizes are rounded up by at most an eighth, to few values, equally on both sides, and each neighbour gets
/// one description per size that occurs. All descriptions are dropped when the buffers move, which growth with slack
/// makes rare.
class PersistentMessages final : public Strategy {
 public:
  PersistentMessages(comm::Communicator& communicator, comm::Tag tag) : communicator_(communicator), tag_(tag) {}

 private:
  struct Known {
    std::map<std::size_t, std::size_t> sends, receives;  // number of the request by message size
  };

  void on_prepare(bool changed) override {
    if (!changed) return;
    use_own_buffers();
    messages_ = communicator_.persistent();
    known_.assign(channels().size(), {});
  }
  void on_begin() override {
    for (std::size_t k = 0; k < channels().size(); ++k) {
      const Channel& channel = channels()[k];
      if (channel.received == 0) continue;
      const std::size_t bytes = size_class(channel.received);
      const auto [known, is_new] = known_[k].receives.try_emplace(bytes);
      if (is_new) known->second = messages_->add_receive({channel.in, bytes}, channel.rank, tag_);
      messages_->start(known->second);
    }
  }
  void on_send(Channel& channel) override {
    if (channel.sent == 0) return;
    const std::size_t bytes = size_class(channel.sent);
    auto& sends = known_[static_cast<std::size_t>(&channel - channels().data())].sends;
    const auto [known, is_new] = sends.try_emplace(bytes);
    if (is_new) known->second = messages_->add_send({channel.out, bytes}, channel.rank, tag_);
    messages_->start(known->second);
  }
  bool on_test() override { return messages_->test(); }
  void on_finish() override {
    comm::wait_until(communicator_, "halo exchange, persistent", [this] { return messages_->test(); });
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<comm::Persistent> messages_;
  std::vector<Known> known_;
};

}  // namespace eddyline::exchange
