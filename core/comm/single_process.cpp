#include "comm/single_process.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace eddyline::comm {

namespace {

[[noreturn]] void refuse() { throw std::logic_error("a single process cannot exchange messages"); }

class NoRequests final : public Requests {
 public:
  void send(std::span<const std::byte>, int, Tag) override { refuse(); }
  void send_synchronously(std::span<const std::byte>, int, Tag) override { refuse(); }
  void receive(std::span<std::byte>, int, Tag) override { refuse(); }
  void receive_at_most(std::span<std::byte>, int, Tag) override { refuse(); }
  void maximum(std::span<double>) override {}
  void minimum(std::span<std::int64_t>) override {}
  void sum(std::span<std::int64_t>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
  void all_to_all(std::span<const std::byte> out, std::span<std::byte> in) override {
    std::copy(out.begin(), out.end(), in.begin());
  }
  void all_to_all(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) override {
    std::copy_n(out + sent.offsets[0], sent.sizes[0], in + received.offsets[0]);
  }
  bool test() override { return true; }
};

class SingleProcess final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<Requests> requests() override { return std::make_unique<NoRequests>(); }
  std::unique_ptr<Persistent> persistent() override { refuse(); }
  std::unique_ptr<Graph> graph(std::span<const int>) override { refuse(); }
  std::unique_ptr<Window> window(std::size_t) override { refuse(); }
  std::unique_ptr<SharedMemory> shared_memory(std::size_t) override { refuse(); }
  int machine() override { return 0; }
  bool supports_threads() const override { return true; }
  std::optional<Incoming> probe(Tag) override { return std::nullopt; }
  void disconnect() override {}
  [[noreturn]] void abort(int exit_code) override { std::exit(exit_code); }
  std::string library() const override { return "none"; }
};

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

}  // namespace eddyline::comm
