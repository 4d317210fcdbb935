#pragma once

#include <algorithm>

#include "exchange/strategies/onesided.hpp"

namespace eddyline::exchange {

/// Puts without participation of the receiver (passive target): every window is open to all ranks from the beginning
/// (lock_all). A message is put and flushed, which means that it has arrived; then the number of the exchange is put
/// beside it, atomically. The receiver polls its own window until it finds the number of the current exchange; then it
/// may read the message. Neighbours that have nothing to send put only the number. MPI may spin inside the flush until
/// the message has arrived: on one machine that is a copy; an MPI that needs the receiver's help spins until the
/// receiver calls MPI again.
class OneSidedLock final : public OneSided {
 public:
  using OneSided::OneSided;

 private:
  void on_window() override { window().open(); }
  void on_send(Channel& channel) override {
    if (channel.sent > 0) {
      put(channel);
      window().flush(channel.rank);
    }
    window().put_number(number(), channel.rank, number_there(channel));
  }
  bool on_test() override {
    const auto here = [this](const Channel& channel) { return window().number(number_here(channel)) >= number(); };
    return std::all_of(channels().begin(), channels().end(), here);
  }
  void on_finish() override {
    comm::wait_until(communicator(), "halo exchange, onesided-lock", [this] { return on_test(); });
  }
};

}  // namespace eddyline::exchange
