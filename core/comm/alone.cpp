#include "comm/alone.hpp"

#include <cstdlib>
#include <stdexcept>

namespace eddyline::comm {

namespace {

class NoRequests final : public Requests {
 public:
  void send(std::span<const std::byte>, int, Tag) override { refuse(); }
  void send_synchronously(std::span<const std::byte>, int, Tag) override { refuse(); }
  void receive(std::span<std::byte>, int, Tag) override { refuse(); }
  void maximum(std::span<double>) override {}
  void minimum(std::span<std::int64_t>) override {}
  void sum(std::span<std::int64_t>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
  bool test() override { return true; }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("a process on its own has nobody to talk to"); }
};

class Alone final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<Requests> requests() override { return std::make_unique<NoRequests>(); }
  std::optional<Incoming> probe(Tag) override { return std::nullopt; }
  void disconnect() override {}
  [[noreturn]] void abort(int exit_code) override { std::exit(exit_code); }
  std::string library() const override { return "none"; }
};

}  // namespace

std::unique_ptr<Communicator> alone() { return std::make_unique<Alone>(); }

}  // namespace eddyline::comm
