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

/// A message of the engine: room for a header, then the payload. Its memory stays until a handler has been called.
struct EngineMessage {
  int rank;
  Tag kind;
  std::span<std::byte> bytes;
};

/// What becomes of messages of one kind. Called in the threads of the engine, one call at a time.
struct EngineHandlers {
  std::function<void(int to)> sent;
  std::function<void(int from, std::span<const std::byte> payload)> arrived;
};

/// First in, first out, between two threads.
class EngineQueue {
 public:
  void put(const EngineMessage& message);
  /// All that have been put, in order. `wait`: sleeps until there is one. Nothing once the queue is closed.
  std::optional<std::vector<EngineMessage>> take(bool wait);
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<EngineMessage> messages_;
  bool closed_ = false;
};

/// A sending and a receiving thread with a queue each. What is put into the first leaves at once, whatever the
/// computing thread does; what is put into the second is expected, and when it comes, the receiving thread reads its
/// header and calls the handler that is registered for its kind. A thread without work sleeps. Source: Ramanathan and
/// Parashar, a multithreaded communication engine.
class Engine {
 public:
  static constexpr std::size_t k_header = 64;  // bytes, so that payloads begin at a cache line

  /// That of this rank, the same one for all who ask while anybody has it. Throws UserError if the message passing
  /// cannot be used by several threads.
  static std::shared_ptr<Engine> of(Communicator& communicator);
  explicit Engine(Communicator& communicator);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  /// Only while nothing of this kind is under way.
  void set_handlers(Tag kind, EngineHandlers handlers);
  void send(const EngineMessage& message);
  /// The payload must come in this length.
  void expect(const EngineMessage& message);
  /// Throws here what one of the threads has thrown.
  void rethrow();
  /// Ends both threads, whatever is under way.
  void stop();

 private:
  struct Header {
    std::int32_t kind;
    std::int32_t from;
    std::uint64_t bytes;  // of the payload
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
  std::mutex mutex_;  // of what follows
  std::map<Tag, EngineHandlers> handlers_;
  std::exception_ptr thrown_;
  std::thread sender_, receiver_;
};

}  // namespace eddyline::comm
