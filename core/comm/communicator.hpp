#pragma once
// Message passing as the rest of the core sees it. Implementations: a process on its own (alone.hpp) and MPI (mpi/).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace eddyline::comm {

/// What a message is about. Messages from one rank to another with one tag arrive in the order in which they were sent.
enum class Tag : int { fluid_halo, wall_halo, cell_halo, fit_halo, counts_even, counts_odd, migrants, state };

/// Operations under way. None of them blocks; buffers belong to the operation until all have completed. Begin
/// collective ones on all ranks in the same order.
class Requests {
 public:
  virtual ~Requests() = default;

  virtual void send(std::span<const std::byte> from, int to, Tag tag) = 0;
  /// Completes only when the other rank has begun to receive.
  virtual void send_synchronously(std::span<const std::byte> from, int to, Tag tag) = 0;
  virtual void receive(std::span<std::byte> into, int from, Tag tag) = 0;

  // Collective. Each value becomes that of all ranks.
  virtual void maximum(std::span<double> values) = 0;
  virtual void minimum(std::span<std::int64_t> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;

  /// Whether all operations begun so far have completed. They make progress here.
  virtual bool test() = 0;
};

/// A message that has been announced and waits to be received.
struct Incoming {
  int from;
  std::size_t bytes;
};

/// The processes of a run. A rank talks from one thread only.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Requests> requests() = 0;
  /// A message with this tag from anybody, if one has come.
  virtual std::optional<Incoming> probe(Tag tag) = 0;
  /// The end: no operation may follow. Collective.
  virtual void disconnect() = 0;
  /// Ends all processes at once: one of them cannot go on.
  [[noreturn]] virtual void abort(int exit_code) = 0;
  /// The library behind it, for reports.
  virtual std::string library() const = 0;

  /// How long a rank waits for others within a step before it gives up [s]; 0: for ever.
  double patience = 0;

  /// How often parcels have been delivered, see collectives.hpp.
  unsigned deliveries = 0;

  bool is_root() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }
};

}  // namespace eddyline::comm
