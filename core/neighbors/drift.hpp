#pragma once
// How much nearer particles can have come since the lists were built.

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"
#include "particles/cells.hpp"

namespace eddyline::neighbors {

/// Bounds over all particles, in quanta.
struct Drift {
  float approach = 0;  // of the distance by which two particles that are no neighbours have come nearer
  float moved = 0;     // of the distance that one has moved
};

/// Where the walls' rows will be at the end of the step, relative to where they stood when lists were built: one array
/// an axis, of all rows [quanta].
struct WallDisplacement {
  Array<float> x[3];
};

/// Compares how far particles have moved with how far those around them have: what a stream shares costs no rebuild.
///   Touching cells: the approach is at most the relative displacement.
///   One cell between them: they stand an edge apart along some axis, which is more than R + skin, so that only their
///   approach along that axis counts.
///   Farther apart: no pair can meet while nobody has moved more than R/2 + skin; the caller sees to that.
/// Ghosts take part, so that every box sees what concerns it, and the largest value is the same however the domain is
/// cut. D: dimension; T: type of pair sums.
template <class T, int D>
class DriftBound {
 public:
  /// `moving` holds positions half way through a step and velocities; `half_step` turns these into the distance of the
  /// other half [quanta]. `at_rebuild`: where the rows stood when lists were built. Walls have moved by `walls_moved`;
  /// without it, they rest.
  Drift operator()(const particles::CellLayout& layout, const particles::CellRows& rows, const Rows<T>& moving,
                   const FixedPositions& at_rebuild, float half_step, const particles::CellRows& walls,
                   const WallDisplacement* walls_moved = nullptr);

 private:
  Array<float> lower_[D], upper_[D];  // of the displacements in each cell
};

}  // namespace eddyline::neighbors
