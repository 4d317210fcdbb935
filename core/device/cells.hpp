#pragma once
// The cells of a device, the rows in them, and the loops that sort particles into cells. They give the order and the
// rows of particles::CellSort.

#include <cstdint>

#include "base/fixed_point.hpp"
#include "base/vec.hpp"
#include "device/atomics.hpp"
#include "device/flow.hpp"
#include "particles/cells.hpp"

namespace eddyline::device {

using particles::GhostCell;

/// The cells of a process, as particles::CellLayout numbers them.
struct CellArrays {
  using Box = particles::CellLayout::Box;

  particles::CellGrid grid;
  const Box* boxes;
  std::int32_t box_count;

  EDDYLINE_INLINE const Box& box_of(std::int32_t cell) const {
    std::int32_t b = box_count - 1;
    while (b > 0 && cell < boxes[b].first_cell) --b;
    return boxes[b];
  }
  /// The cell that contains x.
  EDDYLINE_INLINE std::int32_t cell_of(const Vec3& x) const {
    const Int3 at = grid.cell_of(x);
    std::int32_t b = 0;
    while (b + 1 < box_count && !contains(boxes[b], at)) ++b;
    const Box& box = boxes[b];
    Int3 local{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d)
      local[d] = at[d] - box.cells.lower[d] + 1;
    return box.first_cell + (local[2] * box.shape[1] + local[1]) * box.shape[0] + local[0];
  }
  /// Tells whether a cell is not in the border of its box.
  EDDYLINE_INLINE bool is_computed(std::int32_t cell) const {
    const Box& box = box_of(cell);
    std::int32_t rest = cell - box.first_cell;
    bool is_inside = true;
    for (std::size_t d = 0; d < static_cast<std::size_t>(grid.dimensions); ++d) {
      const std::int32_t at = rest % box.shape[d];
      is_inside = is_inside && at > 0 && at < box.shape[d] - 1;
      rest /= box.shape[d];
    }
    return is_inside;
  }
  /// The centre of a computed cell.
  EDDYLINE_INLINE Vec3 centre(std::int32_t cell) const {
    const Box& box = box_of(cell);
    std::int32_t rest = cell - box.first_cell;
    Vec3 x;
    for (int d = 0; d < grid.dimensions; ++d) {
      const auto k = static_cast<std::size_t>(d);
      x[d] = grid.origin[d] + (box.cells.lower[k] - 0.5 + rest % box.shape[k]) * grid.edge[d];
      rest /= box.shape[k];
    }
    return x;
  }
  /// The way from a place to its image within the periodic sides of an axis; 0 if it is there.
  EDDYLINE_INLINE double way_inside(int d, double x) const {
    if (!grid.periodic[static_cast<std::size_t>(d)]) return 0;
    const double lower = grid.origin[d], period = grid.period[d];
    return x < lower ? period : x >= lower + period ? -period : 0.0;
  }

 private:
  EDDYLINE_INLINE static bool contains(const Box& box, const Int3& at) {
    bool inside = true;
    for (std::size_t d = 0; d < 3; ++d) inside = inside && at[d] >= box.cells.lower[d] && at[d] < box.cells.upper[d];
    return inside;
  }
};

/// The rows of each cell, of one kind of particles. Images follow the `real` rows.
struct CellRanges {
  std::int32_t *begin, *end;
  std::int32_t real;

  EDDYLINE_INLINE bool is_empty(std::int32_t cell) const { return begin[cell] >= end[cell]; }
  /// The rows of a cell that is no image; none of an image.
  EDDYLINE_INLINE particles::RowRange real_rows(std::int32_t cell) const {
    return begin[cell] < real ? particles::RowRange{begin[cell], end[cell]} : particles::RowRange{};
  }
};

/// Counts particles that leave the domain.
template <int D>
struct CountLeavers {
  const double* x[D];
  Vec3 lowest, highest;
  unsigned int* leavers;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    bool outside = false;
    for (int d = 0; d < D; ++d) outside = outside || x[d][i] < lowest[d] || x[d][i] > highest[d];
    if (outside) take_number(leavers);
  }
};

/// Finds the places by which particles are sorted, and counts the particles of each cell. Particles that have crossed a
/// periodic side come in at the other.
template <int D>
struct FindCells {
  CellArrays cells;
  FixedPoint fixed;
  double ahead;  // [s]
  double* x[D];
  const double* v[D];
  std::int32_t* position[D];  // [quanta]
  std::int32_t *cell, *count;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    Vec3 place;
    for (int d = 0; d < D; ++d) {
      double here = x[d][i];
      const double by = cells.way_inside(d, here);
      if (by != 0) here += by;
      double there = fixed.round(here + v[d][i] * ahead);
      const double back = cells.way_inside(d, there);
      if (back != 0) here += back, there += back;
      if (by != 0 || back != 0) x[d][i] = here;
      position[d][i] = fixed.wrapped(there);
      place[d] = there;
    }
    cell[i] = cells.cell_of(place);
    take_number(count + cell[i]);
  }
};

