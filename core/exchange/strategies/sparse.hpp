#pragma once

#include <cstring>
#include <stdexcept>

#include "comm/collectives.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Finds the senders and the sizes of messages anew in each exchange, as the migration of particles does, see
/// comm::deliver(). Available in replays only, because a halo knows its neighbours.
class Sparse final : public Strategy {
 public:
  explicit Sparse(comm::Communicator& communicator) : communicator_(communicator) {}

 private:
  void on_finish() override {
    parcels_.clear();
    for (const Channel& channel : channels())
      if (channel.sent > 0) parcels_.push_back({channel.rank, {channel.out, channel.out + channel.sent}});
    const std::vector<comm::Parcel> came = comm::deliver(communicator_, parcels_, "halo exchange, sparse");
    auto parcel = came.begin();
    for (Channel& channel : channels()) {
      if (channel.received == 0) continue;
      if (parcel == came.end() || parcel->rank != channel.rank || parcel->bytes.size() != channel.received)
        throw std::logic_error("ranks disagree on the sizes of their messages");
      std::memcpy(channel.in, parcel++->bytes.data(), channel.received);
    }
  }

  comm::Communicator& communicator_;
  std::vector<comm::Parcel> parcels_;
};

}  // namespace eddyline::exchange
