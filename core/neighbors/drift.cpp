#include "neighbors/drift.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/share_out.hpp"

namespace eddyline::neighbors {

namespace {

constexpr float k_none = std::numeric_limits<float>::infinity();
constexpr std::int32_t k_portion = 64;  // cells that a thread takes at a time

/// visit(first, end) for each row of a box's own cells, counted from its first cell, in parallel.
template <class Visit>
void for_each_run(const particles::CellLayout::Box& box, Visit&& visit) {
  const std::int32_t nx = box.shape[0], ny = box.shape[1] - 2, depth = box.shape[2] > 1 ? 1 : 0;
  const std::int32_t planes = box.shape[2] - 2 * depth, rows = std::max(1, k_portion / nx);
  share_out(planes * ny, rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::int32_t>(begin); row < end; ++row) {
      const std::int32_t z = row / ny + depth, y = row % ny + 1;
      const auto first = static_cast<std::size_t>((z * box.shape[1] + y) * nx + 1);
      visit(first, first + static_cast<std::size_t>(nx - 2));
    }
  });
}

/// Of each of a box's own cells and all that touch it the extreme value, one axis after the other.
template <int D, class Extreme>
void spread(const particles::CellLayout::Box& box, const float* values, Extreme&& extreme, float* scratch, float* to) {
  const std::int32_t nx = box.shape[0], cells = nx * box.shape[1] * box.shape[2];
  const std::int32_t steps[3] = {1, nx, nx * box.shape[1]};
  for (int d = 0; d < D; ++d) {
    float* out = (D - 1 - d) % 2 == 0 ? to : scratch;
    const std::int32_t step = steps[d];
    for (std::int32_t i = step; i < cells - step; ++i)
      out[i] = extreme(extreme(values[i - step], values[i]), values[i + step]);
    values = out;
  }
}

struct Range {
  float lower, upper;
};

/// Of a cell's walls along an axis; they rest unless `moved` says by how much they do not.
inline Range range_of_walls(const particles::CellRows& walls, std::size_t cell, const float* moved) {
  const std::int32_t first = walls.begin[cell], end = walls.begin[cell + 1];
  if (moved == nullptr) return first < end ? Range{0, 0} : Range{k_none, -k_none};
  float lower = k_none, upper = -k_none;
#pragma omp simd reduction(min : lower) reduction(max : upper)
  for (std::int32_t r = first; r < end; ++r) lower = std::min(lower, moved[r]), upper = std::max(upper, moved[r]);
  return {lower, upper};
}

}  // namespace

template <class T, int D>
void DriftBound<T, D>::measure(const particles::CellLayout& layout, const particles::CellRows& rows,
                               const Course<T>& course, const FixedPositions& from, const particles::CellRows& walls,
                               const WallDisplacement* walls_moved) {
  for_each_near_cell(layout, [&](std::int32_t cell) { measure(cell, rows, course, from, walls, walls_moved); });
}

template <class T, int D>
void DriftBound<T, D>::measure(std::int32_t cell, const particles::CellRows& rows, const Course<T>& course,
                               const FixedPositions& from, const particles::CellRows& walls,
                               const WallDisplacement* walls_moved) {
  find_range(cell, rows, walls, walls_moved == nullptr ? nullptr : walls_moved->x,
             [&](std::int32_t r, int d) { return course.displacement(r, d, from.x[d][static_cast<std::size_t>(r)]); });
}

template <class T, int D>
void DriftBound<T, D>::measure(const particles::CellLayout& layout, const particles::CellRows& rows,
                               const Headings& headings, const particles::CellRows& walls,
                               const Headings* wall_headings) {
  for_each_near_cell(layout, [&](std::int32_t cell) {
    find_range(cell, rows, walls, wall_headings == nullptr ? nullptr : wall_headings->x,
               [&](std::int32_t r, int d) { return headings.x[d][static_cast<std::size_t>(r)]; });
  });
}

