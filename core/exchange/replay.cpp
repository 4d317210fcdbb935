#include "exchange/replay.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "exchange/strategies/alltoall_blocks.hpp"
#include "exchange/strategies/sparse.hpp"

namespace eddyline::exchange {

namespace {

constexpr int k_warm_up = 2;  // exchanges of each halo that are not measured
constexpr int k_pieces = 16;  // pieces of the computing time, between which a rank tests for messages
constexpr std::array k_tags{comm::Tag::fluid_halo,   comm::Tag::wall_halo,   comm::Tag::cell_halo, comm::Tag::fit_halo,
                            comm::Tag::fluid_copies, comm::Tag::wall_copies, comm::Tag::state};
constexpr std::string_view k_blocks = "alltoall-blocks", k_sparse = "sparse";

/// `longest`: longest message of any rank [bytes].
std::unique_ptr<Strategy> make_replayed(std::string_view name, comm::Communicator& communicator, comm::Tag tag,
                                        std::size_t longest) {
  if (name == k_blocks) return std::make_unique<AllToAllBlocks>(communicator, longest);
  if (name == k_sparse) return std::make_unique<Sparse>(communicator);
  return make_strategy(name, communicator, tag);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Computes for `seconds` of CPU time.
void compute(double seconds) {
  const auto spent = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  if (seconds <= 0) return;
  const double end = spent() + seconds;
  while (spent() < end) {
  }
}

/// Test data of a message, in words of eight bytes, different for each exchange, sender and receiver.
class Contents {
 public:
  Contents(int from, int to, std::size_t number)
      : seed_((static_cast<std::uint64_t>(from) << 40) ^ (static_cast<std::uint64_t>(to) << 20) ^ number) {}

  void write(std::span<std::byte> message) const {
    for (std::size_t k = 0; k < message.size(); k += sizeof(std::uint64_t)) {
      const std::uint64_t word = word_at(k);
      std::memcpy(message.data() + k, &word, std::min(sizeof word, message.size() - k));
    }
  }
  std::int64_t wrong_bytes(std::span<const std::byte> message) const {
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < message.size(); k += sizeof(std::uint64_t)) {
      const std::uint64_t word = word_at(k);
      const auto* right = reinterpret_cast<const std::byte*>(&word);
      for (std::size_t b = 0; b < sizeof word && k + b < message.size(); ++b) wrong += message[k + b] != right[b];
    }
    return wrong;
  }

 private:
  std::uint64_t word_at(std::size_t k) const { return (seed_ + k + 1) * 0x9E3779B97F4A7C15u; }

  std::uint64_t seed_;
};

/// One halo of the script with its strategy.
class ReplayedHalo {
 public:
  ReplayedHalo(comm::Communicator& communicator, std::unique_ptr<Strategy> strategy)
      : communicator_(communicator), strategy_(std::move(strategy)) {}

  bool has(std::int64_t group) const { return group_ == group; }
  /// True if this halo has not made an exchange yet.
  bool is_new() const { return number_ == 0; }

  void prepare(std::int64_t group, std::span<const Neighbor> rows, std::size_t widest) {
    group_ = group, rows_ = rows;
    strategy_->prepare(messages(widest));
  }
  Replayed::Moments exchange(std::size_t row_bytes, double computing) {
    const int own = communicator_.rank();
    ++number_;
    Replayed::Moments moments{now(), 0, 0};
    strategy_->begin(messages(row_bytes));
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      Contents(own, rows_[k].rank, number_).write(strategy_->outgoing(k));
      strategy_->send(k);
    }
    strategy_->start();
    for (int k = 0; k < k_pieces; ++k) {  // as a step does
      compute(computing / k_pieces);
      if (computing > 0) strategy_->arrived();
    }
    const double waits = now();
    strategy_->finish();
    moments.end = now();
    moments.waiting = moments.end - waits;
    return moments;
  }
  /// Number of wrong bytes in the messages received last.
  std::int64_t wrong_bytes() const {
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < rows_.size(); ++k)
      wrong += Contents(rows_[k].rank, communicator_.rank(), number_).wrong_bytes(strategy_->incoming(k));
    return wrong;
  }

 private:
  std::span<const Neighbor> messages(std::size_t row_bytes) {
    messages_.clear();
    for (const Neighbor& each : rows_)
      messages_.push_back({each.rank, each.sent * row_bytes, each.received * row_bytes});
    return messages_;
  }

  comm::Communicator& communicator_;
  std::unique_ptr<Strategy> strategy_;
  std::int64_t group_ = -1;
  std::span<const Neighbor> rows_;
  std::vector<Neighbor> messages_;
  std::size_t number_ = 0;
};

/// Widest row of each halo [bytes].
std::vector<std::size_t> widest_rows(const Script& script) {
  std::vector<std::size_t> widest;
  for (const auto& each : script.exchanges) {
    if (each.halo < 0 || each.halo >= static_cast<std::int64_t>(k_tags.size()))
      throw UserError("replay: halo " + std::to_string(each.halo) + "; must be 0 to " +
                      std::to_string(k_tags.size() - 1) + ".");
    if (each.group < 0 || each.group >= static_cast<std::int64_t>(script.groups.size()) || each.row_bytes < 1)
      throw UserError("replay: an exchange refers to a missing group, or its rows have no bytes.");
    const auto halo = static_cast<std::size_t>(each.halo);
    widest.resize(std::max(widest.size(), halo + 1));
    widest[halo] = std::max(widest[halo], static_cast<std::size_t>(each.row_bytes));
  }
  return widest;
}

/// Longest message of all ranks [bytes]. Collective.
std::size_t longest_message(comm::Communicator& communicator, const Script& script) {
  double longest[] = {0};
  for (const auto& each : script.exchanges)
    for (const Neighbor& neighbor : script.groups[static_cast<std::size_t>(each.group)])
      longest[0] = std::max(longest[0], static_cast<double>(neighbor.sent) * static_cast<double>(each.row_bytes));
  comm::maximum(communicator, longest, "replay");
  return static_cast<std::size_t>(longest[0]);
}

}  // namespace

std::vector<std::string> replay_names() {
  std::vector<std::string> names = strategy_names();
  names.emplace_back(k_blocks);
  names.emplace_back(k_sparse);
  return names;
}

Replayed replay(comm::Communicator& communicator, std::string_view name, const Script& script, double max_seconds) {
  const std::vector<std::size_t> widest = widest_rows(script);
  const std::size_t longest = longest_message(communicator, script);
  std::vector<ReplayedHalo> halos;
  for (std::size_t h = 0; h < widest.size(); ++h)
    halos.emplace_back(communicator, make_replayed(name, communicator, k_tags[h], longest));

  Replayed done;
  const double start = now();
  const auto in_time = [&] { return !comm::any(communicator, now() - start > max_seconds, "replay"); };
  for (const auto& each : script.exchanges) {
    ReplayedHalo& halo = halos[static_cast<std::size_t>(each.halo)];
    const auto row_bytes = static_cast<std::size_t>(each.row_bytes);
    if (!halo.has(each.group)) {
      if (!in_time()) break;
      const double begin = now();
      halo.prepare(each.group, script.groups[static_cast<std::size_t>(each.group)],
                   widest[static_cast<std::size_t>(each.halo)]);
      done.prepared.push_back(now() - begin);
    }
    if (halo.is_new())
      for (int k = 0; k < k_warm_up; ++k) halo.exchange(row_bytes, 0);
    if (!in_time()) break;
    done.exchanges.push_back(halo.exchange(row_bytes, script.compute));
    done.wrong += halo.wrong_bytes();
  }
  return done;
}

}  // namespace eddyline::exchange
