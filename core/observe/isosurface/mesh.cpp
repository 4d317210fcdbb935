#include "observe/isosurface/mesh.hpp"

#include <bit>

#include "observe/isosurface/corner_rule.hpp"

namespace eddyline::observe {

namespace {

/// Finds the vertices of a cell: the number of one is the count of cut edges before its edge.
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
  /// Must be called before of() for each cell, in their order.
  void enter(std::int32_t x, std::int32_t y, std::int32_t z) {
    const auto word = static_cast<std::size_t>(x >> 6), row = signs_.row(y, z);
    const std::uint64_t bit = std::uint64_t{1} << (x & 63);
    earlier_ = {bit - 1, 2 * bit - 1};  // of edges at x, and at x + 1
    if (row == row_ && word == word_) return;
    row_ = row, word_ = word;
    for (int edge = 0; edge < 12; ++edge) {
      const int axis = edge >> 2, b = edge & 1, c = edge >> 1 & 1;
      const std::size_t of_edge = axis == 0   ? signs_.row(y + b, z + c)
                                  : axis == 1 ? signs_.row(y, z + c)
                                              : signs_.row(y + c, z);
      Edges& edges = edges_[static_cast<std::size_t>(edge)];
      edges = {signs_.cut_edges(axis, of_edge, word), before_[at(axis, of_edge, word)], axis > 0 && b == 1 ? 1U : 0U};
    }
  }
  /// The vertex on an edge, as corner_rule() numbers it, of the cell that was entered last.
  std::uint32_t of(std::uint8_t edge) const {
    const Edges& edges = edges_[edge];
    return edges.before + static_cast<std::uint32_t>(std::popcount(edges.cut & earlier_[edges.offset]));
  }

 private:
  /// Edges along one axis that begin at the points of a word; offset: of those of a cell from its own point along x.
  struct Edges {
    std::uint64_t cut;
    std::uint32_t before, offset;
  };

  std::size_t at(int axis, std::size_t row, std::size_t word) const {
    return (3 * row + static_cast<std::size_t>(axis)) * signs_.words() + word;
  }

  const Signs& signs_;
  std::vector<std::uint32_t> before_;
  std::size_t row_ = static_cast<std::size_t>(-1), word_ = 0;
  std::array<Edges, 12> edges_{};
  std::array<std::uint64_t, 2> earlier_{};
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
  VertexNumbers numbers(signs);
  const auto rule = corner_rule();
  mesh.triangles.reserve(2 * surface.vertices());
  signs.for_each_cut_cell([&](std::int32_t x, std::int32_t y, std::int32_t z, unsigned inside) {
    const Triangulation& triangulation = rule[inside];
    numbers.enter(x, y, z);
    for (std::size_t k = 0; k < static_cast<std::size_t>(triangulation.count); ++k)
      mesh.triangles.push_back({numbers.of(triangulation.edges[3 * k]), numbers.of(triangulation.edges[3 * k + 1]),
                                numbers.of(triangulation.edges[3 * k + 2])});
  });
  return mesh;
}

}  // namespace eddyline::observe
