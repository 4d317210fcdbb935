#pragma once
// Brings owners' values to the ghosts that repeat them: within this process along routes, between ranks in messages.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "exchange/routes.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Rows of one number each, which no period shifts. What else a halo carries looks like this:
///   bytes() of a row, copy() of a row within this process, pack() of a run of rows to a message and unpack() from one.
template <class T>
class ArrayField {
 public:
  explicit ArrayField(Array<T>& values) : values_(values) {}

  static constexpr std::size_t bytes() { return sizeof(T); }
  void copy(std::int32_t from, std::int32_t to, const Int3&) const { *at(to) = *at(from); }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    std::memcpy(to, at(first), static_cast<std::size_t>(count) * sizeof(T));
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3&) const {
    std::memcpy(at(first), from, static_cast<std::size_t>(count) * sizeof(T));
  }

 private:
  T* at(std::int32_t row) const { return values_.data() + row; }

  Array<T>& values_;
};

/// What has been moved so far.
struct Traffic {
  std::int64_t exchanges = 0;            // of this halo
  std::int64_t copies = 0, rows = 0;     // within the process: routes, ghost rows
  std::int64_t messages = 0, bytes = 0;  // sent to other ranks
  std::array<std::int64_t, 32> sizes{};  // of the messages: those of less than 2^k bytes and not less than 2^(k-1)
};

/// The ghosts of one kind of rows. Rebuilt with the cells; in between, the same exchange is repeated. All fields that
/// go to one neighbour travel in one message.
class Halo {
 public:
  Halo(comm::Communicator& communicator, std::string_view strategy, comm::Tag tag)
      : strategy_(make_strategy(strategy, communicator, tag)) {}

  void clear() {
    routes_.clear();
    used_ = 0;
  }
  Routes& routes() { return routes_; }
  const Routes& routes() const { return routes_; }
  /// Runs of one neighbour one after the other, neighbours by rank, the same on both sides.
  void add_sent(int rank, std::int32_t first, std::int32_t count) {
    if (count > 0) peer(rank).sent.push_back({first, count, {}});
  }
  void add_received(int rank, std::int32_t first, std::int32_t count, const Int3& shift) {
    if (count > 0) peer(rank).received.push_back({first, count, shift});
  }

  template <class... Field>
  void start(Field&&... field);
  /// Until the messages of others have come; finish() does so, too.
  void wait() { strategy_->finish(); }
  template <class... Field>
  void finish(Field&&... field);
  template <class... Field>
  void gather(Field&&... field) {
    start(field...);
    finish(field...);
  }

  std::size_t neighbors() const { return used_; }
  const Traffic& traffic() const { return traffic_; }

 private:
  struct Run {
    std::int32_t first, count;
    Int3 shift;
  };
  struct Peer {
    int rank = 0;
    std::vector<Run> sent, received;
    Array<std::byte> out, in;
  };

  Peer& peer(int rank) {
    if (used_ == 0 || peers_[used_ - 1].rank != rank) {
      if (used_ == peers_.size()) peers_.emplace_back();
      peers_[used_].rank = rank;
      peers_[used_].sent.clear();
      peers_[used_].received.clear();
      ++used_;
    }
    return peers_[used_ - 1];
  }
  static std::size_t rows_of(const std::vector<Run>& runs) {
    std::size_t rows = 0;
    for (const Run& run : runs) rows += static_cast<std::size_t>(run.count);
    return rows;
  }

  std::unique_ptr<Strategy> strategy_;
  Routes routes_;
  std::vector<Peer> peers_;
  std::size_t used_ = 0;
  std::vector<Message> sent_, received_;
  Traffic traffic_;
};

template <class... Field>
void Halo::start(Field&&... field) {
  ++traffic_.exchanges;
  const std::size_t row_bytes = (field.bytes() + ...);
  sent_.clear(), received_.clear();
  for (std::size_t p = 0; p < used_; ++p) {
    Peer& peer = peers_[p];
    peer.out.resize(rows_of(peer.sent) * row_bytes);
    peer.in.resize(rows_of(peer.received) * row_bytes);
    std::byte* to = peer.out.data();
    for (const Run& run : peer.sent)
      ((field.pack(run.first, run.count, to), to += static_cast<std::size_t>(run.count) * field.bytes()), ...);
    if (peer.out.size() > 0) sent_.push_back({peer.rank, {peer.out.data(), peer.out.size()}});
    if (peer.in.size() > 0) received_.push_back({peer.rank, {peer.in.data(), peer.in.size()}});
    traffic_.messages += peer.out.size() > 0 ? 1 : 0;
    traffic_.bytes += static_cast<std::int64_t>(peer.out.size());
    if (peer.out.size() > 0) ++traffic_.sizes[static_cast<std::size_t>(std::bit_width(peer.out.size())) % 32];
  }
  strategy_->start(sent_, received_);
  traffic_.copies += static_cast<std::int64_t>(routes_.size());
  traffic_.rows += routes_.gather(
      [&](std::int32_t from, std::int32_t to, const Int3& shift) { (field.copy(from, to, shift), ...); });
}

template <class... Field>
void Halo::finish(Field&&... field) {
  strategy_->finish();
  for (std::size_t p = 0; p < used_; ++p) {
    const std::byte* from = peers_[p].in.data();
    for (const Run& run : peers_[p].received)
      ((field.unpack(from, run.first, run.count, run.shift),
        from += static_cast<std::size_t>(run.count) * field.bytes()),
       ...);
  }
}

}  // namespace eddyline::exchange
