#pragma once
// Triangles of a surface inside a cell of a lattice, from the signs of the cell's corners alone.

#include <array>
#include <cstdint>
#include <span>

namespace eddyline::observe {

/// A corner of a cell is numbered x + 2 y + 4 z. An edge is numbered 4 axis + b + 2 c: it lies along `axis`, and b and
/// c are the offsets of its lower end along the two other axes, in their order.
constexpr int edge_number(int axis, int b, int c) { return 4 * axis + b + 2 * c; }

/// Triangles of a cell. Seen from the outside, their corners are counter-clockwise.
struct Triangulation {
  static constexpr int k_most = 5;
  std::int8_t count = 0;                         // of triangles
  std::array<std::uint8_t, 3 * k_most> edges{};  // that hold their corners
};

/// The triangles for each of the 256 sets of inside corners (bit k: corner k). On a face of the cell with two inside
/// corners that are not neighbours, the surface separates these corners. Both cells at a face decide alike, so that
/// surfaces are closed. A loop of cut edges is divided by the diagonals of which fewest lie in a face of the cell: two
/// cells at a face may both put a diagonal there.
std::span<const Triangulation, 256> corner_rule();

}  // namespace eddyline::observe
