#pragma once
// Ghost cells that are cells of another piece: copies within this process, messages between processes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel_for.hpp"
#include "comm/communicator.hpp"
#include "comm/wait.hpp"
#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

/// The ghosts of all pieces of this process on one level. A ghost holds exactly what the uncut block has there.
class Ghosts {
 public:
  /// `local`: the place of each piece among those of this process, or -1.
  Ghosts(comm::Communicator& communicator, const Pieces& pieces, const Connections& connections,
         std::span<const std::int32_t> local, int level);

  enum class Layers { near, all };

  /// Sets ghosts of `fields` fields: get(piece, field, axis) is the array of a field of one of this process's pieces;
  /// `axis`: the index of that piece's block across the face. Collective.
  template <class Get>
  void fetch(int fields, Layers layers, Get&& get) {
    const auto length = [&](const Patch& patch) { return layers == Layers::all ? patch.count : patch.near; };
    for (Peer& peer : peers_) peer.resize(*this, fields, length);
    if (requests_)
      for (Peer& peer : peers_)
        if (!peer.in.empty())
          requests_->receive(std::as_writable_bytes(std::span(peer.in)), peer.rank, comm::Tag::cell_halo);
    for (Peer& peer : peers_) {
      double* to = peer.out.data();
      for (const std::size_t number : peer.sent) {
        const Patch& patch = patches_[number];
        for (int f = 0; f < fields; ++f) {
          const double* values = get(patch.from, f, patch.from_axis);
          for (std::size_t k = 0; k < length(patch); ++k) *to++ = values[patch.givers[k]];
        }
      }
      if (!peer.out.empty()) requests_->send(std::as_bytes(std::span(peer.out)), peer.rank, comm::Tag::cell_halo);
      messages_ += peer.out.empty() ? 0 : 1;
      bytes_ += static_cast<std::int64_t>(peer.out.size() * sizeof(double));
    }
    const auto copy = [&](std::int64_t n) {
      const Patch& patch = patches_[within_[static_cast<std::size_t>(n)]];
      for (int f = 0; f < fields; ++f) {
        const double* values = get(patch.from, f, patch.from_axis);
        double* ghosts = get(patch.to, f, patch.to_axis);
        for (std::size_t k = 0; k < length(patch); ++k) ghosts[patch.ghosts[k]] = values[patch.givers[k]];
      }
    };
    for (std::int64_t n = 0; n < static_cast<std::int64_t>(within_.size()); ++n) copy(n);
    if (!requests_) return;
    comm::wait(communicator_, *requests_, "ghost cells");
    for (const Peer& peer : peers_) {
      const double* from = peer.in.data();
      for (const std::size_t number : peer.received) {
        const Patch& patch = patches_[number];
        for (int f = 0; f < fields; ++f) {
          double* ghosts = get(patch.to, f, patch.to_axis);
          for (std::size_t k = 0; k < length(patch); ++k) ghosts[patch.ghosts[k]] = *from++;
        }
      }
    }
  }

  struct Patch {
    std::int32_t to = -1, from = -1;  // among the pieces of this process; -1: of another one
    int to_axis = 0, from_axis = 0;
    Vec3 shift;
    std::size_t near = 0, count = 0;           // ghosts beside the face, and all
    std::vector<std::int32_t> ghosts, givers;  // places in arrays; empty for those of another process
  };
  /// All patches with a piece of this process.
  const std::vector<Patch>& patches() const { return patches_; }
  std::int64_t messages() const { return messages_; }
  std::int64_t bytes() const { return bytes_; }
  std::size_t peers() const { return peers_.size(); }

 private:
  struct Peer {
    int rank = 0;
    std::vector<std::size_t> sent, received;  // numbers of patches, in the same order on both sides
    std::vector<double> out, in;

    template <class Length>
    void resize(const Ghosts& ghosts, int fields, const Length& length) {
      const auto total = [&](const std::vector<std::size_t>& numbers) {
        std::size_t sum = 0;
        for (const std::size_t number : numbers) sum += length(ghosts.patches_[number]);
        return sum * static_cast<std::size_t>(fields);
      };
      out.resize(total(sent));
      in.resize(total(received));
    }
  };
  Peer& peer(int rank);

  comm::Communicator& communicator_;
  std::unique_ptr<comm::Requests> requests_;  // null for a single process
  std::vector<Patch> patches_;
  std::vector<std::size_t> within_;  // patches with both pieces on this process
  std::vector<Peer> peers_;
  std::int64_t messages_ = 0, bytes_ = 0;
};

}  // namespace eddyline::multiblock
