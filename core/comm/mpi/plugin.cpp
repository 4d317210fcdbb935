// The communicator behind MPI: a library of its own that is loaded when a run has ranks, so that one build of the core
// serves any MPI and a run without ranks needs none. The only file that includes mpi.h.

#include <mpi.h>

#include <climits>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/connect.hpp"

namespace eddyline::comm {

namespace {

void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
}

int count_of(std::size_t size) {
  if (size > INT_MAX) throw std::length_error("a message of more than 2 GiB");
  return static_cast<int>(size);
}

class MpiRequests final : public Requests {
 public:
  explicit MpiRequests(MPI_Comm communicator) : communicator_(communicator) {}

  void send(std::span<const std::byte> from, int to, Tag tag) override {
    check(MPI_Isend(from.data(), count_of(from.size()), MPI_BYTE, to, static_cast<int>(tag), communicator_, next()));
  }
  void send_synchronously(std::span<const std::byte> from, int to, Tag tag) override {
    check(MPI_Issend(from.data(), count_of(from.size()), MPI_BYTE, to, static_cast<int>(tag), communicator_, next()));
  }
  void receive(std::span<std::byte> into, int from, Tag tag) override {
    check(MPI_Irecv(into.data(), count_of(into.size()), MPI_BYTE, from, static_cast<int>(tag), communicator_, next()));
  }
  void maximum(std::span<double> values) override {
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_MAX, communicator_,
                         next()));
  }
  void minimum(std::span<std::int64_t> values) override {
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_INT64_T, MPI_MIN, communicator_,
                         next()));
  }
  void sum(std::span<std::int64_t> values) override {  // unsigned: sums of hashes wrap around
    check(MPI_Iallreduce(MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_UINT64_T, MPI_SUM, communicator_,
                         next()));
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    check(MPI_Ibcast(bytes.data(), count_of(bytes.size()), MPI_BYTE, root, communicator_, next()));
  }
  void barrier() override { check(MPI_Ibarrier(communicator_, next())); }

  bool test() override {
    int done = 0;
    check(MPI_Testall(count_of(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) requests_.clear();
    return done != 0;
  }

 private:
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
};

class Mpi final : public Communicator {
 public:
  Mpi() {
    int provided = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided));
    check(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
    check(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
    check(MPI_Comm_rank(communicator_, &rank_));
    check(MPI_Comm_size(communicator_, &size_));
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() override = default;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::unique_ptr<Requests> requests() override { return std::make_unique<MpiRequests>(communicator_); }
  std::optional<Incoming> probe(Tag tag) override {
    int found = 0, bytes = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, static_cast<int>(tag), communicator_, &found, &status));
    if (found == 0) return std::nullopt;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes));
    return Incoming{status.MPI_SOURCE, static_cast<std::size_t>(bytes)};
  }
  void disconnect() override {
    MPI_Comm_free(&communicator_);
    MPI_Finalize();
  }
  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(communicator_, exit_code);
    std::abort();
  }
  std::string library() const override {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text);  // `length` may count the end
    return all.substr(0, all.find_first_of("\n\r"));
  }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

}  // namespace

}  // namespace eddyline::comm

extern "C" eddyline::comm::Communicator* eddyline_connect() { return new eddyline::comm::Mpi; }
