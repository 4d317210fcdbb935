#pragma once

#include <stdexcept>

#include "comm/wait.hpp"
#include "exchange/strategies/collective.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// The naive baseline: in two collective operations, every rank tells every other rank the number of bytes and sends
/// them, even if there are none. The cost grows with the number of ranks. A program that knows its neighbours needs
/// neither; here the received sizes are only compared with the expected ones. Source: the exchange that Abe et al.
/// replace.
class AllToAll final : public Strategy {
 public:
  explicit AllToAll(comm::Communicator& communicator)
      : communicator_(communicator), requests_(communicator.requests()) {}

 private:
  void on_start() override {
    const auto ranks = static_cast<std::size_t>(communicator_.size());
    sent_.assign(ranks), received_.assign(ranks);
    // Separate base addresses: an MPI may take equal ones to mean that data are replaced in place.
    std::byte* const out = channels().empty() ? nullptr : channels().front().out;
    std::byte* const in = channels().empty() ? nullptr : channels().front().in;
    counts_out_.assign(ranks, 0), counts_in_.assign(ranks, 0);
    for (const Channel& channel : channels()) {
      const auto rank = static_cast<std::size_t>(channel.rank);
      sent_.set(rank, out, channel.out, channel.sent);
      received_.set(rank, in, channel.in, channel.received);
      counts_out_[rank] = channel.sent;
    }
    requests_->all_to_all(std::as_bytes(std::span(counts_out_)), std::as_writable_bytes(std::span(counts_in_)));
    requests_->all_to_all(out, sent_.get(), in, received_.get());
  }
  bool on_test() override { return requests_->test(); }
  void on_finish() override {
    comm::wait(communicator_, *requests_, "halo exchange, alltoall");
    for (const Channel& channel : channels())
      if (counts_in_[static_cast<std::size_t>(channel.rank)] != channel.received)
        throw std::logic_error("ranks disagree on the sizes of their messages");
  }

  comm::Communicator& communicator_;
  std::unique_ptr<comm::Requests> requests_;
  CollectiveBlocks sent_, received_;
  std::vector<std::uint64_t> counts_out_, counts_in_;
};

}  // namespace eddyline::exchange
