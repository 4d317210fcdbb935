#pragma once

#include <atomic>

#include "comm/engine.hpp"
#include "comm/wait.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// A sending thread sends each message as soon as it is packed, and a receiving thread waits for the expected messages,
/// while the main thread packs the next message and computes. Messages travel even if the MPI library makes no progress
/// by itself. Needs an MPI with MPI_THREAD_MULTIPLE; pays if cores are idle. See comm::Engine.
class Threaded final : public Strategy {
 public:
  Threaded(comm::Communicator& communicator, comm::Tag tag)
      : communicator_(communicator), tag_(tag), engine_(comm::Engine::of(communicator)) {}
  Threaded(const Threaded&) = delete;
  Threaded& operator=(const Threaded&) = delete;
  ~Threaded() override {
    if (left_.load(std::memory_order_acquire) != 0) engine_->stop();  // an earlier wait has timed out
  }

 private:
  static constexpr std::size_t k_header = comm::Engine::k_header;

  void on_prepare(bool changed) override {
    if (changed) use_own_buffers(k_header);
  }
  /// Exchanges with the same tag take turns: the messages from now on are those of this one.
  void on_begin() override {
    const auto one_less = [this] { left_.fetch_sub(1, std::memory_order_release); };
    engine_->set_handlers(tag_, {[=](int) { one_less(); }, [=](int, std::span<const std::byte>) { one_less(); }});
    for (const Channel& channel : channels()) {
      if (channel.received == 0) continue;
      left_.fetch_add(1, std::memory_order_relaxed);
      engine_->expect({channel.rank, tag_, {channel.in - k_header, k_header + channel.received}});
    }
  }
  void on_send(Channel& channel) override {
    if (channel.sent == 0) return;
    left_.fetch_add(1, std::memory_order_relaxed);
    engine_->send({channel.rank, tag_, {channel.out - k_header, k_header + channel.sent}});
  }
  bool on_test() override {
    engine_->rethrow();
    return left_.load(std::memory_order_acquire) == 0;
  }
  void on_finish() override {
    comm::wait_until(communicator_, "halo exchange, threaded", [this] { return on_test(); });
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::shared_ptr<comm::Engine> engine_;
  std::atomic<int> left_ = 0;  // messages of this exchange still in transit, sent and expected
};

}  // namespace eddyline::exchange
