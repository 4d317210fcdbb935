#pragma once
// Ghost cells that are cells of another piece: copies within this process, messages between processes.

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/timers.hpp"
#include "comm/communicator.hpp"
#include "comm/tags.hpp"
#include "exchange/halo.hpp"
#include "solver/execution.hpp"
#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

/// Ghosts of one piece that another one gives, beyond one face. Pieces: numbers among those of this process, -1 for one
/// of another process.
struct Neighborhood {
  std::int32_t to = -1, from = -1;
  int to_axis = 0, from_axis = 0;  // index across the face, in either block
  Vec3 shift;
  std::size_t near = 0, count = 0;           // ghosts beside the face, and all
  std::vector<std::int32_t> ghosts, givers;  // places in arrays; empty for those of another process
};

/// Everything that the halos of a mesh are made with.
struct HaloSetup {
  comm::Communicator& communicator;
  const solver::Execution& execution;
  comm::Tags& tags;
  Timers& timers;  // packing and waiting are charged to them
};

class GhostCopies;

/// The first `count` ghosts of a neighbourhood, which travel together.
struct GhostCells {
  using Copies = GhostCopies;

  const Neighborhood* of = nullptr;
  std::size_t count = 0;

  std::size_t size() const { return count; }
  template <class Field>
  void pack(const Field& field, std::byte* to) const {
    field.pack(*this, to);
  }
  template <class Field>
  void unpack(const Field& field, const std::byte* from) const {
    field.unpack(*this, from);
  }
};

/// Copies within this process.
class GhostCopies {
 public:
  void clear() { cells_.clear(); }
  void add(const GhostCells& cells) { cells_.push_back(cells); }
  std::size_t size() const { return cells_.size(); }
  /// Calls copy(cells) for each copy. Returns the number of ghosts.
  template <class Copy>
  std::int64_t gather(Copy&& copy) const {
    std::size_t sum = 0;
    for (const GhostCells& cells : cells_) copy(cells), sum += cells.count;
    return static_cast<std::int64_t>(sum);
  }

 private:
  std::vector<GhostCells> cells_;
};

/// `fields` fields at once: get(piece, field, axis) is the array of a field of one of this process's pieces; `axis`:
/// the index of that piece's block across the face, for values that belong to an index.
template <class Get>
class GhostFields {
 public:
  GhostFields(int fields, Get get) : fields_(fields), get_(get) {}

  std::size_t bytes() const { return static_cast<std::size_t>(fields_) * sizeof(double); }
  void copy(const GhostCells& cells) const {
    for (int f = 0; f < fields_; ++f) {
      const double* values = get_(cells.of->from, f, cells.of->from_axis);
      double* ghosts = get_(cells.of->to, f, cells.of->to_axis);
      for (std::size_t k = 0; k < cells.count; ++k) ghosts[cells.of->ghosts[k]] = values[cells.of->givers[k]];
    }
  }
  void pack(const GhostCells& cells, std::byte* to) const {
    for (int f = 0; f < fields_; ++f) {
      const double* values = get_(cells.of->from, f, cells.of->from_axis);
      for (std::size_t k = 0; k < cells.count; ++k, to += sizeof(double))
        std::memcpy(to, values + cells.of->givers[k], sizeof(double));
    }
  }
  void unpack(const GhostCells& cells, const std::byte* from) const {
    for (int f = 0; f < fields_; ++f) {
      double* ghosts = get_(cells.of->to, f, cells.of->to_axis);
      for (std::size_t k = 0; k < cells.count; ++k, from += sizeof(double))
        std::memcpy(ghosts + cells.of->ghosts[k], from, sizeof(double));
    }
  }

 private:
  int fields_;
  Get get_;
};

/// The ghosts of all pieces of this process on one level. A ghost holds exactly what the uncut block has there.
class Ghosts {
 public:
  /// `local`: see Pieces::local().
  Ghosts(const HaloSetup& setup, const Pieces& pieces, const Connections& connections,
         std::span<const std::int32_t> local, int level);

  enum class Layers { near, all };

  /// Sets ghosts, see GhostFields. Collective, except on a replicated level.
  template <class Get>
  void fetch(int fields, Layers layers, Get&& get) {
    const GhostFields of_fields(fields, get);
    Halo& halo = layers == Layers::near ? near_ : all_;
    is_replicated_ ? halo.gather_within(of_fields) : halo.gather(timers_, of_fields);
  }
  /// All neighbourhoods with a piece of this process.
  const std::vector<Neighborhood>& neighborhoods() const { return neighborhoods_; }
  /// Copies and messages so far.
  exchange::Traffic traffic() const;
  exchange::Trials trials() const { return near_.trials(); }
  std::size_t peers() const { return near_.neighbors(); }

 private:
  using Halo = exchange::BasicHalo<GhostCells>;

  Timers& timers_;
  bool is_replicated_;
  std::vector<Neighborhood> neighborhoods_;
  Halo near_, all_;
};

}  // namespace eddyline::multiblock
