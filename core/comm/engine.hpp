#pragma once
// Threads that send and receive for a rank while it computes.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "comm/communicator.hpp"

namespace eddyline::comm {

/// A message of the engine: space for a header, then the payload. The memory must stay valid until the handler was
/// called.
struct EngineMessage {
  int rank;
  Tag kind;
  std::span<std::byte> bytes;
};

/// Handlers for messages of one kind. The engine calls them in its threads, one call at a time.
struct EngineHandlers {
  std::function<void(int to)> sent;
  std::function<void(int from, std::span<const std::byte> payload)> arrived;
};

/// A first-in, first-out queue between two threads.
class EngineQueue {
 public:
  void put(const EngineMessage& message);
  /// Removes and returns all queued messages in order. `wait`: sleeps until there is a message. Returns nothing once
  /// the queue is closed.
  std::optional<std::vector<EngineMessage>> take(bool wait);
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<EngineMessage> messages_;
  bool closed_ = false;
};

/// A sending thread and a receiving thread, each with a queue. A message put into the send queue leaves at once,
/// whatever the computing thread does. A message put into the receive queue is expected; when it arrives, the receiving
/// thread reads its header and calls the handler registered for its kind. Threads without work sleep. Source:
/// Ramanathan and Parashar, a multithreaded communication engine.
class Engine {
 public:
  static constexpr std::size_t k_header = 64;  // bytes, so that payloads begin at a cache line

  /// The engine of this rank, shared by all callers while at least one of them holds it. Throws UserError if the
  /// message-passing library does not support several threads.
  static std::shared_ptr<Engine> of(Communicator& communicator);
  explicit Engine(Communicator& communicator);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// May be called only while no message of this kind is in transit.
  void set_handlers(Tag kind, EngineHandlers handlers);
  void send(const EngineMessage& message);
  /// Registers a message to be received. The payload must arrive with exactly this length.
  void expect(const EngineMessage& message);
  /// Rethrows, in the caller's thread, an exception that one of the engine's threads has thrown.
  void rethrow();
  /// Ends both threads, even if messages are in transit.
  void stop();

 private:
  struct Header {
    std::int32_t kind;
    std::int32_t from;
    std::uint64_t bytes;  // size of the payload
  };
  struct Expected {
    EngineMessage message;
    std::unique_ptr<Requests> requests;
  };

  void send_all();
  void receive_all();
  void sent(const EngineMessage& message);
  void arrived(const EngineMessage& message);
  template <class Loop>
  std::thread start(Loop loop);

  Communicator& communicator_;
  EngineQueue sends_, receives_;
  std::mutex mutex_;  // guards handlers_ and thrown_
  std::map<Tag, EngineHandlers> handlers_;
  std::exception_ptr thrown_;
  std::thread sender_, receiver_;
};

}  // namespace eddyline::comm
