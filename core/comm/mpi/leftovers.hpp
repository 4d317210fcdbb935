#pragma once
// What only all ranks together can free, and what a rank has dropped alone: it waits for the end of the run.

#include <mpi.h>

#include <functional>
#include <map>
#include <utility>

#include "comm/mpi/check.hpp"

namespace eddyline::comm {

/// What frees them, in the order in which they were made, which is the same on all ranks.
class Leftovers {
 public:
  long next() { return ++made_; }
  void add(long number, std::function<void()> free) { waiting_[number] = std::move(free); }
  /// Collective.
  void free() {
    for (auto& [number, free] : waiting_) free();
    waiting_.clear();
  }

 private:
  long made_ = 0;
  std::map<long, std::function<void()>> waiting_;
};

/// A handle of MPI that close() frees, on all ranks at once; without it, that happens at the end.
template <class Handle>
class LeftOver {
 public:
  using Free = int (*)(Handle*);

  LeftOver(Leftovers& leftovers, Handle handle, Free free)
      : leftovers_(leftovers), number_(leftovers.next()), handle_(handle), free_(free) {}
  LeftOver(const LeftOver&) = delete;
  LeftOver& operator=(const LeftOver&) = delete;
  ~LeftOver() {
    if (open_) leftovers_.add(number_, [handle = handle_, free = free_]() mutable { free(&handle); });
  }

  Handle get() const { return handle_; }
  void close() {
    if (std::exchange(open_, false)) together(free_, &handle_);
  }

 private:
  Leftovers& leftovers_;
  long number_;
  Handle handle_;
  Free free_;
  bool open_ = true;
};

}  // namespace eddyline::comm
