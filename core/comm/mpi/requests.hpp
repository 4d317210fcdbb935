#pragma once

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "comm/mpi/check.hpp"
#include "comm/mpi/deferred_frees.hpp"
#include "comm/requests.hpp"

namespace eddyline::comm {

/// MPI counts bytes in an int: longer messages travel in pieces, which arrive in the order in which they were sent.
inline constexpr std::size_t k_longest_message = std::size_t{1} << 30;

class MpiRequests final : public Requests {
 public:
  MpiRequests(MPI_Comm communicator, std::size_t longest) : communicator_(communicator), longest_(longest) {}

  void send(std::span<const std::byte> from, int to, Tag tag) override {
    for_each_piece(from, [&](std::span<const std::byte> piece) {
      call_mpi(MPI_Isend, piece.data(), count_of(piece.size()), MPI_BYTE, to, static_cast<int>(tag), communicator_,
               next());
    });
  }
  void send_synchronously(std::span<const std::byte> from, int to, Tag tag) override {
    call_mpi(MPI_Issend, from.data(), count_of(from.size()), MPI_BYTE, to, static_cast<int>(tag), communicator_,
             next());
  }
  void receive(std::span<std::byte> into, int from, Tag tag) override {
    for_each_piece(into, [&](std::span<std::byte> piece) { receive_at_most(piece, from, tag); });
  }
  void receive_at_most(std::span<std::byte> into, int from, Tag tag) override {
    call_mpi(MPI_Irecv, into.data(), count_of(into.size()), MPI_BYTE, from, static_cast<int>(tag), communicator_,
             next());
  }
  void maximum(std::span<double> values) override {
    call_mpi(MPI_Iallreduce, MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_DOUBLE, MPI_MAX, communicator_,
             next());
  }
  void minimum(std::span<std::int64_t> values) override {
    call_mpi(MPI_Iallreduce, MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_INT64_T, MPI_MIN, communicator_,
             next());
  }
  void sum(std::span<std::int64_t> values) override {  // unsigned: sums of hashes wrap around
    call_mpi(MPI_Iallreduce, MPI_IN_PLACE, values.data(), count_of(values.size()), MPI_UINT64_T, MPI_SUM, communicator_,
             next());
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    call_mpi(MPI_Ibcast, bytes.data(), count_of(bytes.size()), MPI_BYTE, root, communicator_, next());
  }
  void barrier() override { call_mpi(MPI_Ibarrier, communicator_, next()); }
  void all_to_all(std::span<const std::byte> out, std::span<std::byte> in) override {
    int size = 0;
    check(MPI_Comm_size(communicator_, &size));
    const int block = count_of(out.size()) / size;
    call_mpi(MPI_Ialltoall, out.data(), block, MPI_BYTE, in.data(), block, MPI_BYTE, communicator_, next());
  }
  void all_to_all(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) override {
    call_mpi(MPI_Ialltoallv, out, sent.sizes.data(), sent.offsets.data(), MPI_BYTE, in, received.sizes.data(),
             received.offsets.data(), MPI_BYTE, communicator_, next());
  }

  bool test() override {
    int done = 0;
    call_mpi(MPI_Testall, count_of(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) requests_.clear();
    return done != 0;
  }

 private:
  /// Calls visit(piece) for each piece of a message; an empty message has one empty piece.
  template <class Byte, class Visit>
  void for_each_piece(std::span<Byte> message, Visit&& visit) const {
    do {
      const auto piece = message.first(std::min(message.size(), longest_));
      visit(piece);
      message = message.subspan(piece.size());
    } while (!message.empty());
  }
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  MPI_Comm communicator_;
  std::size_t longest_;
  std::vector<MPI_Request> requests_;
};

class MpiPersistent final : public Persistent {
 public:
  explicit MpiPersistent(MPI_Comm communicator) : communicator_(communicator) {}
  MpiPersistent(const MpiPersistent&) = delete;
  MpiPersistent& operator=(const MpiPersistent&) = delete;
  ~MpiPersistent() override {
    int over = 0;
    MPI_Finalized(&over);
    if (over == 0)
      for (MPI_Request& each : requests_) MPI_Request_free(&each);
  }

  std::size_t add_send(std::span<const std::byte> from, int to, Tag tag) override {
    check(MPI_Send_init(from.data(), count_of(from.size()), MPI_BYTE, to, static_cast<int>(tag), communicator_,
                        &requests_.emplace_back(MPI_REQUEST_NULL)));
    return requests_.size() - 1;
  }
  std::size_t add_receive(std::span<std::byte> into, int from, Tag tag) override {
    check(MPI_Recv_init(into.data(), count_of(into.size()), MPI_BYTE, from, static_cast<int>(tag), communicator_,
                        &requests_.emplace_back(MPI_REQUEST_NULL)));
    return requests_.size() - 1;
  }
  void start(std::size_t number) override { call_mpi(MPI_Start, &requests_.at(number)); }
  bool test() override {
    int done = 0;
    call_mpi(MPI_Testall, count_of(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }

 private:
  MPI_Comm communicator_;
  std::vector<MPI_Request> requests_;
};

class MpiGraph final : public Graph {
 public:
  MpiGraph(MPI_Comm communicator, std::span<const int> neighbors, DeferredFrees& deferred_frees)
      : handle_(deferred_frees, make(communicator, neighbors), MPI_Comm_free) {}

  void exchange(const std::byte* out, const Blocks& sent, std::byte* in, const Blocks& received) override {
    call_mpi(MPI_Ineighbor_alltoallv, out, sent.sizes.data(), sent.offsets.data(), MPI_BYTE, in, received.sizes.data(),
             received.offsets.data(), MPI_BYTE, handle_.get(), &request_);
  }
  bool test() override {
    int done = 0;
    call_mpi(MPI_Test, &request_, &done, MPI_STATUS_IGNORE);
    return done != 0;
  }
  void close() override { handle_.close(); }

 private:
  static MPI_Comm make(MPI_Comm communicator, std::span<const int> neighbors) {
    MPI_Comm graph = MPI_COMM_NULL;
    const int degree = count_of(neighbors.size());
    call_collective(MPI_Dist_graph_create_adjacent, communicator, degree, neighbors.data(), MPI_UNWEIGHTED, degree,
                    neighbors.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    return graph;
  }

  CollectiveHandle<MPI_Comm> handle_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace eddyline::comm
