#pragma once

#include <algorithm>

#include "exchange/strategies/onesided.hpp"

namespace eddyline::exchange {

/// Puts without any doing of those who are written to (passive target): every window is open to all from the beginning
/// (lock_all). How arrival is told: a message is put and flushed, which means that it has arrived; then the number of
/// the exchange is put beside it, in one piece. The receiver looks at its own window until it finds the number of the
/// exchange under way there, and from then on may read the message. Neighbours with nothing to say put the number
/// alone. MPI may spin inside the flush until the message has arrived: on one machine that is a copy; where an MPI
/// needs the receiver's help to write, until that one calls MPI again.
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
