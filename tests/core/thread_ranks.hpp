#pragma once
// Ranks that are threads of this process: what tests and sanitizers run without any MPI.

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace fixture {

namespace comm = eddyline::comm;

/// What the ranks share: messages that wait for their receiver, and collective operations under way.
struct Exchange {
  struct Parcel {
    std::vector<std::byte> bytes;
    std::shared_ptr<bool> received;  // of a synchronous send
  };
  struct Collective {
    std::vector<std::byte> bytes;
    int joined = 0, left = 0;
  };
  explicit Exchange(int size) : size(size) {}

  const int size;
  std::mutex mutex;
  std::map<std::tuple<int, int, int>, std::deque<Parcel>> messages;  // by sender, receiver, tag
  std::map<std::int64_t, Collective> collectives;                    // by their number
  bool broken = false;                                               // a rank has thrown
};

class ThreadRequests final : public comm::Requests {
 public:
  ThreadRequests(Exchange& exchange, int rank, std::int64_t& collectives)
      : exchange_(exchange), rank_(rank), collectives_(collectives) {}

  void send(std::span<const std::byte> from, int to, comm::Tag tag) override { post(from, to, tag, nullptr); }
  void send_synchronously(std::span<const std::byte> from, int to, comm::Tag tag) override {
    synchronous_.push_back(std::make_shared<bool>(false));
    post(from, to, tag, synchronous_.back());
  }
  void receive(std::span<std::byte> into, int from, comm::Tag tag) override {
    receives_.push_back({into, {from, rank_, static_cast<int>(tag)}});
  }
  void maximum(std::span<double> values) override {
    combine<double>(values, [](double a, double b) { return a < b ? b : a; });
  }
  void minimum(std::span<std::int64_t> values) override {
    combine<std::int64_t>(values, [](std::int64_t a, std::int64_t b) { return b < a ? b : a; });
  }
  void sum(std::span<std::int64_t> values) override {
    combine<std::int64_t>(values, [](std::int64_t a, std::int64_t b) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    });
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    const bool gives = rank_ == root;
    join(bytes, [gives](std::span<std::byte> all, std::span<const std::byte> own) {
      if (gives) std::copy(own.begin(), own.end(), all.begin());
    });
  }
  void barrier() override {
    join({}, [](std::span<std::byte>, std::span<const std::byte>) {});
  }

  bool test() override {
    const std::lock_guard lock(exchange_.mutex);
    if (exchange_.broken) throw std::runtime_error("another rank has thrown");
    for (auto& receive : receives_) {
      auto& waiting = exchange_.messages[receive.from];
      if (receive.done || waiting.empty()) {
        if (!receive.done) return false;  // in order
        continue;
      }
      if (waiting.front().bytes.size() != receive.into.size()) throw std::logic_error("a message of another size");
      std::copy(waiting.front().bytes.begin(), waiting.front().bytes.end(), receive.into.begin());
      if (waiting.front().received) *waiting.front().received = true;
      waiting.pop_front();
      receive.done = true;
    }
    for (const auto& sent : synchronous_)
      if (!*sent) return false;
    for (auto& open : open_) {
      if (open.done) continue;
      auto& collective = exchange_.collectives.at(open.number);
      if (collective.joined < exchange_.size) return false;
      std::copy(collective.bytes.begin(), collective.bytes.end(), open.bytes.begin());
      open.done = true;
      if (++collective.left == exchange_.size) exchange_.collectives.erase(open.number);
    }
    receives_.clear(), synchronous_.clear(), open_.clear();
    return true;
  }

 private:
  struct Receive {
    std::span<std::byte> into;
    std::tuple<int, int, int> from;
    bool done = false;
  };
  struct Open {
    std::span<std::byte> bytes;
    std::int64_t number;
    bool done = false;
  };

  void post(std::span<const std::byte> from, int to, comm::Tag tag, std::shared_ptr<bool> received) {
    const std::lock_guard lock(exchange_.mutex);
    exchange_.messages[{rank_, to, static_cast<int>(tag)}].push_back({{from.begin(), from.end()}, std::move(received)});
  }
  template <class Join>
  void join(std::span<std::byte> bytes, Join&& add) {
    const std::lock_guard lock(exchange_.mutex);
    const std::int64_t number = collectives_++;
    auto& collective = exchange_.collectives[number];
    if (collective.joined++ == 0)
      collective.bytes.assign(bytes.begin(), bytes.end());
    else if (collective.bytes.size() != bytes.size())
      throw std::logic_error("ranks join different operations");
    else
      add(collective.bytes, bytes);
    open_.push_back({bytes, number});
  }
  template <class T, class Combine>
  void combine(std::span<T> values, Combine&& both) {
    join(std::as_writable_bytes(values), [&](std::span<std::byte> all, std::span<const std::byte> own) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        T a, b;
        std::memcpy(&a, all.data() + k * sizeof(T), sizeof(T));
        std::memcpy(&b, own.data() + k * sizeof(T), sizeof(T));
        const T c = both(a, b);
        std::memcpy(all.data() + k * sizeof(T), &c, sizeof(T));
      }
    });
  }

  Exchange& exchange_;
  int rank_;
  std::int64_t& collectives_;
  std::vector<Receive> receives_;
  std::vector<std::shared_ptr<bool>> synchronous_;
  std::vector<Open> open_;
};

class ThreadRank final : public comm::Communicator {
 public:
  ThreadRank(Exchange& exchange, int rank) : exchange_(exchange), rank_(rank) {}

  int rank() const override { return rank_; }
  int size() const override { return exchange_.size; }
  std::unique_ptr<comm::Requests> requests() override {
    return std::make_unique<ThreadRequests>(exchange_, rank_, collectives_);
  }
  std::optional<comm::Incoming> probe(comm::Tag tag) override {
    const std::lock_guard lock(exchange_.mutex);
    for (int from = 0; from < exchange_.size; ++from) {
      const auto found = exchange_.messages.find({from, rank_, static_cast<int>(tag)});
      if (found != exchange_.messages.end() && !found->second.empty())
        return comm::Incoming{from, found->second.front().bytes.size()};
    }
    return std::nullopt;
  }
  void disconnect() override {}
  [[noreturn]] void abort(int) override { throw std::runtime_error("a rank has given up"); }
  std::string library() const override { return "threads"; }

 private:
  Exchange& exchange_;
  int rank_;
  std::int64_t collectives_ = 0;
};

/// Runs body(communicator) on `size` ranks and throws what the first of them throws.
inline void on_ranks(int size, const std::function<void(comm::Communicator&)>& body) {
  Exchange exchange(size);
  std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        ThreadRank communicator(exchange, rank);
        body(communicator);
      } catch (...) {
        thrown[static_cast<std::size_t>(rank)] = std::current_exception();
        const std::lock_guard lock(exchange.mutex);
        exchange.broken = true;
      }
    });
  for (auto& thread : threads) thread.join();
  std::exception_ptr first;
  for (const auto& each : thrown) {
    if (!each) continue;
    try {
      std::rethrow_exception(each);
    } catch (const std::exception& error) {
      if (!first || std::string(error.what()) != "another rank has thrown") first = each;
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace fixture
