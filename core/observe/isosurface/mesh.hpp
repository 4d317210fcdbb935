#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "observe/isosurface/surface.hpp"

namespace eddyline::observe {

/// Triangles of a surface: vertices in the order of cut edges, triangles by cell, then as in corner_rule(). Corners of
/// a triangle are counter-clockwise, seen from outside.
struct Mesh {
  std::vector<Vec3> vertices;  // [m]
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

Mesh mesh_of(const Surface& surface);
std::size_t count_triangles(const Signs& signs);

}  // namespace eddyline::observe
