#pragma once
// Memory of ranks that are threads, into which others put or which they read. Stricter than an MPI may be: what is put
// lies about until the operation that must bring it there, and who puts before the others have posted is told off.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "comm/window.hpp"

namespace fixture {

namespace comm = eddyline::comm;

inline constexpr int k_ranks_of_a_node = 3;  // others are on other machines

/// What the ranks of a window share.
struct WindowState {
  explicit WindowState(std::size_t ranks) : parts(ranks), posted(ranks), completed(ranks) {}

  std::mutex mutex;
  std::vector<std::vector<std::byte>> parts;
  std::vector<bool> posted;
  std::vector<std::size_t> completed;  // by how many partners since a rank has posted
};

class ThreadWindow final : public comm::Window {
 public:
  ThreadWindow(std::shared_ptr<WindowState> state, int rank, std::function<void()> barrier)
      : state_(std::move(state)), rank_(static_cast<std::size_t>(rank)), barrier_(std::move(barrier)) {}

  std::span<std::byte> memory() override { return state_->parts[rank_]; }
  void put(std::span<const std::byte> from, int to, std::size_t at) override {
    waiting_.push_back({from, static_cast<std::size_t>(to), at});
  }
  void fence() override {
    arrive([](const Put&) { return true; });
    barrier_();
  }

  void set_partners(std::span<const int> ranks) override { partners_.assign(ranks.begin(), ranks.end()); }
  void post() override {
    const std::lock_guard lock(state_->mutex);
    state_->posted[rank_] = true;
    state_->completed[rank_] = 0;
  }
  void access() override {
    const std::lock_guard lock(state_->mutex);
    for (const std::size_t partner : partners_)
      if (!state_->posted[partner]) throw std::logic_error("access to a window that has not been posted");
  }
  void complete() override {
    arrive([](const Put&) { return true; });
    const std::lock_guard lock(state_->mutex);
    for (const std::size_t partner : partners_) ++state_->completed[partner];
  }
  bool test() override {
    const std::lock_guard lock(state_->mutex);
    if (state_->completed[rank_] < partners_.size()) return false;
    state_->posted[rank_] = false;
    return true;
  }

  void open() override {}
  void flush(int to) override {
    arrive([to](const Put& put) { return put.to == static_cast<std::size_t>(to); });
  }
  void put_number(std::uint64_t number, int to, std::size_t at) override {
    const std::lock_guard lock(state_->mutex);
    std::memcpy(state_->parts[static_cast<std::size_t>(to)].data() + at, &number, sizeof number);
  }
  std::uint64_t number(std::size_t at) override {
    const std::lock_guard lock(state_->mutex);
    std::uint64_t found = 0;
    std::memcpy(&found, state_->parts[rank_].data() + at, sizeof found);
    return found;
  }
  void close() override { barrier_(); }

 private:
  struct Put {
    std::span<const std::byte> from;
    std::size_t to, at;
  };

  template <class Chosen>
  void arrive(Chosen&& chosen) {
    const std::lock_guard lock(state_->mutex);
    std::erase_if(waiting_, [&](const Put& put) {
      if (!chosen(put)) return false;
      auto& part = state_->parts[put.to];
      if (put.at + put.from.size() > part.size()) throw std::logic_error("put beyond the end of a window");
      std::copy(put.from.begin(), put.from.end(), part.begin() + static_cast<std::ptrdiff_t>(put.at));
      return true;
    });
  }

  std::shared_ptr<WindowState> state_;
  std::size_t rank_;
  std::function<void()> barrier_;
  std::vector<std::size_t> partners_;
  std::vector<Put> waiting_;
};

class ThreadSharedMemory final : public comm::SharedMemory {
 public:
  ThreadSharedMemory(std::shared_ptr<WindowState> state, int rank, std::function<void()> barrier)
      : state_(std::move(state)), rank_(rank), barrier_(std::move(barrier)) {}

  std::span<std::byte> own() override { return state_->parts[static_cast<std::size_t>(rank_)]; }
  std::span<std::byte> of(int rank) override {
    if (rank / k_ranks_of_a_node != rank_ / k_ranks_of_a_node) return {};
    return state_->parts[static_cast<std::size_t>(rank)];
  }
  void close() override { barrier_(); }

 private:
  std::shared_ptr<WindowState> state_;
  int rank_;
  std::function<void()> barrier_;
};

}  // namespace fixture
