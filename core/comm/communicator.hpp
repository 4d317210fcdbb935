#pragma once
// Message passing as the rest of the core sees it. Implementations: a process on its own (alone.hpp) and MPI (mpi/).

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/requests.hpp"
#include "comm/window.hpp"

namespace eddyline::comm {

class Engine;
class TrafficLog;

/// A message that has been announced and waits to be received.
struct Incoming {
  int from;
  std::size_t bytes;
};

/// The processes of a run. A rank talks from one thread only, or, if it serves threads, from each thread with requests
/// of its own.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Requests> requests() = 0;
  virtual std::unique_ptr<Persistent> persistent() = 0;
  /// Collective: each rank names its neighbours, who name it, too.
  virtual std::unique_ptr<Graph> graph(std::span<const int> neighbors) = 0;
  /// Collective: as many bytes as each rank wants. Their contents are not defined.
  virtual std::unique_ptr<Window> window(std::size_t bytes) = 0;
  virtual std::unique_ptr<SharedMemory> shared_memory(std::size_t bytes) = 0;
  /// The lowest rank on the machine of this one, as the message passing sees machines. Collective.
  virtual int machine() = 0;
  virtual bool supports_threads() const = 0;
  /// Bytes up to which what is sent travels as one message, and probe() tells its size.
  virtual std::size_t longest_message() const { return std::numeric_limits<std::size_t>::max(); }
  /// A message with this tag from anybody, if one has come.
  virtual std::optional<Incoming> probe(Tag tag) = 0;
  /// The end: no operation may follow. Collective.
  virtual void disconnect() = 0;
  /// Ends all processes at once: one of them cannot go on.
  [[noreturn]] virtual void abort(int exit_code) = 0;
  /// The library behind it, for reports.
  virtual std::string library() const = 0;

  /// How long a rank waits for others within a step before it gives up [s]; 0: for ever. Whoever waits reads it, in
  /// any thread.
  std::atomic<double> patience = 0;

  /// The site of each rank: ranks of one site are near each other, and far from those of others. Empty: one site.
  std::vector<int> sites;
  bool is_far(int other) const {
    return !sites.empty() && sites[static_cast<std::size_t>(other)] != sites[static_cast<std::size_t>(rank())];
  }

  /// The lowest rank at the site of that one.
  int leader_of(int other) const {
    if (sites.empty()) return 0;
    return static_cast<int>(std::find(sites.begin(), sites.end(), sites[static_cast<std::size_t>(other)]) -
                            sites.begin());
  }

  /// How often parcels have been delivered, see collectives.hpp.
  unsigned deliveries = 0;

  /// The threads that send and receive for this rank, while anybody uses them, see engine.hpp.
  std::weak_ptr<Engine> engine;

  /// What this rank's exchanges are noted in, while anybody wants to know, see traffic_log.hpp.
  std::weak_ptr<TrafficLog> traffic_log;

  bool is_root() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }
};

}  // namespace eddyline::comm
