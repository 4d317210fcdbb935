#pragma once
// Operations under way between ranks.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eddyline::comm {

/// What a message is about. Messages from one rank to another with one tag arrive in the order in which they were sent.
enum class Tag : int {
  fluid_halo,
  wall_halo,
  cell_halo,
  fit_halo,
  counts_even,
  counts_odd,
  migrants,
  state,
  engine,
  fluid_copies,
  wall_copies,
  between_sites  // and those after it: of each halo, what goes to other sites in a way of its own
};

/// Parts of a piece of memory, one for each of some ranks.
struct Blocks {
  std::vector<int> sizes, offsets;  // bytes
};

/// Operations under way. None of them blocks; buffers and Blocks belong to the operation until all have completed.
/// Begin collective ones on all ranks in the same order.
class Requests {
 public:
  virtual ~Requests() = default;

  /// A message of any size; the other rank receives one of the same size.
  virtual void send(std::span<const std::byte> from, int to, Tag tag) = 0;
  /// Completes only when the other rank has begun to receive.
  virtual void send_synchronously(std::span<const std::byte> from, int to, Tag tag) = 0;
  virtual void receive(std::span<std::byte> into, int from, Tag tag) = 0;
  /// A message of that size or shorter, below 1 GiB; the message itself has to say how long it is.
  virtual void receive_at_most(std::span<std::byte> into, int from, Tag tag) = 0;

  // Collective. Each value becomes that of all ranks.
  virtual void maximum(std::span<double> values) = 0;
  virtual void minimum(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;
  /// Block b of `out` goes to rank b, block a of `in` comes from rank a; a block for each rank, all of one size.
  virtual void all_to_all(std::span<const std::byte> out, std::span<std::byte> in) = 0;
  /// The same with blocks of any size. Both sides know the sizes.
  virtual void all_to_all(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) = 0;

  /// Whether all operations begun so far have completed. They make progress here.
  virtual bool test() = 0;
};

/// Messages that are sent again and again, from and to the same memory. None of what follows blocks.
class Persistent {
 public:
  virtual ~Persistent() = default;

  /// Make a message known; its number is how many were known before. The memory must stay where it is.
  virtual std::size_t add_send(std::span<const std::byte> from, int to, Tag tag) = 0;
  virtual std::size_t add_receive(std::span<std::byte> into, int from, Tag tag) = 0;
  virtual void start(std::size_t number) = 0;
  /// Whether all that were started have completed.
  virtual bool test() = 0;
};

/// Ranks as a graph: collective operations between neighbours. Like Requests, none of them blocks.
class Graph {
 public:
  virtual ~Graph() = default;

  /// Block k of `out` goes to neighbour k, block k of `in` comes from it, in the order in which they were named.
  virtual void exchange(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) = 0;
  virtual bool test() = 0;
  /// Frees it. Collective; without it that happens when all ranks disconnect.
  virtual void close() = 0;
};

}  // namespace eddyline::comm
