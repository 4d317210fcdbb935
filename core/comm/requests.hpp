#pragma once
// Non-blocking operations between ranks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::comm {

/// Kind of a message. Messages between two ranks with the same tag arrive in the order in which they were sent. These
/// kinds belong to this folder; halos take theirs by name, see Tags.
enum class Tag : int { counts_even, counts_odd, parcels, state, engine, first_of_halos };

/// Blocks of a piece of memory, one for each rank of a list.
struct Blocks {
  std::vector<int> sizes, offsets;  // bytes
};

/// Operations in progress. None of them blocks. Buffers and Blocks belong to the operations until all have completed.
/// Collective operations must be started in the same order on all ranks.
class Requests {
 public:
  virtual ~Requests() = default;

  /// Sends a message of any size; the receiver must expect the same size.
  virtual void send(std::span<const std::byte> from, int to, Tag tag) = 0;
  /// Completes only when the receiver has begun to receive.
  virtual void send_synchronously(std::span<const std::byte> from, int to, Tag tag) = 0;
  virtual void receive(std::span<std::byte> into, int from, Tag tag) = 0;
  /// Receives a message of at most that size, below 1 GiB; the content of the message must tell its length.
  virtual void receive_at_most(std::span<std::byte> into, int from, Tag tag) = 0;

  // Collective: each value becomes the maximum, minimum or sum over all ranks, or the value of the root.
  virtual void maximum(std::span<double> values) = 0;
  virtual void minimum(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;
  /// Block b of `out` goes to rank b, block a of `in` comes from rank a: one block per rank, all of equal size.
  virtual void all_to_all(std::span<const std::byte> out, std::span<std::byte> in) = 0;
  /// The same with blocks of any size, which both sides must know.
  virtual void all_to_all(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) = 0;

  /// True if all operations started so far have completed. Makes progress.
  virtual bool test() = 0;
};

/// Messages that are sent again and again between the same memory. None of these calls blocks.
class Persistent {
 public:
  virtual ~Persistent() = default;

  /// Registers a message and returns its number; numbers count from 0. The memory must stay in place.
  virtual std::size_t add_send(std::span<const std::byte> from, int to, Tag tag) = 0;
  virtual std::size_t add_receive(std::span<std::byte> into, int from, Tag tag) = 0;
  virtual void start(std::size_t number) = 0;
  /// True if all started messages have completed. Makes progress.
  virtual bool test() = 0;
};

/// Collective operations between neighbours in a graph of ranks. Like those of Requests, they do not block.
class Graph {
 public:
  virtual ~Graph() = default;

  /// Block k of `out` goes to neighbour k, block k of `in` comes from neighbour k, in the order in which the neighbours
  /// were named.
  virtual void exchange(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) = 0;
  virtual bool test() = 0;
  /// Frees the graph. Collective. Otherwise it is freed when all ranks disconnect.
  virtual void close() = 0;
};

}  // namespace eddyline::comm
