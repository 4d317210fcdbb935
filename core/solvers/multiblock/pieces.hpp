#pragma once
// Blocks of a mesh cut into the pieces that processes compute, and where their ghost cells come from.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/vec.hpp"
#include "solvers/multiblock/division.hpp"
#include "world/mesh.hpp"

namespace eddyline::multiblock {

/// Ghost cells of one piece that are cells of another one (or of itself), beyond one face. Indices count from the first
/// cell of either piece; ghosts lie outside.
struct GhostPatch {
  std::int32_t to = 0, from = 0;                 // pieces
  int to_axis = 0, from_axis = 0;                // index across the face, in the pieces' blocks
  Vec3 shift;                                    // see world::MeshLink
  std::vector<std::pair<Int3, Int3>> near, far;  // ghost cell and its giver: those beside the face, those behind them
};

/// Faces of cells of a piece on a boundary.
struct BoundaryPatch {
  std::int32_t piece = 0, boundary = 0;  // boundary: index in Mesh::boundaries
  int axis = 0, end = 0;
  Int3 lower, upper;  // cells beside the face
};

/// The connections of all pieces on one level of multigrid, the same on all ranks.
struct Connections {
  std::vector<GhostPatch> ghosts;
  std::vector<BoundaryPatch> boundaries;
};

/// A mesh, cut. The number of levels is a property of the mesh; cuts lie at multiples of 2^(levels - 1) cells, so that
/// every coarse cell has all its children in one piece.
class Pieces {
 public:
  /// `most_levels`: 0 for as many as the mesh allows. `parts`: least number of pieces, if the mesh has room for so
  /// many; with several ranks there are more if that makes their loads more even. `replicated_cells`: largest number of
  /// cells of a level that every rank computes whole.
  Pieces(const world::Mesh& mesh, int most_levels, int ranks, int parts, std::int64_t replicated_cells = 0);

  const world::Mesh& mesh() const { return *mesh_; }
  int levels() const { return levels_; }
  const std::vector<PieceRange>& all() const { return pieces_; }
  /// Tells whether every rank computes all cells of a level, which then needs no messages. Never of the finest one.
  bool is_replicated(int level) const { return level >= first_replicated_; }
  /// The blocks without cuts, as every rank has them on replicated levels.
  Pieces uncut() const;
  /// The number of each piece among those that a rank has on a level, or -1.
  std::vector<std::int32_t> local(int rank, int level) const;
  /// Number of the first cell of each block, in the order of blocks.
  std::int64_t first_cell(std::int32_t block) const { return first_cell_[static_cast<std::size_t>(block)]; }
  /// Range of a piece on a level.
  PieceRange on_level(std::size_t piece, int level) const;
  Connections connections(int level) const;

 private:
  /// Cells of a block on a level.
  Int3 on_level_cells(std::int32_t block, int level) const;
  void replicate(int ranks, std::int64_t most_cells);
  void add_ghosts(std::size_t piece, int axis, int end, int level, Connections& connections) const;

  const world::Mesh* mesh_;
  int levels_ = 1, first_replicated_ = 1;
  std::vector<PieceRange> pieces_;
  std::vector<std::int64_t> first_cell_;
};

/// Number of levels that a mesh allows: one more than the times that all its blocks can be halved.
int levels_of(const world::Mesh& mesh);
/// The argument `most_levels` of Pieces, where an option asks for `wanted` levels; 0: the default.
int most_levels(const world::Mesh& mesh, std::int64_t wanted, bool is_gas);

}  // namespace eddyline::multiblock
