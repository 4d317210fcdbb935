#pragma once
// Halo exchange: copies owners' values to ghost rows, within this process along routes, between ranks in messages.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "comm/tags.hpp"
#include "comm/traffic_log.hpp"
#include "exchange/box_piece.hpp"
#include "exchange/row_run.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// A field with one number per row, which periodic shifts leave unchanged. All fields of a halo have this interface:
/// bytes() per row, copy() of a run of rows within this process, pack() of a run into a message and unpack() from a
/// message.
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

/// Counts of the data moved so far.
struct Traffic {
  std::int64_t exchanges = 0;                 // exchanges of this halo
  std::int64_t copies = 0, copied_bytes = 0;  // within the process: routes followed, bytes of ghosts
  Sent sent;                                  // to other ranks

  Traffic& operator+=(const Traffic& more) {
    exchanges += more.exchanges, copies += more.copies, copied_bytes += more.copied_bytes;
    sent += more.sent;
    return *this;
  }
};

/// The ghosts of one array of rows, or of a set of blocks of cells. What travels consists of pieces: RowRun or
/// BoxPiece. It is rebuilt with them; between rebuilds the same exchange is repeated. All fields for one neighbour
/// travel in one message. Collective: all ranks, including those without neighbours, exchange the same fields in the
/// same order. The first exchange after a rebuild, and the first with wider rows than before, prepares the strategy for
/// the widest rows. `Row` below is a row or a cell.
template <class Piece>
class BasicHalo {
 public:
  /// `tags`: see comm::Tags::take().
  BasicHalo(comm::Communicator& communicator, std::string_view strategy, BetweenSites between, comm::HaloTags tags)
      : communicator_(communicator),
        tags_(std::move(tags)),
        strategy_(make_strategy(strategy, between, communicator, tags_)) {}

  void clear() {
    routes_.clear();
    used_ = 0;
    prepared_ = recorded_ = false;
  }
  /// Copies within this process.
  typename Piece::Copies& routes() { return routes_; }
  const typename Piece::Copies& routes() const { return routes_; }
  /// Pieces must be added neighbour by neighbour, in the order of ranks, and in the same order on both sides.
  void add_sent(int rank, const Piece& piece) {
    if (piece.size() > 0) peer(rank).sent.push_back(piece);
  }
  void add_received(int rank, const Piece& piece) {
    if (piece.size() > 0) peer(rank).received.push_back(piece);
  }
  void add_sent(int rank, std::int32_t first, std::int32_t count)
    requires std::same_as<Piece, RowRun>
  {
    add_sent(rank, {first, count, {}});
  }
  void add_received(int rank, std::int32_t first, std::int32_t count, const Int3& shift)
    requires std::same_as<Piece, RowRun>
  {
    add_received(rank, {first, count, shift});
  }

  /// Calls visit(first, count) for each run of rows that is sent to other ranks, or of ghost rows that are received.
  template <class Visit>
    requires std::same_as<Piece, RowRun>
  void for_each_sent(Visit&& visit) const {
    for (std::size_t p = 0; p < used_; ++p)
      for (const RowRun& run : peers_[p].sent) visit(run.first, run.count);
  }
  template <class Visit>
    requires std::same_as<Piece, RowRun>
  void for_each_received(Visit&& visit) const {
    for (std::size_t p = 0; p < used_; ++p)
      for (const RowRun& run : peers_[p].received) visit(run.first, run.count);
  }

  /// Starts to send rows to other ranks. Ghost rows of other ranks are up to date after finish(), ghost rows of this
  /// process after gather_within().
  template <class... Field>
  void start(Field&&... field) {
    send(field...);
    strategy_->start();
  }
  /// Waits until the messages of other ranks have arrived; finish() waits as well.
  void wait() { strategy_->finish(); }
  /// True if the messages have arrived. Does not wait; makes progress.
  bool arrived() { return strategy_->arrived(); }
  /// Measurements of the strategy, see Trials.
  Trials trials() const { return strategy_->trials(); }
  template <class... Field>
  void finish(Field&&... field);
  template <class... Field>
  void gather(Field&&... field) {
    start(field...);
    gather_within(field...);
    finish(field...);
  }
  /// The same, with its time charged to the phases pack and wait.
  template <class... Field>
  void gather(Timers& timers, Field&&... field) {
    timers.lap();
    send(field...);
    timers.lap(Phase::pack);
    strategy_->start();
    timers.lap(Phase::wait);
    gather_within(field...);
    timers.lap(Phase::pack);
    wait();
    timers.lap(Phase::wait);
    finish(field...);
    timers.lap(Phase::pack);
  }