template <class T, int D>
bool DriftBound<T, D>::follow(const particles::CellLayout& layout, const particles::CellRows& rows,
                              const Course<T>& course, const Headings& headings, float time, FixedPositions& at,
                              const particles::CellRows& walls, const WallDisplacement* walls_moved) {
  constexpr float k_farthest = 0x1p30F;
  std::atomic<bool> all_known = true;
  from_middle_.resize(static_cast<std::size_t>(layout.cells()));
  for_each_near_cell(layout, [&](std::int32_t cell) {
    const auto k = static_cast<std::size_t>(cell);
    float from_middle = 0;
    for (int d = 0; d < D; ++d) {
      const Range of_walls = range_of_walls(walls, k, walls_moved == nullptr ? nullptr : walls_moved->x[d].data());
      float lower = of_walls.lower, upper = of_walls.upper;
      std::int32_t* x = at.x[d].data();
      const float* heading = headings.x[d].data();
#pragma omp simd reduction(min : lower) reduction(max : upper, from_middle)
      for (std::int32_t r = rows.begin[k]; r < rows.begin[k + 1]; ++r) {
        from_middle = std::max(from_middle, course.from_middle(r, d, x[r]));
        const float by = std::nearbyint(course.displacement(r, d, x[r]));
        const bool known = std::abs(by) < k_farthest;
        const auto quanta = static_cast<std::int32_t>(known ? by : 0.0F);
        x[r] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[r]) + static_cast<std::uint32_t>(quanta));
        const float beside = known ? by - heading[r] * time : k_none;
        lower = std::min(lower, beside), upper = std::max(upper, beside);
      }
      lower_[d][k] = lower, upper_[d][k] = upper;
      if (upper == k_none) all_known.store(false, std::memory_order_relaxed);
    }
    from_middle_[k] = from_middle;
  });
  return all_known;
}

template <class T, int D>
template <class MeasureCell>
void DriftBound<T, D>::for_each_near_cell(const particles::CellLayout& layout, MeasureCell&& measure_cell) {
  const std::int32_t cells = layout.cells();
  for (int d = 0; d < D; ++d) {
    lower_[d].resize(static_cast<std::size_t>(cells));
    upper_[d].resize(static_cast<std::size_t>(cells));
  }
  share_out(cells, k_portion, [&](std::int64_t first, std::int64_t last) {
    for (auto c = static_cast<std::int32_t>(first); c < last; ++c)
      if (layout.distance(c) <= 1)  // else no neighbour of its own cells
        measure_cell(c);
  });
}

/// Of a cell, from displacement(row, axis); of walls from an array an axis.
template <class T, int D>
template <class Displacement>
void DriftBound<T, D>::find_range(std::int32_t cell, const particles::CellRows& rows, const particles::CellRows& walls,
                                  const Array<float>* walls_moved, Displacement&& displacement) {
  const auto k = static_cast<std::size_t>(cell);
  for (int d = 0; d < D; ++d) {
    const Range of_walls = range_of_walls(walls, k, walls_moved == nullptr ? nullptr : walls_moved[d].data());
    float lower = of_walls.lower, upper = of_walls.upper;
#pragma omp simd reduction(min : lower) reduction(max : upper)
    for (std::int32_t r = rows.begin[k]; r < rows.begin[k + 1]; ++r) {
      const float moved = displacement(r, d);
      lower = std::min(lower, moved), upper = std::max(upper, moved);
    }
    lower_[d][k] = lower, upper_[d][k] = upper;
  }
}

