#pragma once
// Interface of message passing. Implementations: a single process (single_process.hpp) and MPI (mpi/).

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

/// A message that can be received at once.
struct Incoming {
  int from;
  std::size_t bytes;
};

/// The processes of a run. A rank communicates from one thread only; if supports_threads() is true, each thread may
/// communicate with its own requests.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::unique_ptr<Requests> requests() = 0;
  virtual std::unique_ptr<Persistent> persistent() = 0;
  /// Collective: each rank names its neighbours, and each neighbour must name this rank.
  virtual std::unique_ptr<Graph> graph(std::span<const int> neighbors) = 0;
  /// Collective: each rank may ask for another number of bytes. The contents are undefined.
  virtual std::unique_ptr<Window> window(std::size_t bytes) = 0;
  virtual std::unique_ptr<SharedMemory> shared_memory(std::size_t bytes) = 0;
  /// The lowest rank on this rank's machine, as the message-passing library sees machines. Collective.
  virtual int machine() = 0;
  virtual bool supports_threads() const = 0;
  /// Largest size [bytes] that travels as one message and whose size probe() reports.
  virtual std::size_t longest_message() const { return std::numeric_limits<std::size_t>::max(); }
  /// A message with this tag from any rank, if one has arrived.
  virtual std::optional<Incoming> probe(Tag tag) = 0;
  /// Ends message passing; no operation may follow. Collective.
  virtual void disconnect() = 0;
  /// Ends all processes at once because one of them cannot continue.
  [[noreturn]] virtual void abort(int exit_code) = 0;
  /// Name and version of the message-passing library, for reports.
  virtual std::string library() const = 0;

  /// Time limit of a rank's waits for other ranks within a step [s]; 0: no limit. Any waiting thread may read
  /// it.
  std::atomic<double> patience = 0;

  /// Site number of each rank. Ranks of one site have fast links to each other and slow links to other sites. Empty:
  /// one site.
  std::vector<int> sites;
  bool is_far(int other) const {
    return !sites.empty() && sites[static_cast<std::size_t>(other)] != sites[static_cast<std::size_t>(rank())];
  }

  /// The lowest rank at the site of `other`.
  int leader_of(int other) const {
    if (sites.empty()) return 0;
    return static_cast<int>(std::find(sites.begin(), sites.end(), sites[static_cast<std::size_t>(other)]) -
                            sites.begin());
  }

  /// Number of deliveries so far, see collectives.hpp.
  unsigned deliveries = 0;

  /// The threads that send and receive for this rank while they are in use, see engine.hpp.
  std::weak_ptr<Engine> engine;

  /// The log that records this rank's exchanges, if recording is on, see traffic_log.hpp.
  std::weak_ptr<TrafficLog> traffic_log;

  bool is_root() const { return rank() == 0; }
  bool is_alone() const { return size() == 1; }
};

}  // namespace eddyline::comm
