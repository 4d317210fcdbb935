#include "decompose/bisection.hpp"

#include <cmath>
#include <numeric>
#include <string>

#include "base/errors.hpp"

namespace eddyline::decompose {

using particles::CellBox;
using particles::CellGrid;

namespace {

/// Weights of the slabs of a box along an axis.
std::vector<double> slab_weights(const CellGrid& grid, std::span<const double> weight, const CellBox& box, int axis) {
  const auto a = static_cast<std::size_t>(axis);
  std::vector<double> sums(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 0.0);
  Int3 c;
  for (c[2] = box.lower[2]; c[2] < box.upper[2]; ++c[2])
    for (c[1] = box.lower[1]; c[1] < box.upper[1]; ++c[1])
      for (c[0] = box.lower[0]; c[0] < box.upper[0]; ++c[0])
        sums[static_cast<std::size_t>(c[a] - box.lower[a])] += weight[static_cast<std::size_t>(grid.index(c))];
  return sums;
}

void cut(const CellGrid& grid, std::span<const double> weight, const CellBox& box, int count,
         std::vector<CellBox>& result) {
  if (count == 1) {
    result.push_back(box);
    return;
  }
  std::size_t axis = 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(grid.dimensions); ++d)
    if (box.upper[d] - box.lower[d] > box.upper[axis] - box.lower[axis]) axis = d;
  const std::int32_t slabs = box.upper[axis] - box.lower[axis];
  if (slabs < 2)
    throw UserError(
        "boxes: the grid has too few cells to be cut into so many boxes. Use fewer boxes or a finer spacing.");

  const int left = count / 2;
  const std::vector<double> sums = slab_weights(grid, weight, box, static_cast<int>(axis));
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  const double wanted = total * left / count;
  std::int32_t best = 1;
  double before = 0, best_error = -1;
  for (std::int32_t k = 1; k < slabs; ++k) {
    before += sums[static_cast<std::size_t>(k - 1)];
    const double error = std::abs(before - wanted);
    if (best_error < 0 || error < best_error) {
      best_error = error;
      best = k;
    }
  }
  CellBox first = box, second = box;
  first.upper[axis] = second.lower[axis] = box.lower[axis] + best;
  cut(grid, weight, first, left, result);
  cut(grid, weight, second, count - left, result);
}

}  // namespace

std::vector<CellBox> bisect(const CellGrid& grid, std::span<const double> weight, int count) {
  if (count < 1) throw UserError("boxes = " + std::to_string(count) + "; must be at least 1.");
  std::vector<CellBox> boxes;
  cut(grid, weight, {{0, 0, 0}, grid.count}, count, boxes);
  return boxes;
}

}  // namespace eddyline::decompose
