#include "observe/isosurface/corner_rule.hpp"

#include <bit>
#include <cassert>

namespace eddyline::observe {

namespace {

/// Corners of a face, counter-clockwise seen from outside the cell.
using Face = std::array<int, 4>;
constexpr std::array<Face, 6> k_faces{
    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
constexpr int k_edges = 12;

/// The edge between two corners.
int edge_between(int a, int b) {
  const int axis = std::countr_zero(static_cast<unsigned>(a ^ b)), low = a & b;
  const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  return edge_number(axis, low >> first & 1, low >> second & 1);
}

/// True if both edges lie in one face of the cell.
bool share_face(int a, int b) {
  const auto has = [](const Face& face, int edge) {
    for (std::size_t k = 0; k < 4; ++k)
      if (edge_between(face[k], face[(k + 1) % 4]) == edge) return true;
    return false;
  };
  for (const Face& face : k_faces)
    if (has(face, a) && has(face, b)) return true;
  return false;
}

/// The next cut edge of the surface's border with the faces of a cell, for each cut edge; -1 for others.
std::array<int, k_edges> border(int inside) {
  std::array<int, k_edges> next;
  next.fill(-1);
  for (const Face& face : k_faces) {
    const auto is_inside = [&](std::size_t k) { return (inside >> face[k % 4] & 1) != 0; };
    const auto edge = [&](std::size_t k) { return edge_between(face[k % 4], face[(k + 1) % 4]); };
    for (std::size_t k = 0; k < 4; ++k) {
      if (!is_inside(k) || is_inside(k + 1)) continue;
      // The border ends where the inside that is left at edge k was entered: the nearest such edge before it.
      std::size_t entry = k + 3;
      while (is_inside(entry)) --entry;
      next[static_cast<std::size_t>(edge(k))] = edge(entry);
    }
  }
  return next;
}

/// A polygon of cut edges and its best division into triangles.
class Loop {
 public:
  Loop(const std::array<int, k_edges>& next, int first) {
    int edge = first;
    do {
      edges_[static_cast<std::size_t>(count_++)] = edge;
      edge = next[static_cast<std::size_t>(edge)];
    } while (edge != first);
    divide();
  }
  std::span<const int> edges() const { return {edges_.data(), static_cast<std::size_t>(count_)}; }
  void add_triangles(Triangulation& to) const { add(to, 0, count_ - 1); }

 private:
  /// Finds the cheapest division of each part i to j of the loop. A diagonal in a face of the cell is expensive.
  void divide() {
    for (int length = 2; length < count_; ++length)
      for (int i = 0; i + length < count_; ++i) {
        const int j = i + length;
        int best = 1 << 20;
        for (int k = i + 1; k < j; ++k)
          if (cost(i, k) + cost(k, j) < best) best = cost(i, k) + cost(k, j), middle(i, j) = k;
        const bool is_diagonal = i != 0 || j != count_ - 1;
        cost(i, j) = best + (is_diagonal && share_face(edge_at(i), edge_at(j)) ? 1 : 0);
      }
  }
  void add(Triangulation& to, int i, int j) const {
    if (j - i < 2) return;
    const int k = middle_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    add(to, i, k);
    assert(to.count < Triangulation::k_most);
    auto at = static_cast<std::size_t>(3 * to.count++);
    for (const int corner : {i, j, k}) to.edges[at++] = static_cast<std::uint8_t>(edge_at(corner));
    add(to, k, j);
  }
  int edge_at(int i) const { return edges_[static_cast<std::size_t>(i)]; }
  int& cost(int i, int j) { return cost_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }
  int& middle(int i, int j) { return middle_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }

  int count_ = 0;
  std::array<int, k_edges> edges_{};
  std::array<std::array<int, k_edges>, k_edges> cost_{}, middle_{};
};

Triangulation triangulation(int inside) {
  Triangulation found;
  const auto next = border(inside);
  std::array<bool, k_edges> used{};
  for (int edge = 0; edge < k_edges; ++edge) {
    if (next[static_cast<std::size_t>(edge)] < 0 || used[static_cast<std::size_t>(edge)]) continue;
    const Loop loop(next, edge);
    for (const int passed : loop.edges()) used[static_cast<std::size_t>(passed)] = true;
    loop.add_triangles(found);
  }
  return found;
}

}  // namespace

std::span<const Triangulation, 256> corner_rule() {
  static const auto table = [] {
    std::array<Triangulation, 256> all;
    for (int inside = 0; inside < 256; ++inside) all[static_cast<std::size_t>(inside)] = triangulation(inside);
    return all;
  }();
  return table;
}

}  // namespace eddyline::observe