  /// Updates only ghost rows of other ranks; ghost rows copied within this process are left unchanged.
  template <class... Field>
  void gather_between(Field&&... field) {
    start(field...);
    finish(field...);
  }

  /// Updates only ghost rows copied within this process; nothing is sent, and ghost rows of other ranks are left
  /// unchanged.
  template <class... Field>
  void gather_within(Field&&... field);

  std::size_t neighbors() const { return used_; }
  Traffic traffic() const {
    Traffic all = traffic_;
    if (const Sent* sent = strategy_->sent()) all.sent = *sent;
    return all;
  }

 private:
  struct Peer {
    int rank = 0;
    std::vector<Piece> sent, received;
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
  static std::size_t rows_of(const std::vector<Piece>& pieces) {
    std::size_t rows = 0;
    for (const Piece& piece : pieces) rows += piece.size();
    return rows;
  }
  /// The messages for rows of `row_bytes` bytes.
  std::span<const Neighbor> messages(std::size_t row_bytes) {
    neighbors_.clear();
    for (std::size_t p = 0; p < used_; ++p)
      neighbors_.push_back(
          {peers_[p].rank, rows_of(peers_[p].sent) * row_bytes, rows_of(peers_[p].received) * row_bytes});
    return neighbors_;
  }

  /// Packs and hands the messages to the strategy.
  template <class... Field>
  void send(Field&&... field);

  void record(comm::TrafficLog& log, std::size_t row_bytes) {
    if (!log.begin(tags_.name(), !std::exchange(recorded_, true), row_bytes)) return;
    for (std::size_t p = 0; p < used_; ++p)
      log.add(communicator_.rank(), peers_[p].rank, rows_of(peers_[p].sent) * row_bytes);
  }

  comm::Communicator& communicator_;
  comm::HaloTags tags_;
  std::unique_ptr<Strategy> strategy_;
  typename Piece::Copies routes_;
  std::vector<Peer> peers_;
  std::size_t used_ = 0;
  std::vector<Neighbor> neighbors_;
  std::size_t widest_ = 0;  // widest row so far [bytes]
  bool prepared_ = false, recorded_ = false;
  Traffic traffic_;
};

template <class Piece>
template <class... Field>
void BasicHalo<Piece>::send(Field&&... field) {
  ++traffic_.exchanges;
  const std::size_t row_bytes = (field.bytes() + ...);
  if (!prepared_ || row_bytes > widest_) {
    widest_ = std::max(widest_, row_bytes);
    strategy_->prepare(messages(widest_));
    prepared_ = true;
  }
  if (const auto log = communicator_.traffic_log.lock()) record(*log, row_bytes);
  strategy_->begin(messages(row_bytes));
  for (std::size_t p = 0; p < used_; ++p) {
    const std::span<std::byte> out = strategy_->outgoing(p);
    std::byte* to = out.data();
    for (const Piece& piece : peers_[p].sent) ((piece.pack(field, to), to += piece.size() * field.bytes()), ...);
    strategy_->send(p);
    traffic_.sent.add(out.size(), communicator_.is_far(peers_[p].rank));
  }
}

template <class Piece>
template <class... Field>
void BasicHalo<Piece>::gather_within(Field&&... field) {
  traffic_.copies += static_cast<std::int64_t>(routes_.size());
  const std::int64_t rows = routes_.gather([&](const auto&... copied) { (field.copy(copied...), ...); });
  traffic_.copied_bytes += rows * static_cast<std::int64_t>((field.bytes() + ...));
}

template <class Piece>
template <class... Field>
void BasicHalo<Piece>::finish(Field&&... field) {
  strategy_->finish();
  for (std::size_t p = 0; p < used_; ++p) {
    const std::byte* from = strategy_->incoming(p).data();
    for (const Piece& piece : peers_[p].received)
      ((piece.unpack(field, from), from += piece.size() * field.bytes()), ...);
  }
}

using Halo = BasicHalo<RowRun>;
using BoxHalo = BasicHalo<BoxPiece>;

}  // namespace eddyline::exchange
