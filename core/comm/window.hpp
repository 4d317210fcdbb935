#pragma once
// Memory of one rank that other ranks read or write.

#include <cstddef>
#include <cstdint>
#include <span>

namespace eddyline::comm {

/// Memory of each rank that other ranks write to. A window is used in one of three ways during its whole life. Calls
/// marked as blocking block inside the library, which may spin; make sure beforehand that the other ranks have arrived.
class Window {
 public:
  virtual ~Window() = default;

  /// This rank's part.
  virtual std::span<std::byte> memory() = 0;
  /// Writes to byte `at` of another rank's part. Both sides may access the memory concerned only after the epoch has
  /// ended.
  virtual void put(std::span<const std::byte> from, int to, std::size_t at) = 0;

  /// 1. Active target with fences: completes all puts of all ranks and starts the next epoch. Collective, blocks.
  virtual void fence() = 0;

  /// 2. Epochs with some ranks, each of which must name this one. post(): the partners may put from now on. access():
  /// this rank may put from now on; blocks until all partners have posted. complete(): this rank has finished its puts;
  /// may block until they have arrived. test(): whether all partners have completed, which ends the epoch that post()
  /// began.
  virtual void set_partners(std::span<const int> ranks) = 0;
  virtual void post() = 0;
  virtual void access() = 0;
  virtual void complete() = 0;
  virtual bool test() = 0;

  /// 3. Passive target, without participation of the target. open(): this rank may put to any rank from now on.
  /// flush(): all puts to that rank have arrived on return; may block. Numbers are written and read atomically, at any
  /// time.
  virtual void open() = 0;
  virtual void flush(int to) = 0;
  virtual void put_number(std::uint64_t number, int to, std::size_t at) = 0;
  /// Reads a number in this rank's part. Once it is seen, everything that was flushed before the number was put can be
  /// read.
  virtual std::uint64_t number(std::size_t at) = 0;

  /// Frees the window. Collective. Otherwise it is freed when all ranks disconnect.
  virtual void close() = 0;
};

/// Memory that all ranks of one machine can access.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;

  virtual std::span<std::byte> own() = 0;
  /// The part of another rank, mapped into this process; empty if that rank is on another machine.
  virtual std::span<std::byte> of(int rank) = 0;
  /// Frees the memory. Collective. Otherwise it is freed when all ranks disconnect.
  virtual void close() = 0;
};

}  // namespace eddyline::comm
