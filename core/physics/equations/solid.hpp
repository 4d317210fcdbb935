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
  double further = 0;   // from the wall to the next place in the fluid [m]; 0: there is none
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

/// A cell whose values have a weight in those of a place.
struct Weighed {
  Int3 cell{};
  double weight = 0;
};

/// A cell of which a part or a group lies before a wall that holds the fluid: its velocity, as other cells see it, is
/// the mean over the fluid times `factor`, as the centre of the cell has another distance from the wall than the fluid.
struct Moved {
  Int3 cell{};
  double factor = 1;
};

/// A cell of a patch whose rate depends on bodies.
struct CellAtBody {
  Int3 cell{};
  std::size_t first = 0, parts = 0;  // of its group, in the same order for all cells of the group
  double volume = 1;                 // fluid in the group, in cells
  Wall wall;                         // of the group; area 0: none
  std::size_t next = 0, nexts = 0;   // cells whose weighed values are those of the next place before that wall
  std::int32_t body = -1;            // index, of the wall
};

/// A patch that bodies touch.
struct Solid {
  grid::IndexBox box;                 // the patch with its ghosts
  std::vector<std::uint8_t> covered;  // of the cells of `box`: holds no fluid
  std::vector<CellAtBody> cells;
  std::vector<CellPart> parts;
  std::vector<Weighed> next;
  std::vector<Moved> moved;      // of the cells of `box`
  std::vector<Int3> frozen;      // cells of the patch that keep their values during a step
  std::vector<double> fraction;  // of the volume of each cell of the patch that holds fluid

  bool is_covered(Int3 cell) const { return covered[static_cast<std::size_t>(box.index(cell))] != 0; }
};

}  // namespace eddyline::physics
