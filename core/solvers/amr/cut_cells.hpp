#pragma once
// Parts of cells outside bodies, from signed distances at the corners of cells. A place counts as solid where the
// distance is not positive; distances are linear along edges.

#include <array>

namespace eddyline::amr {

/// Part of an edge outside, from the distances at its ends.
double open_edge(double a, double b);
/// Part of a square outside, from the distances at (0, 0), (1, 0), (0, 1), (1, 1).
double open_square(const std::array<double, 4>& corners);
/// Part of a cube outside; corner k lies at (k & 1, k >> 1 & 1, k >> 2).
double open_cube(const std::array<double, 8>& corners);

}  // namespace eddyline::amr
