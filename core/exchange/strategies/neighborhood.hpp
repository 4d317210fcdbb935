#pragma once

#include "comm/collectives.hpp"
#include "comm/wait.hpp"
#include "exchange/strategies/collective.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// One collective operation per exchange on the graph of neighbours: MPI knows the whole pattern and may choose how
/// messages travel. It starts when all messages are packed. The graph is rebuilt if the neighbours of any rank change,
/// which one maximum over all ranks detects at each rebuild.
class Neighborhood final : public Strategy {
 public:
  explicit Neighborhood(comm::Communicator& communicator) : communicator_(communicator) {}

 private:
  void on_prepare(bool changed) override {
    if (changed) use_own_buffers();
    std::vector<int> ranks;
    for (const Channel& channel : channels()) ranks.push_back(channel.rank);
    const bool differ = !graph_ || ranks != ranks_;
    if (!comm::any(communicator_, differ, "neighbours of the halo exchange")) return;
    ranks_ = std::move(ranks);
    if (graph_) graph_->close();
    graph_ = communicator_.graph(ranks_);
  }
  void on_start() override {
    // Separate base addresses: an MPI may take equal ones to mean that data are replaced in place.
    std::byte* const out = channels().empty() ? nullptr : channels().front().out;
    std::byte* const in = channels().empty() ? nullptr : channels().front().in;
    sent_.assign(channels().size());
    received_.assign(channels().size());
    for (std::size_t k = 0; k < channels().size(); ++k) {
      const Channel& channel = channels()[k];
      sent_.set(k, out, channel.out, channel.sent);
      received_.set(k, in, channel.in, channel.received);
    }
    graph_->exchange(out, sent_.get(), in, received_.get());
  }
  bool on_test() override { return graph_->test(); }
  void on_finish() override {
    comm::wait_until(communicator_, "halo exchange, neighborhood", [this] { return graph_->test(); });
  }

  comm::Communicator& communicator_;
  std::vector<int> ranks_;
  std::unique_ptr<comm::Graph> graph_;
  CollectiveBlocks sent_, received_;
};

}  // namespace eddyline::exchange
