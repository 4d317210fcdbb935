#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// What treats messages between sites in a way of its own: those inside a site travel as another strategy carries them.
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
  /// Channels to other sites, by their leaders, then by rank.
  std::span<const std::size_t> far() const { return far_; }
  /// Which of them a far channel is.
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
  std::vector<std::size_t> far_;     // see far()
  std::vector<std::size_t> number_;  // of each channel in one of the two
  std::vector<Neighbor> neighbors_;
  Sent sent_;
};

}  // namespace eddyline::exchange