/// Puts particles into their cells, in any order; `next` becomes the end of the rows of each cell.
struct PutIntoCells {
  const std::int32_t* cell;
  std::int32_t *next, *member;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    member[take_number(next + cell[i])] = static_cast<std::int32_t>(i);
  }
};

/// Sorts the particles of each cell by id: one is as far from the first as there are lower ids.
struct SortById {
  const std::int32_t *cell, *member;
  CellRanges rows;
  const std::int64_t* id;
  std::int32_t* order;  // old number of each particle

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const std::int32_t i = member[k], c = cell[i], begin = rows.begin[c], end = rows.end[c];
    const std::int64_t own = id[i];
    std::int32_t at = begin;
    for (std::int32_t r = begin; r < end; ++r) at += id[member[r]] < own ? 1 : 0;
    order[at] = i;
  }
};

/// Puts an array in order.
template <class X>
struct Reorder {
  const std::int32_t* order;
  const X* from;
  X* to;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = from[order[i]]; }
};

/// Puts N arrays in order.
template <class X, int N>
struct ReorderAll {
  const std::int32_t* order;
  const X* from[N];
  X* to[N];

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int32_t k = order[i];
    for (int a = 0; a < N; ++a) to[a][i] = from[a][k];
  }
};

struct CopyNumbers {
  const std::int32_t* from;
  std::int32_t* to;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const { to[k] = from[k]; }
};

/// Sets the rows of the cells that the host has sorted particles into.
struct SetRows {
  const CellRange* ranges;
  CellRanges rows;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    rows.begin[ranges[k].cell] = ranges[k].begin, rows.end[ranges[k].cell] = ranges[k].end;
  }
};

/// Counts the rows of the cell that each ghost cell repeats.
struct CountImages {
  const GhostCell* ghosts;
  std::int64_t ghost_count;
  CellRanges rows;
  std::int32_t* count;  // one more, which is 0

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t g) const {
    count[g] = g < ghost_count ? rows.end[ghosts[g].from_cell] - rows.begin[ghosts[g].from_cell] : 0;
  }
};

/// Sets the rows of ghost cells.
struct MakeImages {
  const GhostCell* ghosts;
  CellRanges rows;
  const std::int32_t* first;  // number of the first image in each ghost cell
  RowImage* images;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t g) const {
    const GhostCell& ghost = ghosts[g];
    const std::int32_t from = rows.begin[ghost.from_cell], count = rows.end[ghost.from_cell] - from;
    const std::int32_t to = rows.real + first[g];
    rows.begin[ghost.to_cell] = to, rows.end[ghost.to_cell] = to + count;
    for (std::int32_t k = 0; k < count; ++k)
      images[first[g] + k] = {from + k, to + k, {ghost.shift[0], ghost.shift[1], ghost.shift[2]}};
  }
};

/// Sets the positions of images.
template <int D>
struct PlaceImages {
  const RowImage* images;
  std::int32_t* position[D];

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const RowImage image = images[k];
    for (int d = 0; d < D; ++d)
      position[d][image.to] = static_cast<std::int32_t>(static_cast<std::uint32_t>(position[d][image.from]) +
                                                        static_cast<std::uint32_t>(image.shift[d]));
  }
};

/// Writes the cell of each row that is no image.
struct WriteCells {
  CellRanges rows;
  std::int32_t* cell_of_row;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t c) const {
    const particles::RowRange own = rows.real_rows(static_cast<std::int32_t>(c));
    for (std::int32_t r = own.begin; r < own.end; ++r) cell_of_row[r] = static_cast<std::int32_t>(c);
  }
};

/// Finds the places of rows from their positions.
struct UnwrapPositions {
  CellArrays cells;
  CellRanges rows;
  FixedPoint fixed;
  int axis;
  const std::int32_t* position;
  double* place;  // [m]

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t c) const {
    const particles::RowRange own = rows.real_rows(static_cast<std::int32_t>(c));
    if (own.begin >= own.end) return;
    const double centre = cells.centre(static_cast<std::int32_t>(c))[axis];
    for (std::int32_t r = own.begin; r < own.end; ++r) place[r] = fixed.unwrapped(position[r], centre);
  }
};

}  // namespace eddyline::device
