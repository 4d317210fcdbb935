#pragma once
// Cells of a patch at bodies. A body cuts cells; the part in the fluid counts. Small parts are joined to a neighbour,
// so that they do not limit the time step: the cells of a group hold the same values.

#include <array>
#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "grid/index_box.hpp"

namespace eddyline::physics {

/// A wall in a cell or a group of cells.
struct Wall {
  Vec3 area;            // into the body, in faces of a cell
  double distance = 0;  // from the wall to the middle of the fluid before it [m]
  double further = 0;   // from the wall to the middle of the next cell in the fluid [m]
  bool slip = false;
};

/// Force of the fluid on a wall, for each unit of the area of a cell's face [Pa].
struct WallForce {
  Vec3 pressure, friction;
};

/// A cell of a group, with the open parts of its lower and upper faces across each axis; 0 between cells of the group.
struct CellPart {
  Int3 cell{};
  double volume = 1;  // fluid, in cells
  std::array<double, 6> open{};
};

/// A cell of a patch whose rate depends on bodies.
struct CellAtBody {
  Int3 cell{};
  std::size_t first = 0, parts = 0;  // of its group, in the same order for all cells of the group
  double volume = 1;                 // fluid in the group, in cells
  Wall wall;                         // of the group; area 0: none
  Int3 next{};                       // the next cell in the fluid before that wall, or the cell itself
  std::int32_t body = -1;            // index, of the wall
};

/// A patch that bodies touch.
struct Solid {
  grid::IndexBox box;                 // the patch with its ghosts
  std::vector<std::uint8_t> covered;  // of the cells of `box`: holds no fluid
  std::vector<CellAtBody> cells;
  std::vector<CellPart> parts;
  std::vector<Int3> frozen;      // cells of the patch that keep their values during a step
  std::vector<double> fraction;  // of the volume of each cell of the patch that holds fluid

  bool is_covered(Int3 cell) const { return covered[static_cast<std::size_t>(box.index(cell))] != 0; }
};

}  // namespace eddyline::physics
