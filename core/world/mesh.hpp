#pragma once
// Body-fitted meshes: structured blocks, the links between their faces, and the parts of faces that are boundaries.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/vec.hpp"

namespace eddyline::world {

/// A structured piece of a mesh, right-handed: with i to the right and j upwards, k points to the reader. In 2D there
/// is one layer of cells along k and one layer of nodes.
struct MeshBlock {
  std::string name;
  Int3 cells{1, 1, 1};                       // along i, j, k
  std::array<std::vector<double>, 3> nodes;  // x, y, z of the nodes, i fastest [m]; no z in 2D

  std::size_t node(std::int32_t i, std::int32_t j, std::int32_t k) const {
    const auto row = static_cast<std::size_t>(cells[0]) + 1, plane = row * (static_cast<std::size_t>(cells[1]) + 1);
    return static_cast<std::size_t>(i) + row * static_cast<std::size_t>(j) + plane * static_cast<std::size_t>(k);
  }
  Vec3 place(std::int32_t i, std::int32_t j, std::int32_t k = 0) const {
    const std::size_t n = node(i, j, k);
    return {nodes[0][n], nodes[1][n], nodes[2].empty() ? 0.0 : nodes[2][n]};
  }
  std::int64_t size() const { return std::int64_t{cells[0]} * cells[1] * cells[2]; }
};

/// A rectangle of faces of cells on one face of a block.
struct MeshPatch {
  std::int32_t block = 0;
  int axis = 0;    // of the block's indices, across the face
  int end = 0;     // 0: the face at the lowest index, 1: at the highest
  Int3 low, high;  // half-open range of cells; along `axis` the layer of cells at the face
};

/// Two patches that are one surface, as seen from the block of `patch`; a mesh holds each link from either side. The
/// cell c beyond the patch, in the indices of its block, is the cell g of block `giver`, where
///   g[axes[k]] = signs[k] c[k] + offset[axes[k]].
struct MeshLink {
  MeshPatch patch;
  std::int32_t giver = 0;
  std::array<int, 3> axes{0, 1, 2}, signs{1, 1, 1};
  Int3 offset{0, 0, 0};
  Vec3 shift;  // added to places of the giver to see them from the receiver [m]; not 0 across periodic sides

  Int3 giver_cell(Int3 c) const {
    Int3 g{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<std::size_t>(axes[k]);
      g[axis] = signs[k] * c[k] + offset[axis];
    }
    return g;
  }
};

/// A patch that lies on a side of the domain ("left", ...), on a body (by its name) or on the far field ("far").
struct MeshBoundary {
  MeshPatch patch;
  std::string name;
};

struct Mesh {
  int dimensions = 2;
  std::vector<MeshBlock> blocks;
  std::vector<MeshLink> links;
  std::vector<MeshBoundary> boundaries;

  std::int64_t cells() const {
    std::int64_t sum = 0;
    for (const MeshBlock& block : blocks) sum += block.size();
    return sum;
  }
  /// Throws UserError, one line with block, face and index, unless every block has nodes for its cells, every face of a
  /// cell on a block's face belongs to exactly one link or boundary, the map of each link and that of its partner
  /// cancel, and nodes of linked faces coincide within a millionth of the shortest edge there.
  void check() const;
};

}  // namespace eddyline::world
