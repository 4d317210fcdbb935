#pragma once

#include "exchange/strategies/onesided.hpp"

namespace eddyline::exchange {

/// Puts between fences, which concern all ranks, neighbours or not (Abe et al., active target). What is put as soon as
/// it is packed may travel while the interior is computed; the fence at the end says that all of it has arrived, and
/// lets the next exchange begin, so that one is enough. MPI spins inside a fence until the last rank has come: so all
/// wait for a barrier first, without spinning, and the fence finds everybody there.
class OneSidedFence final : public OneSided {
 public:
  using OneSided::OneSided;

 private:
  void on_window() override {
    all_here();
    window().fence();
  }
  void on_send(Channel& channel) override { put(channel); }
  void on_finish() override {
    all_here();
    window().fence();
  }
  void all_here() {
    requests().barrier();
    comm::wait(communicator(), requests(), "halo exchange, onesided-fence");
  }
};

}  // namespace eddyline::exchange
