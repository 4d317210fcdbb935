#include "exchange/strategy.hpp"

#include <bit>
#include <cassert>

namespace eddyline::exchange {

std::size_t Strategy::size_class(std::size_t bytes) {
  constexpr std::size_t k_least = 64;
  const std::size_t step = std::max(k_least, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

void Strategy::prepare(std::span<const Neighbor> most) {
  const auto grown = [](std::size_t room, std::size_t bytes) {
    return bytes <= room ? room : size_class(bytes + bytes / 4);
  };
  bool changed = !std::exchange(prepared_, true) || most.size() != channels_.size();
  for (std::size_t k = 0; k < most.size() && !changed; ++k) {
    const Channel& channel = channels_[k];
    changed = channel.rank != most[k].rank || most[k].sent > channel.out_room || most[k].received > channel.in_room;
  }
  if (changed) {
    std::vector<Channel> before = std::exchange(channels_, {});
    auto old = before.begin();
    for (const Neighbor& neighbor : most) {
      while (old != before.end() && old->rank < neighbor.rank) ++old;
      Channel channel;
      if (old != before.end() && old->rank == neighbor.rank) channel = *old;
      channel.rank = neighbor.rank;
      channel.out_room = grown(channel.out_room, neighbor.sent);
      channel.in_room = grown(channel.in_room, neighbor.received);
      channel.out = channel.in = nullptr;
      channels_.push_back(channel);
    }
  }
  on_prepare(changed);
}

void Strategy::begin(std::span<const Neighbor> exactly) {
  assert(exactly.size() == channels_.size() && !under_way_);
  for (std::size_t k = 0; k < channels_.size(); ++k) {
    Channel& channel = channels_[k];
    channel.sent = exactly[k].sent, channel.received = exactly[k].received;
    assert(exactly[k].rank == channel.rank);
    assert(channel.sent <= channel.out_room && channel.received <= channel.in_room);
  }
  under_way_ = true;
  on_begin();
}

void Strategy::finish() {
  if (std::exchange(under_way_, false)) on_finish();
}

void Strategy::use_own_buffers(std::size_t gap) {
  std::size_t bytes = 0;
  for (const Channel& channel : channels_) bytes += channel.out_room + channel.in_room + 2 * gap;
  memory_.resize(bytes);
  std::byte* next = memory_.data();
  for (Channel& channel : channels_) {
    channel.out = next + gap;
    next += gap + channel.out_room;
    channel.in = next + gap;
    next += gap + channel.in_room;
  }
}

}  // namespace eddyline::exchange
