#pragma once
// Brings owners' values to the ghosts that repeat them: within this process along routes, between ranks in messages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "comm/traffic_log.hpp"
#include "exchange/routes.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Rows of one number each, which no period shifts. What else a halo carries looks like this:
///   bytes() of a row, copy() of a run of rows within this process, pack() of one to a message and unpack() from one.
template <class T>
class ArrayField {
 public:
  explicit ArrayField(Array<T>& values) : values_(values) {}

  static constexpr std::size_t bytes() { return sizeof(T); }
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3&) const {
    std::copy_n(at(from), count, at(to));
  }
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
  std::int64_t exchanges = 0;         // of this halo
  std::int64_t copies = 0, rows = 0;  // within the process: routes, ghost rows
  Sent sent;                          // to other ranks
};

/// The ghosts of one kind of rows. Rebuilt with the cells; in between, the same exchange is repeated. All fields that
/// go to one neighbour travel in one message. All ranks exchange the same fields in the same order, those without
/// neighbours, too: the first exchange after a rebuild, and the first of wider rows than ever, prepares the strategy
/// for the widest.
class Halo {
 public:
  Halo(comm::Communicator& communicator, std::string_view strategy, BetweenSites between, comm::Tag tag)
      : communicator_(communicator), tag_(tag), strategy_(make_strategy(strategy, between, communicator, tag)) {}

  void clear() {
    routes_.clear();
    used_ = 0;
    prepared_ = noted_ = false;
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

  /// Calls visit(first, count) for each run of rows that other ranks get, or of ghosts that they send.
  template <class Visit>
  void for_each_sent(Visit&& visit) const {
    for (std::size_t p = 0; p < used_; ++p)
      for (const Run& run : peers_[p].sent) visit(run.first, run.count);
  }
  template <class Visit>
  void for_each_received(Visit&& visit) const {
    for (std::size_t p = 0; p < used_; ++p)
      for (const Run& run : peers_[p].received) visit(run.first, run.count);
  }

  /// Sends rows to other ranks. Their ghosts are up to date after finish(), those of this process after
  /// gather_within().
  template <class... Field>
  void start(Field&&... field);
  /// Until the messages of others have come; finish() does so, too.
  void wait() { strategy_->finish(); }
  /// Whether they have come. Does not wait, and brings them on their way.
  bool arrived() { return strategy_->arrived(); }
  /// What the strategy tells of itself.
  Trials trials() const { return strategy_->trials(); }
  template <class... Field>
  void finish(Field&&... field);
  template <class... Field>
  void gather(Field&&... field) {
    start(field...);
    gather_within(field...);
    finish(field...);
  }

  /// The same between ranks alone: what this process repeats of its own stays as it is.
  template <class... Field>
  void gather_between(Field&&... field) {
    start(field...);
    finish(field...);
  }

  /// The same within this process alone: nothing is sent, and ghosts of other ranks stay as they are.
  template <class... Field>
  void gather_within(Field&&... field);

  std::size_t neighbors() const { return used_; }
  Traffic traffic() const {
    Traffic all = traffic_;
    if (const Sent* sent = strategy_->sent()) all.sent = *sent;
    return all;
  }

 private:
  struct Run {
    std::int32_t first, count;
    Int3 shift;
  };
  struct Peer {
    int rank = 0;
    std::vector<Run> sent, received;
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
  /// Messages of rows of so many bytes.
  std::span<const Neighbor> messages(std::size_t row_bytes) {
    neighbors_.clear();
    for (std::size_t p = 0; p < used_; ++p)
      neighbors_.push_back(
          {peers_[p].rank, rows_of(peers_[p].sent) * row_bytes, rows_of(peers_[p].received) * row_bytes});
    return neighbors_;
  }

  void note(comm::TrafficLog& log, std::size_t row_bytes) {
    if (!log.begin(tag_, !std::exchange(noted_, true), row_bytes)) return;
    for (std::size_t p = 0; p < used_; ++p) log.add(communicator_.rank(), peers_[p].rank, rows_of(peers_[p].sent));
  }

  comm::Communicator& communicator_;
  comm::Tag tag_;
  std::unique_ptr<Strategy> strategy_;
  Routes routes_;
  std::vector<Peer> peers_;
  std::size_t used_ = 0;
  std::vector<Neighbor> neighbors_;
  std::size_t widest_ = 0;  // row [bytes]
  bool prepared_ = false, noted_ = false;
  Traffic traffic_;
};

template <class... Field>
void Halo::start(Field&&... field) {
  ++traffic_.exchanges;
  const std::size_t row_bytes = (field.bytes() + ...);
  if (!prepared_ || row_bytes > widest_) {
    widest_ = std::max(widest_, row_bytes);
    strategy_->prepare(messages(widest_));
    prepared_ = true;
  }
  if (const auto log = communicator_.traffic_log.lock()) note(*log, row_bytes);
  strategy_->begin(messages(row_bytes));
  for (std::size_t p = 0; p < used_; ++p) {
    const std::span<std::byte> out = strategy_->outgoing(p);
    std::byte* to = out.data();
    for (const Run& run : peers_[p].sent)
      ((field.pack(run.first, run.count, to), to += static_cast<std::size_t>(run.count) * field.bytes()), ...);
    strategy_->send(p);
    traffic_.sent.add(out.size(), communicator_.is_far(peers_[p].rank));
  }
  strategy_->start();
}

template <class... Field>
void Halo::gather_within(Field&&... field) {
  traffic_.copies += static_cast<std::int64_t>(routes_.size());
  traffic_.rows += routes_.gather([&](std::int32_t from, std::int32_t to, std::int32_t count, const Int3& shift) {
    (field.copy(from, to, count, shift), ...);
  });
}

template <class... Field>
void Halo::finish(Field&&... field) {
  strategy_->finish();
  for (std::size_t p = 0; p < used_; ++p) {
    const std::byte* from = strategy_->incoming(p).data();
    for (const Run& run : peers_[p].received)
      ((field.unpack(from, run.first, run.count, run.shift),
        from += static_cast<std::size_t>(run.count) * field.bytes()),
       ...);
  }
}

}  // namespace eddyline::exchange
