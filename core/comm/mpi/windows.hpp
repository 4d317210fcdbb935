#pragma once

#include <mpi.h>

#include <stdexcept>
#include <vector>

#include "comm/mpi/check.hpp"
#include "comm/mpi/deferred_frees.hpp"
#include "comm/window.hpp"

namespace eddyline::comm {

class MpiWindow final : public Window {
 public:
  MpiWindow(MPI_Comm communicator, std::size_t bytes, DeferredFrees& deferred_frees)
      : communicator_(communicator), handle_(deferred_frees, allocate(bytes), MPI_Win_free), memory_(base_, bytes) {
    check(MPI_Win_set_errhandler(handle_.get(), MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(communicator_, &rank_));
  }
  MpiWindow(const MpiWindow&) = delete;
  MpiWindow& operator=(const MpiWindow&) = delete;
  ~MpiWindow() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) end_epochs();
  }

  std::span<std::byte> memory() override { return memory_; }
  void put(std::span<const std::byte> from, int to, std::size_t at) override {
    const int count = count_of(from.size());
    call_mpi(MPI_Put, from.data(), count, MPI_BYTE, to, static_cast<MPI_Aint>(at), count, MPI_BYTE, handle_.get());
  }

  void fence() override { call_mpi(MPI_Win_fence, 0, handle_.get()); }

  void set_partners(std::span<const int> ranks) override {
    MPI_Group all = MPI_GROUP_NULL;
    check(MPI_Comm_group(communicator_, &all));
    if (partners_ != MPI_GROUP_NULL) check(MPI_Group_free(&partners_));
    check(MPI_Group_incl(all, count_of(ranks.size()), ranks.data(), &partners_));
    check(MPI_Group_free(&all));
  }
  // MPI_MODE_NOCHECK is not used, although all ranks have posted: with it, Open MPI 5.0 miscounts the second epoch.
  void post() override { call_mpi(MPI_Win_post, partners_, 0, handle_.get()); }
  void access() override { call_mpi(MPI_Win_start, partners_, 0, handle_.get()); }
  void complete() override { call_mpi(MPI_Win_complete, handle_.get()); }
  bool test() override {
    int done = 0;
    call_mpi(MPI_Win_test, handle_.get(), &done);
    return done != 0;
  }

  void open() override {
    call_mpi(MPI_Win_lock_all, MPI_MODE_NOCHECK, handle_.get());
    handle_.hold(MPI_Win_unlock_all);
  }
  void flush(int to) override { call_mpi(MPI_Win_flush, to, handle_.get()); }
  void put_number(std::uint64_t number, int to, std::size_t at) override {
    call_mpi(MPI_Accumulate, &number, 1, MPI_UINT64_T, to, static_cast<MPI_Aint>(at), 1, MPI_UINT64_T, MPI_REPLACE,
             handle_.get());
    flush(to);
  }
  std::uint64_t number(std::size_t at) override {
    std::uint64_t found = 0;
    const std::uint64_t nothing = 0;
    call_mpi(MPI_Fetch_and_op, &nothing, &found, MPI_UINT64_T, rank_, static_cast<MPI_Aint>(at), MPI_NO_OP,
             handle_.get());
    flush(rank_);
    check(MPI_Win_sync(handle_.get()));
    return found;
  }

  void close() override {
    end_epochs();
    handle_.close();
  }

 private:
  MPI_Win allocate(std::size_t bytes) {
    MPI_Win window = MPI_WIN_NULL;
    call_collective(MPI_Win_allocate, static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, communicator_,
                    static_cast<void*>(&base_), &window);
    return window;
  }
  void end_epochs() {
    handle_.release();
    if (partners_ != MPI_GROUP_NULL) MPI_Group_free(&partners_);
  }

  MPI_Comm communicator_;
  std::byte* base_ = nullptr;
  CollectiveHandle<MPI_Win> handle_;
  std::span<std::byte> memory_;
  MPI_Group partners_ = MPI_GROUP_NULL;
  int rank_ = 0;
};

/// `node`: the ranks of this machine, split from `communicator`.
class MpiSharedMemory final : public SharedMemory {
 public:
  MpiSharedMemory(MPI_Comm communicator, MPI_Comm node, std::size_t bytes, DeferredFrees& deferred_frees)
      : handle_(deferred_frees, allocate(node, bytes), MPI_Win_free), own_(base_, bytes) {
    int size = 0, here = 0;
    check(MPI_Comm_size(communicator, &size));
    check(MPI_Comm_size(node, &here));
    MPI_Group all = MPI_GROUP_NULL, near = MPI_GROUP_NULL;
    check(MPI_Comm_group(communicator, &all));
    check(MPI_Comm_group(node, &near));
    std::vector<int> numbers(static_cast<std::size_t>(here)), ranks(numbers.size());
    for (int n = 0; n < here; ++n) numbers[static_cast<std::size_t>(n)] = n;
    check(MPI_Group_translate_ranks(near, here, numbers.data(), all, ranks.data()));
    check(MPI_Group_free(&all));
    check(MPI_Group_free(&near));
    parts_.resize(static_cast<std::size_t>(size));
    for (int n = 0; n < here; ++n) {
      MPI_Aint length = 0;
      int unit = 0;
      std::byte* first = nullptr;
      check(MPI_Win_shared_query(handle_.get(), n, &length, &unit, static_cast<void*>(&first)));
      parts_[static_cast<std::size_t>(ranks[static_cast<std::size_t>(n)])] = {first, static_cast<std::size_t>(length)};
    }
    call_mpi(MPI_Win_lock_all, MPI_MODE_NOCHECK, handle_.get());  // MPI allows no access outside an epoch
    handle_.hold(MPI_Win_unlock_all);
  }
  MpiSharedMemory(const MpiSharedMemory&) = delete;
  MpiSharedMemory& operator=(const MpiSharedMemory&) = delete;
  ~MpiSharedMemory() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0) handle_.release();
  }

  std::span<std::byte> own() override { return own_; }
  std::span<std::byte> of(int rank) override { return parts_.at(static_cast<std::size_t>(rank)); }
  void close() override { handle_.close(); }

 private:
  MPI_Win allocate(MPI_Comm node, std::size_t bytes) {
    MPI_Win window = MPI_WIN_NULL;
    MPI_Info info = MPI_INFO_NULL;
    check(MPI_Info_create(&info));
    check(MPI_Info_set(info, "alloc_shared_noncontig", "true"));  // each part starts at its own page
    call_collective(MPI_Win_allocate_shared, static_cast<MPI_Aint>(bytes), 1, info, node, static_cast<void*>(&base_),
                    &window);
    check(MPI_Info_free(&info));
    return window;
  }

  std::byte* base_ = nullptr;
  CollectiveHandle<MPI_Win> handle_;
  std::span<std::byte> own_;
  std::vector<std::span<std::byte>> parts_;
};

}  // namespace eddyline::comm
