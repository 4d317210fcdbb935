// The MPI implementation of the communicator. It is a separate library that is loaded only if a run has ranks, so that
// one build of the core works with any MPI and a run without ranks needs none. Only this folder includes mpi.h.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "comm/connect.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/deferred_frees.hpp"
#include "comm/mpi/requests.hpp"
#include "comm/mpi/windows.hpp"
#include "comm/wait.hpp"
#include "comm/watchdog.hpp"

namespace eddyline::comm {

namespace {

constexpr int k_exit_lost = 5;  // exit code of the command line for a lost rank

/// Size of the longest message [bytes]; tests set a small one.
std::size_t length_of_messages() {
  const char* text = std::getenv("EDDYLINE_LONGEST_MESSAGE");
  return text == nullptr ? k_longest_message : std::max<std::size_t>(1, std::strtoull(text, nullptr, 10));
}

class Mpi final : public Communicator {
 public:
  Mpi() {
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads_));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(communicator_, &rank_));
    check(MPI_Comm_size(communicator_, &size_));
    watchdog_.emplace(patience, [rank = rank_](double seconds) {
      std::fprintf(stderr, "%s\n", Unresponsive::text(rank, "within MPI", seconds).c_str());
      std::_Exit(k_exit_lost);  // MPI_Abort might wait for the call that does not return
    });
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() override = default;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Requests> requests() override { return std::make_unique<MpiRequests>(communicator_, longest_); }
  std::unique_ptr<Persistent> persistent() override { return std::make_unique<MpiPersistent>(communicator_); }
  std::unique_ptr<Graph> graph(std::span<const int> neighbors) override {
    return std::make_unique<MpiGraph>(communicator_, neighbors, deferred_frees_);
  }
  std::unique_ptr<Window> window(std::size_t bytes) override {
    return std::make_unique<MpiWindow>(communicator_, bytes, deferred_frees_);
  }
  std::unique_ptr<SharedMemory> shared_memory(std::size_t bytes) override {
    return std::make_unique<MpiSharedMemory>(communicator_, node(), bytes, deferred_frees_);
  }
  int machine() override {
    int lowest = rank_;
    call_collective(MPI_Bcast, &lowest, 1, MPI_INT, 0, node());
    return lowest;
  }
  std::size_t longest_message() const override { return longest_; }
  bool supports_threads() const override { return threads_ == MPI_THREAD_MULTIPLE; }
  std::optional<Incoming> probe(Tag tag) override {
    int found = 0, bytes = 0;
    MPI_Status status;
    call_mpi(MPI_Iprobe, MPI_ANY_SOURCE, static_cast<int>(tag), communicator_, &found, &status);
    if (found == 0) return std::nullopt;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes));
    return Incoming{status.MPI_SOURCE, static_cast<std::size_t>(bytes)};
  }
  void disconnect() override {
    watchdog_.reset();
    deferred_frees_.free();
    if (node_ != MPI_COMM_NULL) MPI_Comm_free(&node_);
    MPI_Comm_free(&communicator_);
    MPI_Finalize();
  }
  [[noreturn]] void abort(int exit_code) override {
    static int code = 0;
    code = exit_code;
    std::atexit([] { std::_Exit(code); });  // runs before all other exit handlers: MPI may wait for threads to end
    MPI_Abort(communicator_, exit_code);
    std::abort();
  }
  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text);  // `length` may include the terminating null
    return all.substr(0, all.find_first_of("\n\r"));
  }

 private:
  /// The communicator of the ranks on this machine.
  MPI_Comm node() {
    if (node_ == MPI_COMM_NULL)
      call_collective(MPI_Comm_split_type, communicator_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_);
    return node_;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL, node_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, threads_ = MPI_THREAD_SINGLE;
  const std::size_t longest_ = length_of_messages();
  DeferredFrees deferred_frees_;
  std::optional<Watchdog> watchdog_;
};

}  // namespace

}  // namespace eddyline::comm

extern "C" eddyline::comm::Communicator* eddyline_connect() { return new eddyline::comm::Mpi; }
