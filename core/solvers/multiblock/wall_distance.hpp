#pragma once
// Distances from the walls of a mesh.

#include <array>
#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "solvers/multiblock/boundaries.hpp"
#include "world/mesh.hpp"

namespace eddyline::multiblock {

/// The walls with friction of a whole mesh, also as they appear across periodic sides: segments in 2D, triangles in 3D,
/// two for each face of a cell. The same on all ranks, whatever their pieces are.
class Walls {
 public:
  Walls(const world::Mesh& mesh, const Boundaries& boundaries);

  /// Distance of a point from the nearest wall [m]; infinite without walls. The smallest of all distances, so that it
  /// does not depend on the order in which they are looked at.
  double distance(Vec3 x) const;

 private:
  struct Part {
    std::array<Vec3, 3> corners;  // 2D: two
  };
  struct Box {
    Vec3 low, high;
    std::int32_t first = 0, last = 0;  // parts in it
    std::int32_t right = 0;            // box of its second half; 0: parts only. The first half is the next box
  };
  void add_patch(const world::MeshBoundary& boundary, const world::Mesh& mesh, const Boundaries& boundaries);
  void repeat(const world::Mesh& mesh);
  std::int32_t build(std::int32_t first, std::int32_t last);
  double square_of(const Part& part, Vec3 x) const;
  void search(std::int32_t box, Vec3 x, double& least) const;

  int dimensions_;
  std::vector<Part> parts_;
  std::vector<Box> boxes_;
};

}  // namespace eddyline::multiblock
