#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "particles/cells.hpp"

namespace eddyline::decompose {

/// Cuts the grid into `count` boxes by recursive bisection: each cut is across the longest side that can still be cut,
/// where the weights on both sides come nearest to the numbers of boxes they get. `weight` holds one value for each
/// cell (row-major), for example the number of particles. Throws UserError if the grid has too few cells.
std::vector<particles::CellBox> bisect(const particles::CellGrid& grid, std::span<const double> weight, int count);

}  // namespace eddyline::decompose
