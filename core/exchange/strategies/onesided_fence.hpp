#pragma once

#include "exchange/strategies/onesided.hpp"

namespace eddyline::exchange {

/// Puts between fences that involve all ranks, neighbours or not (active target, Abe et al.). A message that is put as
/// soon as it is packed may travel while the interior is computed. The fence at the end guarantees that all messages
/// have arrived and also starts the next epoch, so that one fence per exchange is enough. MPI spins inside a fence
/// until the last rank arrives; therefore all ranks first wait at a barrier, without spinning.
class OneSidedFence final : public OneSided {
 public:
  using OneSided::OneSided;

 private:
  void on_window() override {
    wait_for_all();
    window().fence();
  }
  void on_send(Channel& channel) override { put(channel); }
  void on_finish() override {
    wait_for_all();
    window().fence();
  }
  void wait_for_all() {
    requests().barrier();
    comm::wait(communicator(), requests(), "halo exchange, onesided-fence");
  }
};

}  // namespace eddyline::exchange
