#pragma once
// The loops that bound the drift since the last rebuild, see neighbors::DriftBound.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "device/atomics.hpp"
#include "device/cells.hpp"
#include "device/lists.hpp"
#include "device/rows.hpp"
#include "neighbors/drift.hpp"

namespace eddyline::device {

template <int D>
struct DriftArrays {
  CellArrays cells;
  CellRanges fluid, walls;
  const GhostCell* ghosts;
  float *lower[D], *upper[D];   // of the displacements in each cell
  const std::int32_t* from[D];  // places of rows at the last rebuild [quanta]
  const float* walls_moved[D];
};

/// Range of the displacements of the particles in a cell; images have none of their own.
template <class T, int D>
struct MeasureCell {
  DriftArrays<D> drift;
  RowParts<T> rows;
  float remaining, share;
  bool walls_move;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    constexpr float k_none = std::numeric_limits<float>::infinity();
    const particles::RowRange fluid = drift.fluid.real_rows(static_cast<std::int32_t>(k)),
                              walls = drift.walls.real_rows(static_cast<std::int32_t>(k));
    for (int d = 0; d < D; ++d) {
      float lower = k_none, upper = -k_none;
      if (!walls_move) {
        if (walls.end > walls.begin) lower = upper = 0;
      } else {
        for (std::int32_t r = walls.begin; r < walls.end; ++r)
          lower = std::min(lower, drift.walls_moved[d][r]), upper = std::max(upper, drift.walls_moved[d][r]);
        lower = share * lower, upper = share * upper;
      }
      for (std::int32_t r = fluid.begin; r < fluid.end; ++r) {
        const T* row = rows.first + std::int64_t{r} * neighbors::k_first_part;
        const typename neighbors::PredictedPath<T>::Axis axis{row + d, row + D + d, remaining};
        const float by = axis.displacement(0, drift.from[d][r]);
        lower = std::min(lower, by), upper = std::max(upper, by);
      }
      drift.lower[d][k] = lower, drift.upper[d][k] = upper;
    }
  }
};

template <int D>
struct CopyCell {
  DriftArrays<D> drift;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const GhostCell& ghost = drift.ghosts[k];
    for (int d = 0; d < D; ++d) {
      drift.lower[d][ghost.to_cell] = drift.lower[d][ghost.from_cell];
      drift.upper[d][ghost.to_cell] = drift.upper[d][ghost.from_cell];
    }
  }
};

/// Bits of the maxima of DriftBound::largest().
struct DriftMaxima {
  unsigned int approach2 = 0, moved2 = 0, closing = 0;
};

/// Bounds the drift between a cell and those around it.
template <int D>
struct BoundDrift {
  DriftArrays<D> drift;
  DriftMaxima* most;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    constexpr float k_none = std::numeric_limits<float>::infinity();
    const auto i = static_cast<std::int32_t>(k);
    if (!drift.cells.is_computed(i)) return;
    float approach2 = 0, from_below[D], from_above[D];
    for (int d = 0; d < D; ++d) from_below[d] = -k_none, from_above[d] = k_none;
    int line = 0;
    for_each_line_around<D>(drift.cells, i, [&](std::int32_t first) {
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        const std::int32_t j = first + 1 + dx;
        const std::int32_t side[3] = {dx, line % 3 - 1, line / 3 - 1};
        float apart2 = 0;
        for (int d = 0; d < D; ++d) {
          const float above = drift.upper[d][i] - drift.lower[d][j], below = drift.upper[d][j] - drift.lower[d][i];
          const float apart = std::max(above, below);
          apart2 += apart * apart;
        }
        approach2 = std::max(approach2, drift.lower[0][j] <= drift.upper[0][j] ? apart2 : 0);
        for (int d = 0; d < D; ++d) {
          if (side[d] < 0) from_below[d] = std::max(from_below[d], drift.upper[d][j]);
          if (side[d] > 0) from_above[d] = std::min(from_above[d], drift.lower[d][j]);
        }
      }
      ++line;
    });
    float far2 = 0, closing = 0;
    for (int d = 0; d < D; ++d) {
      closing = std::max(closing, from_below[d] - from_above[d]);
      const float far = std::max(drift.upper[d][i], -drift.lower[d][i]);
      far2 += far * far;
    }
    raise(&most->closing, closing);
    if (!(drift.lower[0][i] <= drift.upper[0][i])) return;
    raise(&most->approach2, approach2);
    raise(&most->moved2, far2);
  }
};

}  // namespace eddyline::device
