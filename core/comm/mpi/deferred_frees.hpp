#pragma once
// MPI objects that only all ranks together can free. If a rank drops one alone or still holds it, it is freed at the
// end of the run.

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "comm/mpi/check.hpp"

namespace eddyline::comm {

/// Frees all objects at the end, in the order of their creation, which is the same on all ranks. Whether a rank has
/// dropped an object before the end does not matter: all ranks free the same objects.
class DeferredFrees {
 public:
  /// Registers a function that frees an object; returns its number.
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

/// An MPI handle that close() frees collectively; otherwise it is freed at the end of the run.
template <class Handle>
class CollectiveHandle {
 public:
  using Free = int (*)(Handle*);

  CollectiveHandle(DeferredFrees& deferred_frees, Handle handle, Free free)
      : deferred_frees_(deferred_frees),
        state_(std::make_shared<State>(handle, free)),
        number_(deferred_frees.add([state = state_] { state->release(), state->free(&state->handle); })) {}
  CollectiveHandle(const CollectiveHandle&) = delete;
  CollectiveHandle& operator=(const CollectiveHandle&) = delete;

  Handle get() const { return state_->handle; }
  /// Registers a call that must be made before the handle is freed.
  void hold(int (*first)(Handle)) { state_->held = first; }
  /// Makes that call, if it has not been made yet.
  void release() { state_->release(); }
  void close() {
    if (!std::exchange(open_, false)) return;
    deferred_frees_.forget(number_);
    release();
    call_collective(state_->free, &state_->handle);
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

  DeferredFrees& deferred_frees_;
  std::shared_ptr<State> state_;
  long number_;
  bool open_ = true;
};

}  // namespace eddyline::comm
