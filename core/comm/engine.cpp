#include "comm/engine.hpp"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"
#include "comm/wait.hpp"

namespace eddyline::comm {

void EngineQueue::put(const EngineMessage& message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(message);
  }
  filled_.notify_one();
}

std::optional<std::vector<EngineMessage>> EngineQueue::take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) filled_.wait(lock, [this] { return closed_ || !messages_.empty(); });
  if (closed_) return std::nullopt;
  std::vector<EngineMessage> taken(messages_.begin(), messages_.end());
  messages_.clear();
  return taken;
}

void EngineQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  filled_.notify_one();
}

std::shared_ptr<Engine> Engine::of(Communicator& communicator) {
  auto engine = communicator.engine.lock();
  if (!engine) {
    if (!communicator.supports_threads())
      throw UserError("exchange = \"threaded\" needs MPI_THREAD_MULTIPLE, which the message-passing library (" +
                      communicator.library() + ") does not provide. Use another MPI, or another exchange.");
    engine = std::make_shared<Engine>(communicator);
    communicator.engine = engine;
  }
  return engine;
}

Engine::Engine(Communicator& communicator) : communicator_(communicator) {
  sender_ = start([this] { send_all(); });
  receiver_ = start([this] { receive_all(); });
}

Engine::~Engine() { stop(); }

void Engine::stop() {
  sends_.close();
  receives_.close();
  if (sender_.joinable()) sender_.join();
  if (receiver_.joinable()) receiver_.join();
}

template <class Loop>
std::thread Engine::start(Loop loop) {
  return std::thread([this, loop] {
    try {
      loop();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!thrown_) thrown_ = std::current_exception();
    }
  });
}

void Engine::set_handlers(Tag kind, EngineHandlers handlers) {
  const std::lock_guard lock(mutex_);
  handlers_[kind] = std::move(handlers);
}

void Engine::send(const EngineMessage& message) {
  const Header header{static_cast<std::int32_t>(message.kind), communicator_.rank(), message.bytes.size() - k_header};
  std::memcpy(message.bytes.data(), &header, sizeof header);
  sends_.put(message);
}

void Engine::expect(const EngineMessage& message) { receives_.put(message); }

void Engine::rethrow() {
  const std::lock_guard lock(mutex_);
  if (thrown_) std::rethrow_exception(thrown_);
}

void Engine::send_all() {
  const auto requests = communicator_.requests();
  std::vector<EngineMessage> under_way;
  std::optional<Backoff> backoff;
  while (const auto queued = sends_.take(under_way.empty())) {
    for (const EngineMessage& message : *queued) {
      requests->send(message.bytes, message.rank, message.kind);
      under_way.push_back(message);
    }
    if (!queued->empty()) backoff.emplace(communicator_, "halo exchange, threaded: sending");
    if (!requests->test()) {
      if (backoff) backoff->next();
      continue;
    }
    for (const EngineMessage& message : under_way) sent(message);
    under_way.clear();
  }
}

void Engine::receive_all() {
  std::vector<Expected> expected;
  std::vector<std::unique_ptr<Requests>> unused;
  std::optional<Backoff> backoff;
  while (const auto queued = receives_.take(expected.empty())) {
    for (const EngineMessage& message : *queued) {
      if (unused.empty()) unused.push_back(communicator_.requests());
      unused.back()->receive(message.bytes, message.rank, message.kind);
      expected.push_back({message, std::move(unused.back())});
      unused.pop_back();
    }
    bool any = !queued->empty();
    for (auto one = expected.begin(); one != expected.end();) {
      if (!one->requests->test()) {
        ++one;
        continue;
      }
      any = true;
      arrived(one->message);
      unused.push_back(std::move(one->requests));
      one = expected.erase(one);
    }
    if (any) backoff.emplace(communicator_, "halo exchange, threaded: receiving");
    if (!expected.empty() && backoff) backoff->next();
  }
}

void Engine::sent(const EngineMessage& message) {
  const std::lock_guard lock(mutex_);
  handlers_.at(message.kind).sent(message.rank);
}

void Engine::arrived(const EngineMessage& message) {
  Header header;
  std::memcpy(&header, message.bytes.data(), sizeof header);
  const auto payload = message.bytes.subspan(k_header);
  if (header.from != message.rank || header.kind != static_cast<std::int32_t>(message.kind) ||
      header.bytes != payload.size())
    throw std::logic_error("the header of a message does not match the expected message");
  const std::lock_guard lock(mutex_);
  handlers_.at(message.kind).arrived(message.rank, payload);
}

}  // namespace eddyline::comm
