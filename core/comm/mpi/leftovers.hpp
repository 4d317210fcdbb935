#pragma once
// What only all ranks together can free: if a rank drops it alone, or still has it, it is freed at the end of the run.

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "comm/mpi/check.hpp"

namespace eddyline::comm {

/// What frees all that there is, in the order in which it was made, which is the same on all ranks: whether a rank has
/// dropped something by the end of the run or not yet must not matter, as all of them free the same.
class Leftovers {
 public:
  /// Its number.
  long add(std::function<void()> free) {
    open_[++made_] = std::move(free);
    return made_;
  }
  void forget(long number) { open_.erase(number); }
  /// Collective.
  void free() {
    for (auto& [number, free] : open_) free();
    open_.clear();
  }

 private:
  long made_ = 0;
  std::map<long, std::function<void()>> open_;
};

/// A handle of MPI that close() frees, on all ranks at once; without it, that happens at the end.
template <class Handle>
class LeftOver {
 public:
  using Free = int (*)(Handle*);

  LeftOver(Leftovers& leftovers, Handle handle, Free free)
      : leftovers_(leftovers),
        state_(std::make_shared<State>(handle, free)),
        number_(leftovers.add([state = state_] { state->release(), state->free(&state->handle); })) {}
  LeftOver(const LeftOver&) = delete;
  LeftOver& operator=(const LeftOver&) = delete;

  Handle get() const { return state_->handle; }
  /// Something is to be done before it is freed.
  void hold(int (*first)(Handle)) { state_->held = first; }
  /// Does that, if it has not been done.
  void release() { state_->release(); }
  void close() {
    if (!std::exchange(open_, false)) return;
    leftovers_.forget(number_);
    release();
    together(state_->free, &state_->handle);
  }

 private:
  struct State {
    Handle handle;
    Free free;
    int (*held)(Handle) = nullptr;

    State(Handle some, Free how) : handle(some), free(how) {}
    void release() {
      if (held != nullptr) std::exchange(held, nullptr)(handle);
    }
  };

  Leftovers& leftovers_;
  std::shared_ptr<State> state_;
  long number_;
  bool open_ = true;
};

}  // namespace eddyline::comm
