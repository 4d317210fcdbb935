#pragma once
// Memory of one rank that others write or read.

#include <cstddef>
#include <cstdint>
#include <span>

namespace eddyline::comm {

/// Memory of each rank into which others put. It is used in one of three ways, from its beginning to its end. What is
/// said to block blocks in the library, which may spin there: make sure beforehand that nobody is far.
class Window {
 public:
  virtual ~Window() = default;

  /// This rank's part.
  virtual std::span<std::byte> memory() = 0;
  /// Writes to byte `at` of another rank's part. Both sides may look at what it concerns when an epoch has ended.
  virtual void put(std::span<const std::byte> from, int to, std::size_t at) = 0;

  /// 1. Ends what all ranks have put so far and lets all put anew. Collective, blocks.
  virtual void fence() = 0;

  /// 2. Epochs with some ranks, each of which names this one. post(): they may put from now on; access(): this rank
  /// puts from now on, blocks until all of them have posted; complete(): it has put all, may block until that has
  /// arrived; test(): whether all of them have, which ends the epoch that post() began.
  virtual void set_partners(std::span<const int> ranks) = 0;
  virtual void post() = 0;
  virtual void access() = 0;
  virtual void complete() = 0;
  virtual bool test() = 0;

  /// 3. Without those who are written to. open(): this rank may put anywhere from now on; flush(): what it has put has
  /// arrived at that rank, may block. Numbers are written and read in one piece, at any time.
  virtual void open() = 0;
  virtual void flush(int to) = 0;
  virtual void put_number(std::uint64_t number, int to, std::size_t at) = 0;
  /// A number of this rank's part. What had been flushed before it was put can be read once it has been seen.
  virtual std::uint64_t number(std::size_t at) = 0;

  /// Frees it. Collective; without it that happens when all ranks disconnect.
  virtual void close() = 0;
};

/// Memory that all ranks of one machine see.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;

  virtual std::span<std::byte> own() = 0;
  /// The part of another rank, here; empty if it is on another machine.
  virtual std::span<std::byte> of(int rank) = 0;
  /// As above.
  virtual void close() = 0;
};

}  // namespace eddyline::comm