template <class T, int D>
Drift DriftBound<T, D>::largest(const particles::CellLayout& layout, const particles::CellRows& rows,
                                const particles::CellRows& walls) const {
  float approach2 = 0, moved2 = 0, closing = 0;
  for (const auto& box : layout.own_boxes()) {
    const std::int32_t nx = box.shape[0], nxy = nx * box.shape[1];
    const std::int32_t depth = D == 3 ? 1 : 0, planes = D == 3 ? box.shape[2] - 2 : 1;
#pragma omp parallel for schedule(static, 2) reduction(max : approach2, moved2, closing)
    for (std::int32_t row = 0; row < planes * (box.shape[1] - 2); ++row) {
      const std::int32_t z = row / (box.shape[1] - 2) + depth, y = row % (box.shape[1] - 2) + 1;
      for (std::int32_t x = 1; x < nx - 1; ++x) {
        const std::int32_t here = box.first_cell + z * nxy + y * nx + x;
        const auto i = static_cast<std::size_t>(here);
        bool anybody = false;
        for (std::int32_t dz = -depth; dz <= depth; ++dz)
          for (std::int32_t dy = -1; dy <= 1; ++dy) {
            const auto run = static_cast<std::size_t>(here + dz * nxy + dy * nx - 1);
            anybody |= rows.begin[run] < rows.begin[run + 3] || walls.begin[run] < walls.begin[run + 3];
          }
        if (!anybody) continue;
        // What stands on the two sides of this cell, along each axis.
        float from_below[D], from_above[D];
        std::fill_n(from_below, D, -k_none);
        std::fill_n(from_above, D, k_none);
        const bool occupied = lower_[0][i] <= upper_[0][i];
        for (std::int32_t dz = -depth; dz <= depth; ++dz)
          for (std::int32_t dy = -1; dy <= 1; ++dy)
            for (std::int32_t dx = -1; dx <= 1; ++dx) {
              const auto j = static_cast<std::size_t>(here + dz * nxy + dy * nx + dx);
              const std::int32_t side[3] = {dx, dy, dz};
              float apart2 = 0;
              for (int d = 0; d < D; ++d) {
                if (side[d] < 0) from_below[d] = std::max(from_below[d], upper_[d][j]);
                if (side[d] > 0) from_above[d] = std::min(from_above[d], lower_[d][j]);
                const float apart = std::max(upper_[d][i] - lower_[d][j], upper_[d][j] - lower_[d][i]);
                apart2 += apart * apart;
              }
              if (occupied && lower_[0][j] <= upper_[0][j]) approach2 = std::max(approach2, apart2);
            }
        float far2 = 0;
        for (int d = 0; d < D; ++d) {
          closing = std::max(closing, from_below[d] - from_above[d]);
          const float far = std::max(upper_[d][i], -lower_[d][i]);
          far2 += far * far;
        }
        if (occupied) moved2 = std::max(moved2, far2);
      }
    }
  }
  return {std::max(std::sqrt(approach2), closing), std::sqrt(moved2)};
}

template <class T, int D>
const Array<float>& DriftBound<T, D>::touching(const particles::CellLayout& layout) {
  const auto least = [](float a, float b) { return std::min(a, b); };
  const auto largest = [](float a, float b) { return std::max(a, b); };
  apart_.assign(static_cast<std::size_t>(layout.cells()), 0);
  for (const auto& box : layout.own_boxes()) {
    const auto cells = static_cast<std::size_t>(box.shape[0]) * static_cast<std::size_t>(box.shape[1]) *
                       static_cast<std::size_t>(box.shape[2]);
    const float *lower[D], *upper[D];
    for (int d = 0; d < D; ++d) {
      for (auto* array : {&lowest_[d], &highest_[d], &scratch_[d]}) array->resize(cells);
      lower[d] = lower_[d].data() + box.first_cell, upper[d] = upper_[d].data() + box.first_cell;
    }
    share_out(D, [&](std::int64_t d) {
      spread<D>(box, lower[d], least, scratch_[d].data(), lowest_[d].data());
      spread<D>(box, upper[d], largest, scratch_[d].data(), highest_[d].data());
    });
    float* apart = apart_.data() + box.first_cell;
    for_each_run(box, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) {
        float square = 0;
        for (int d = 0; d < D; ++d) {
          const float along = std::max(upper[d][i] - lowest_[d][i], highest_[d][i] - lower[d][i]);
          square += lower[d][i] <= upper[d][i] ? along * along : 0.0F;
        }
        apart[i] = std::sqrt(square);
      }
    });
  }
  return apart_;
}

template <class T, int D>
const Array<float>& DriftBound<T, D>::beside_middle(const particles::CellLayout& layout) {
  const auto largest = [](float a, float b) { return std::max(a, b); };
  beside_.assign(static_cast<std::size_t>(layout.cells()), 0);
  for (const auto& box : layout.own_boxes()) {
    const auto cells = static_cast<std::size_t>(box.shape[0]) * static_cast<std::size_t>(box.shape[1]) *
                       static_cast<std::size_t>(box.shape[2]);
    highest_[0].resize(cells), scratch_[0].resize(cells);
    spread<D>(box, from_middle_.data() + box.first_cell, largest, scratch_[0].data(), highest_[0].data());
    float* beside = beside_.data() + box.first_cell;
    const float of_two = 2 * std::sqrt(static_cast<float>(D));  // along all axes
    for_each_run(box, [&](std::size_t first, std::size_t end) {
      for (std::size_t i = first; i < end; ++i) beside[i] = of_two * highest_[0][i];
    });
  }
  return beside_;
}

template class DriftBound<float, 2>;
template class DriftBound<float, 3>;
template class DriftBound<double, 2>;
template class DriftBound<double, 3>;

}  // namespace eddyline::neighbors
