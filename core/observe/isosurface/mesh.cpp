#include "observe/isosurface/mesh.hpp"

#include <bit>

#include "observe/isosurface/corner_rule.hpp"

namespace eddyline::observe {

namespace {

/// Finds the vertex of a cut edge: its number is the count of cut edges before it.
class VertexNumbers {
 public:
  explicit VertexNumbers(const Signs& signs) : signs_(signs), before_(3 * signs.rows() * signs.words()) {
    std::uint32_t number = 0;
    for (std::int32_t z = 0; z < signs.count()[2]; ++z)
      for (std::int32_t y = 0; y < signs.count()[1]; ++y)
        for (int axis = 0; axis < 3; ++axis) {
          if ((axis == 1 && y + 1 == signs.count()[1]) || (axis == 2 && z + 1 == signs.count()[2])) continue;
          for (std::size_t word = 0; word < signs.words(); ++word) {
            const std::size_t row = signs.row(y, z);
            before_[at(axis, row, word)] = number;
            number += static_cast<std::uint32_t>(std::popcount(signs.cut_edges(axis, row, word)));
          }
        }
  }
  std::uint32_t of(int axis, std::size_t row, std::int32_t x) const {
    const auto word = static_cast<std::size_t>(x >> 6);
    const std::uint64_t earlier = signs_.cut_edges(axis, row, word) & ((std::uint64_t{1} << (x & 63)) - 1);
    return before_[at(axis, row, word)] + static_cast<std::uint32_t>(std::popcount(earlier));
  }

 private:
  std::size_t at(int axis, std::size_t row, std::size_t word) const {
    return (3 * row + static_cast<std::size_t>(axis)) * signs_.words() + word;
  }

  const Signs& signs_;
  std::vector<std::uint32_t> before_;
};

}  // namespace

std::size_t count_triangles(const Signs& signs) {
  const auto rule = corner_rule();
  std::size_t count = 0;
  signs.for_each_cut_cell([&](std::int32_t, std::int32_t, std::int32_t, unsigned inside) {
    count += static_cast<std::size_t>(rule[inside].count);
  });
  return count;
}

Mesh mesh_of(const Surface& surface) {
  Mesh mesh;
  mesh.vertices.reserve(surface.vertices());
  const Signs& signs = surface.signs;
  const auto along = [](double origin, double spacing, double at) { return origin + at * spacing; };
  signs.for_each_cut_edge(signs.count()[2], [&](std::int32_t x, std::int32_t y, std::int32_t z, int axis) {
    const double part = (surface.cuts[mesh.vertices.size()] + 0.5) / 256;
    mesh.vertices.push_back({along(surface.origin.x, surface.spacing.x, x + (axis == 0 ? part : 0)),
                             along(surface.origin.y, surface.spacing.y, y + (axis == 1 ? part : 0)),
                             along(surface.origin.z, surface.spacing.z, z + (axis == 2 ? part : 0))});
  });
  const VertexNumbers numbers(signs);
  const auto rule = corner_rule();
  mesh.triangles.reserve(2 * surface.vertices());
  signs.for_each_cut_cell([&](std::int32_t x, std::int32_t y, std::int32_t z, unsigned inside) {
    const Triangulation& triangulation = rule[inside];
    const auto vertex = [&](std::uint8_t edge) {
      const int axis = edge >> 2, b = edge & 1, c = edge >> 1 & 1;
      const Int3 offset = axis == 0 ? Int3{0, b, c} : axis == 1 ? Int3{b, 0, c} : Int3{b, c, 0};
      return numbers.of(axis, signs.row(y + offset[1], z + offset[2]), x + offset[0]);
    };
    for (std::size_t k = 0; k < static_cast<std::size_t>(triangulation.count); ++k)
      mesh.triangles.push_back({vertex(triangulation.edges[3 * k]), vertex(triangulation.edges[3 * k + 1]),
                                vertex(triangulation.edges[3 * k + 2])});
  });
  return mesh;
}

}  // namespace eddyline::observe
