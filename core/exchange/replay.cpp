#include "exchange/replay.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "exchange/strategies/alltoall_blocks.hpp"
#include "exchange/strategies/sparse.hpp"

namespace eddyline::exchange {

namespace {

constexpr int k_warm_up = 2;  // exchanges of each halo that are not measured
constexpr int k_pieces = 16;  // pieces of the computing time, between which a rank tests for messages
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
  ReplayedHalo(comm::Communicator& communicator, comm::HaloTags tags, std::unique_ptr<Strategy> strategy)
      : communicator_(communicator), tags_(std::move(tags)), strategy_(std::move(strategy)) {}

  bool is_ready_for(std::int64_t rebuild) const { return rebuild_ == rebuild; }
  /// True if this halo has not made an exchange yet.
  bool is_new() const { return number_ == 0; }

  /// `most`: the largest messages of this rebuild.
  void prepare(std::int64_t rebuild, std::span<const Neighbor> most) {
    rebuild_ = rebuild;
    strategy_->prepare(most);
  }
  Replayed::Moments exchange(std::span<const Neighbor> messages, double computing) {
    const int own = communicator_.rank();
    ++number_;
    messages_ = messages;
    Replayed::Moments moments{now(), 0, 0};
    strategy_->begin(messages);
    for (std::size_t k = 0; k < messages.size(); ++k) {
      Contents(own, messages[k].rank, number_).write(strategy_->outgoing(k));
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
    for (std::size_t k = 0; k < messages_.size(); ++k)
      wrong += Contents(messages_[k].rank, communicator_.rank(), number_).wrong_bytes(strategy_->incoming(k));
    return wrong;
  }

 private:
  comm::Communicator& communicator_;
  comm::HaloTags tags_;
  std::unique_ptr<Strategy> strategy_;
  std::int64_t rebuild_ = -1;
  std::span<const Neighbor> messages_;  // of the last exchange
  std::size_t number_ = 0;
};

/// The largest messages of each halo's rebuilds.
using Largest = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Neighbor>>;

Largest largest_messages(const Script& script) {
  Largest largest;
  for (const auto& each : script.exchanges) {
    const auto halos = static_cast<std::int64_t>(script.exchanges.size());  // each has an exchange
    if (each.halo < 0 || each.halo >= halos)
      throw UserError("replay: halo " + std::to_string(each.halo) + "; must be 0 to " + std::to_string(halos - 1) +
                      " with " + std::to_string(halos) + " exchanges.");
    if (each.group < 0 || each.group >= static_cast<std::int64_t>(script.groups.size()))
      throw UserError("replay: an exchange refers to a missing group.");
    const auto& group = script.groups[static_cast<std::size_t>(each.group)];
    auto& most = largest.try_emplace({each.halo, each.rebuild}, group).first->second;
    if (!std::ranges::equal(most, group, {}, &Neighbor::rank, &Neighbor::rank))
      throw UserError("replay: exchanges of one rebuild have different neighbours.");
    for (std::size_t k = 0; k < group.size(); ++k) {
      most[k].sent = std::max(most[k].sent, group[k].sent);
      most[k].received = std::max(most[k].received, group[k].received);
    }
  }
  return largest;
}

/// Longest message of all ranks [bytes]. Collective.
std::size_t longest_message(comm::Communicator& communicator, const Script& script) {
  double longest[] = {0};
  for (const auto& each : script.exchanges)
    for (const Neighbor& neighbor : script.groups[static_cast<std::size_t>(each.group)])
      longest[0] = std::max(longest[0], static_cast<double>(neighbor.sent));
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
  const Largest largest = largest_messages(script);
  const std::size_t longest = longest_message(communicator, script);
  comm::Tags tags;
  std::vector<ReplayedHalo> halos;
  for (const auto& each : script.exchanges)
    while (static_cast<std::int64_t>(halos.size()) <= each.halo) {
      comm::HaloTags own = tags.take(std::to_string(halos.size()));
      auto strategy = make_replayed(name, communicator, own.messages(), longest);
      halos.emplace_back(communicator, std::move(own), std::move(strategy));
    }

  Replayed done;
  const double start = now();
  const auto in_time = [&] { return !comm::any(communicator, now() - start > max_seconds, "replay"); };
  for (const auto& each : script.exchanges) {
    ReplayedHalo& halo = halos[static_cast<std::size_t>(each.halo)];
    const auto& messages = script.groups[static_cast<std::size_t>(each.group)];
    if (!halo.is_ready_for(each.rebuild)) {
      if (!in_time()) break;
      const double begin = now();
      halo.prepare(each.rebuild, largest.at({each.halo, each.rebuild}));
      done.prepared.push_back(now() - begin);
    }
    if (halo.is_new())
      for (int k = 0; k < k_warm_up; ++k) halo.exchange(messages, 0);
    if (!in_time()) break;
    done.exchanges.push_back(halo.exchange(messages, script.compute));
    done.wrong += halo.wrong_bytes();
  }
  return done;
}

}  // namespace eddyline::exchange
