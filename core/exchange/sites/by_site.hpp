#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Base of strategies that treat messages between sites separately; another strategy carries those inside a site.
class BySite : public Strategy {
 public:
  /// `inside`: carries messages inside a site.
  BySite(std::unique_ptr<Strategy> inside, comm::Communicator& communicator);

  const Sent* sent() const override { return &sent_; }

 protected:
  void prepare_inside(bool changed);
  void begin_inside();
  void send_inside(const Channel& channel);
  void start_inside() { inside_->start(); }
  bool inside_arrived() { return inside_->arrived(); }
  void finish_inside() { inside_->finish(); }

  comm::Communicator& communicator() const { return communicator_; }
  bool is_far(const Channel& channel) const { return communicator_.is_far(channel.rank); }
  /// Channels to other sites, sorted by site leader, then by rank.
  std::span<const std::size_t> far() const { return far_; }
  /// Index of a far channel in far(), or of a near channel among the near ones.
  std::size_t number_of(const Channel& channel) {
    return number_[static_cast<std::size_t>(&channel - channels().data())];
  }
  Sent& counted() { return sent_; }

 private:
  void sort_channels();
  std::span<const Neighbor> near(std::size_t Channel::* sent, std::size_t Channel::* received);

  std::unique_ptr<Strategy> inside_;
  comm::Communicator& communicator_;
  std::vector<std::size_t> near_;    // channels inside the site, by rank
  std::vector<std::size_t> far_;     // channels to other sites, see far()
  std::vector<std::size_t> number_;  // index of each channel in near_ or far_
  std::vector<Neighbor> neighbors_;
  Sent sent_;
};

}  // namespace eddyline::exchange
