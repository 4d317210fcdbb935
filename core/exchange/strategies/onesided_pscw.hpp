#pragma once

#include "exchange/strategies/onesided.hpp"

namespace eddyline::exchange {

/// Post, start, complete, wait: puts in epochs that involve neighbours only (active target). MPI spins inside start
/// until all target ranks have posted. Therefore each rank tells its neighbours by a message that it has posted, and
/// starts only after it has this message from all of them. If some are missing when its own messages are packed, it
/// computes first and puts afterwards. Complete waits inside MPI until the puts have arrived.
class OneSidedPscw final : public OneSided {
 public:
  using OneSided::OneSided;

 private:
  void on_window() override {
    std::vector<int> ranks;
    for (const Channel& channel : channels()) ranks.push_back(channel.rank);
    window().set_partners(ranks);
    posted_.resize(ranks.size());
  }
  void on_exchange() override {
    window().post();
    for (std::size_t k = 0; k < channels().size(); ++k) {
      requests().receive({&posted_[k], 1}, channels()[k].rank, tag());
      requests().send({&k_word, 1}, channels()[k].rank, tag());
    }
    put_ = false;
  }
  void on_start() override { put_if_all_have_posted(); }
  /// Puts have arrived only when complete() has waited for them, so that nothing can be reported earlier.
  bool on_test() override {
    put_if_all_have_posted();
    return false;
  }
  void on_finish() override {
    if (!put_) {
      comm::wait(communicator(), requests(), "halo exchange, onesided-pscw, for windows");
      put_all();
    }
    window().complete();
    comm::wait_until(communicator(), "halo exchange, onesided-pscw", [this] { return window().test(); });
  }
  void put_if_all_have_posted() {
    if (!put_ && requests().test()) put_all();
  }
  void put_all() {
    window().access();
    for (const Channel& channel : channels()) put(channel);
    put_ = true;
  }

  static constexpr std::byte k_word{1};
  std::vector<std::byte> posted_;
  bool put_ = false;
};

}  // namespace eddyline::exchange
