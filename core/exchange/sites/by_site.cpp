#include "exchange/sites/by_site.hpp"

#include <algorithm>
#include <utility>

namespace eddyline::exchange {

BySite::BySite(std::unique_ptr<Strategy> inside, comm::Communicator& communicator)
    : inside_(std::move(inside)), communicator_(communicator) {}

void BySite::prepare_inside(bool changed) {
  if (changed) sort_channels();
  inside_->prepare(near(&Channel::out_room, &Channel::in_room));
}

void BySite::sort_channels() {
  near_.clear(), far_.clear();
  for (std::size_t k = 0; k < channels().size(); ++k) (is_far(channels()[k]) ? far_ : near_).push_back(k);
  const auto place = [this](std::size_t k) {
    const int rank = channels()[k].rank;
    return std::pair(communicator_.leader_of(rank), rank);
  };
  std::sort(far_.begin(), far_.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  number_.resize(channels().size());
  for (std::size_t n = 0; n < near_.size(); ++n) number_[near_[n]] = n;
  for (std::size_t n = 0; n < far_.size(); ++n) number_[far_[n]] = n;
}

void BySite::begin_inside() {
  inside_->begin(near(&Channel::sent, &Channel::received));
  for (std::size_t n = 0; n < near_.size(); ++n) {
    Channel& channel = channels()[near_[n]];
    channel.out = inside_->outgoing(n).data();
    channel.in = const_cast<std::byte*>(inside_->incoming(n).data());  // this class never writes to it
  }
}

void BySite::send_inside(const Channel& channel) {
  inside_->send(number_of(channel));
  sent_.add(channel.sent, false);
}

std::span<const Neighbor> BySite::near(std::size_t Channel::* sent, std::size_t Channel::* received) {
  neighbors_.clear();
  for (const std::size_t k : near_) {
    const Channel& channel = channels()[k];
    neighbors_.push_back({channel.rank, channel.*sent, channel.*received});
  }
  return neighbors_;
}

}  // namespace eddyline::exchange
