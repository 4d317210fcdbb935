#pragma once
// Random particles in a grid of cells, sorted into boxes, with their ghosts: what tests of cells and lists start from.

#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "base/fixed_point.hpp"
#include "exchange/routes.hpp"
#include "neighbors/list.hpp"
#include "particles/cells.hpp"

namespace fixture {

using eddyline::Array;
using eddyline::FixedPoint;
using eddyline::Int3;
using eddyline::Vec3;
namespace exchange = eddyline::exchange;
namespace neighbors = eddyline::neighbors;
namespace particles = eddyline::particles;

inline constexpr double k_edge = 0.25;  // of a cell [m]
inline const FixedPoint k_fixed(0.2);   // R = 0.2 m; edges and periods are multiples of its quantum

/// A grid of cells from the origin on.
inline particles::CellGrid make_grid(int dimensions, Int3 count, std::array<bool, 3> periodic) {
  particles::CellGrid grid;
  grid.dimensions = dimensions;
  grid.count = count;
  for (int d = 0; d < dimensions; ++d) {
    const auto a = static_cast<std::size_t>(d);
    grid.edge[d] = k_edge;
    grid.per_edge[d] = 1 / k_edge;
    grid.periodic[a] = periodic[a];
    if (!periodic[a]) continue;
    grid.period[d] = count[a] * k_edge;
    grid.period_quanta[a] = k_fixed.wrapped(grid.period[d]);
  }
  return grid;
}

/// The grid cut into px x py x pz equal boxes.
inline std::vector<particles::CellBox> cut(const particles::CellGrid& grid, Int3 parts) {
  std::vector<particles::CellBox> boxes;
  for (std::int32_t z = 0; z < parts[2]; ++z)
    for (std::int32_t y = 0; y < parts[1]; ++y)
      for (std::int32_t x = 0; x < parts[0]; ++x) {
        particles::CellBox box;
        const Int3 at{x, y, z};
        for (std::size_t d = 0; d < 3; ++d) {
          box.lower[d] = grid.count[d] * at[d] / parts[d];
          box.upper[d] = grid.count[d] * (at[d] + 1) / parts[d];
        }
        boxes.push_back(box);
      }
  return boxes;
}

/// Particles with scattered ids, and everything that follows from where they are.
struct Sorted {
  particles::CellLayout layout;
  particles::CellRows rows;
  Array<std::int32_t> order;  // old index of each particle in the new order
  exchange::Routes routes;
  neighbors::FixedPositions positions;  // of all rows
  std::vector<std::int64_t> row_id;     // of all rows
  std::vector<Vec3> x;                  // of the particles, in the old order
  std::vector<std::int64_t> id;
};

inline std::vector<Vec3> random_positions(const particles::CellGrid& grid, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Vec3> x(count);
  for (auto& position : x)
    for (int d = 0; d < grid.dimensions; ++d)
      position[d] = std::uniform_real_distribution<double>(0, grid.count[static_cast<std::size_t>(d)] * k_edge)(random);
  return x;
}

/// Sorts as a rebuild does: cells, rows, routes, and positions and ids of all rows through the routes.
inline Sorted sort(const particles::CellGrid& grid, Int3 parts, const std::vector<Vec3>& x, std::int64_t shuffle = 0) {
  Sorted s;
  s.layout = particles::CellLayout(grid, cut(grid, parts));
  s.x = x;
  for (std::size_t i = 0; i < x.size(); ++i) s.id.push_back(static_cast<std::int64_t>(i * 7919 % x.size()) * 65536 + 3);
  std::vector<double> component[3];
  std::vector<const double*> pointers;
  for (int d = 0; d < grid.dimensions; ++d) {
    for (const auto& position : x) component[d].push_back(position[d]);
    pointers.push_back(component[d].data());
  }
  particles::CellSort sorter;
  sorter.sort(s.layout, pointers, s.id, shuffle, s.rows, s.order);

  for (const auto& ghost : s.layout.ghost_cells()) {
    const auto from = static_cast<std::size_t>(ghost.from_cell), to = static_cast<std::size_t>(ghost.to_cell);
    s.routes.add(ghost.from_box, ghost.to_box,
                 {s.rows.begin[from], s.rows.begin[to], s.rows.begin[from + 1] - s.rows.begin[from], ghost.shift});
  }
  const auto rows = static_cast<std::size_t>(s.rows.rows);
  s.row_id.assign(rows, -1);
  for (int d = 0; d < 3; ++d) s.positions.x[d].assign(rows + neighbors::k_chunk, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto slot = static_cast<std::size_t>(s.rows.slot[i]), old = static_cast<std::size_t>(s.order[i]);
    s.row_id[slot] = s.id[old];
    for (int d = 0; d < grid.dimensions; ++d) s.positions.x[d][slot] = k_fixed.wrapped(x[old][d]);
  }
  s.routes.gather([&](std::int32_t from, std::int32_t to, const Int3& shift) {
    s.row_id[static_cast<std::size_t>(to)] = s.row_id[static_cast<std::size_t>(from)];
    for (int d = 0; d < grid.dimensions; ++d)
      s.positions.x[d][static_cast<std::size_t>(to)] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(s.positions.x[d][static_cast<std::size_t>(from)]) +
                                    static_cast<std::uint32_t>(shift[static_cast<std::size_t>(d)]));
  });
  return s;
}

}  // namespace fixture
