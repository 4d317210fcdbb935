#include "neighbors/drift.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/lanes.hpp"
#include "base/parallel_for.hpp"
#include "base/transpose.hpp"

namespace eddyline::neighbors {

namespace {

constexpr float k_none = std::numeric_limits<float>::infinity();

struct Range {
  float lower, upper;
};

/// Range of the displacements of a cell's wall particles along an axis. They are at rest if `moved` is null; otherwise
/// `share` of these displacements counts.
template <class Number>
Range range_of_walls(const particles::RowRange& walls, const Number* moved, float share) {
  if (moved == nullptr) return walls.count() > 0 ? Range{0, 0} : Range{k_none, -k_none};
  float lower = k_none, upper = -k_none;
#pragma omp simd reduction(min : lower) reduction(max : upper)
  for (std::int32_t r = walls.begin; r < walls.end; ++r) {
    const auto by = static_cast<float>(moved[r]);
    lower = std::min(lower, by), upper = std::max(upper, by);
  }
  return {share * lower, share * upper};
}

/// Processes eight values at a time; the last eight may overlap those before.
EDDYLINE_INLINE Range range_of(const float* values, std::int32_t count) {
  constexpr std::int32_t k_lanes = Pack8f::width;
  if (count < k_lanes) {
    Range range{k_none, -k_none};
    for (std::int32_t k = 0; k < count; ++k)
      range.lower = std::min(range.lower, values[k]), range.upper = std::max(range.upper, values[k]);
    return range;
  }
  Pack8f lower(k_none), upper(-k_none);
  for (std::int32_t k = 0; k < count; k += k_lanes) {
    const Pack8f value = Pack8f::load(values + std::min(k, count - k_lanes));
    lower = min(value, lower), upper = max(value, upper);
  }
  return {reduce_lanes(lower, [](Pack8f a, Pack8f b) { return min(a, b); }),
          reduce_lanes(upper, [](Pack8f a, Pack8f b) { return max(a, b); })};
}

constexpr auto k_least = [](float a, float b) { return std::min(a, b); };
constexpr auto k_most = [](float a, float b) { return std::max(a, b); };

/// Combines the result of each cell of a run with another value per cell.
template <class Choose>
void choose_with(float* chosen, const float* values, std::int32_t cells, Choose&& choose) {
#pragma omp simd
  for (std::int32_t k = 0; k < cells; ++k) {
    const float before = chosen[k], value = values[k];
    chosen[k] = choose(before, value);
  }
}

/// Combines, for each cell of a run, `none` and the values of the cells around it.
template <std::size_t Runs, class Choose>
void choose_around(const Array<float>& values, const std::array<std::int32_t, Runs>& around, std::int32_t cells,
                   float none, Choose&& choose, float* chosen) {
  std::fill_n(chosen, cells, none);
  for (const std::int32_t first : around) {
    const float* value = values.data() + first;
#pragma omp simd
    for (std::int32_t k = 0; k < cells; ++k)
      chosen[k] = choose(chosen[k], choose(choose(value[k], value[k + 1]), value[k + 2]));
  }
}

}  // namespace

template <class T, int D>
void DriftBound<T, D>::begin(const particles::CellLayout& layout, const particles::CellIndex& rows,
                             const particles::CellIndex& walls) {
  layout_ = &layout;
  find_cells(rows, walls);
  const auto cells = static_cast<std::size_t>(cells_.size());
  for (int d = 0; d < D; ++d) lower_[d].assign(cells, k_none), upper_[d].assign(cells, -k_none);
  midpoint_distance_.assign(cells, 0);
  find_occupied(rows, walls);
}

template <class T, int D>
void DriftBound<T, D>::find_cells(const particles::CellIndex& rows, const particles::CellIndex& walls) {
  cells_.copy(rows.cells);
  cells_.add(walls.cells);
  cells_.number();
  layout_->find_computed_around(cells_, around_);
  layout_->remove_foreign(around_);
  layout_->add_around(around_, cells_);
  active_runs_.clear();
  std::int32_t last = -1;
  around_.for_each([&](std::int32_t cell) {
    const auto b = static_cast<std::size_t>(layout_->box_of(cell));
    const bool goes_on = last + 1 == cell && cell - active_runs_.back().first < CellRun::k_most;
    if (!goes_on) active_runs_.push_back({b, cell, 0, 0});
    ++active_runs_.back().end;
    last = cell;
  });
  cells_.number();
  for (CellRun& run : active_runs_) {
    run.begin = cells_.before(run.first);
    run.end += run.begin;
  }
}

template <class T, int D>
void DriftBound<T, D>::find_occupied(const particles::CellIndex& rows, const particles::CellIndex& walls) {
  images_.clear(), occupied_.clear(), foreign_.clear();
  particles::CellSet& foreign_cells = around_;  // reused from here on
  foreign_cells.clear(layout_->cells());
  for (const auto& other : layout_->rank_cells())
    for (const auto& ghost : other.received) foreign_cells.add(ghost.cell);
  const auto add = [&](std::int32_t cell) {
    const std::int32_t number = cells_.before(cell);
    if (const auto* copy = layout_->copy_of(cell)) {
      images_.push_back({cells_.before(copy->from_cell), number});
    } else if (layout_->distance(cell) <= 1) {
      if (foreign_cells.has(cell)) foreign_.push_back(occupied_.size());
      occupied_.push_back({number, rows.of(cell), walls.of(cell)});
    }
  };
  rows.cells.for_each(add);
  with_fluid_ = occupied_.size();
  walls.cells.for_each([&](std::int32_t cell) {
    if (rows.is_empty(cell)) add(cell);
  });
  for (std::size_t k = with_fluid_; k < occupied_.size(); ++k)
    for (int d = 0; d < D; ++d) {  // until walls move
      const auto n = static_cast<std::size_t>(occupied_[k].number);
      lower_[d][n] = upper_[d][n] = 0;
    }
  copy_to_images();
}

template <class T, int D>
void DriftBound<T, D>::measure(const PredictedPath<T>& path, const FixedPositions& from,
                               const WallDisplacement* walls_moved, float share) {
  for_each_occupied(walls_moved != nullptr, [&](std::size_t first, std::size_t last) {
    measure_path(first, last, path, from, walls_moved, share);
  });
}

template <class T, int D>
void DriftBound<T, D>::measure_foreign(const PredictedPath<T>& path, const FixedPositions& from,
                                       const WallDisplacement* walls_moved) {
  for (const std::size_t k : foreign_) measure_path(k, k + 1, path, from, walls_moved, 1);
}

template <class T, int D>
void DriftBound<T, D>::measure_path(std::size_t first, std::size_t last, const PredictedPath<T>& path,
                                    const FixedPositions& from, const WallDisplacement* walls_moved, float share) {
  const auto find = [&](const particles::RowRange& rows, RowDisplacements& displacements) {
    displacements.find_columns(path, rows);
    const std::int32_t count = rows.count();
    for (int d = 0; d < D; ++d) {
      const typename PredictedPath<T>::Axis axis = displacements.axis(path, d);
      const std::int32_t* place = from.x[d].data() + rows.begin;
      float* way = displacements.along[d];
#pragma omp simd
      for (std::int32_t k = 0; k < count; ++k) way[k] = axis.displacement(k, place[k]);
    }
  };
  measure_cells<false>(first, last, walls_moved == nullptr ? nullptr : walls_moved->x, share, find);
}

template <class T, int D>
void DriftBound<T, D>::RowDisplacements::find_columns(const PredictedPath<T>& path, const particles::RowRange& rows) {
  constexpr int k_some = k_columns_at_once;
  const T* first = path.rows->row(rows.begin).first;
  const bool has_more = path.remaining != 0 && path.velocity + D > k_some;
  std::int32_t k = 0;
  const auto row = [&](int l) { return first + (k + l) * k_first_part; };
  for (; k + k_rows_at_once <= rows.count(); k += k_rows_at_once) {
    rows_to_columns(row, [&](int c) { return column[c] + k; });
    if (has_more)
      rows_to_columns([&](int l) { return row(l) + k_some; }, [&](int c) { return column[k_some + c] + k; });
  }
  for (; k < rows.count(); ++k)
    for (int c = 0; c < k_first_part; ++c) column[c][k] = row(0)[c];
}

template <class T, int D>
void DriftBound<T, D>::measure(const ReferenceVelocities& velocities, const ReferenceVelocities* wall_velocities) {
  const auto find = [&](const particles::RowRange& rows, RowDisplacements& displacements) {
    for (int d = 0; d < D; ++d) {
      const std::int16_t* velocity_of_row = velocities.x[d].data() + rows.begin;
      float* way = displacements.along[d];
#pragma omp simd
      for (std::int32_t k = 0; k < rows.count(); ++k)
        way[k] = ReferenceVelocities::k_unit * static_cast<float>(velocity_of_row[k]);
    }
  };
  for_each_occupied(wall_velocities != nullptr, [&](std::size_t first, std::size_t last) {
    measure_cells<false>(first, last, wall_velocities == nullptr ? nullptr : wall_velocities->x,
                         ReferenceVelocities::k_unit, find);
  });
}

template <class T, int D>
bool DriftBound<T, D>::advance(const PredictedPath<T>& path, const ReferenceVelocities& velocities, float time,
                               FixedPositions& at, const WallDisplacement* walls_moved) {
  return path.remaining == 0 ? advance<true>(path, velocities, time, at, walls_moved)
                             : advance<false>(path, velocities, time, at, walls_moved);
}

/// Ends: the rows are already at the end of their path, and velocities are not needed.
template <class T, int D>
template <bool Ends>
bool DriftBound<T, D>::advance(const PredictedPath<T>& path, const ReferenceVelocities& velocities, float time,
                               FixedPositions& at, const WallDisplacement* walls_moved) {
  const float to_quanta = ReferenceVelocities::k_unit * time;
  // Moves rows and finds how far they have moved beyond what was expected.
  const auto go = [&](const particles::RowRange& rows, RowDisplacements& displacements) {
    constexpr float k_farthest = 0x1p30F;
    const std::int32_t first = rows.begin, count = rows.count();
    displacements.find_columns(path, rows);
    if constexpr (!Ends) std::fill_n(displacements.midpoint_distance, count, 0.0F);
    for (int d = 0; d < D; ++d) {
      std::int32_t* x = at.x[d].data() + first;
      const std::int16_t* velocity_of_row = velocities.x[d].data() + first;
      const typename PredictedPath<T>::Axis axis = displacements.axis(path, d);
      float *way = displacements.along[d], *midpoint_distance = displacements.midpoint_distance;
#pragma omp simd
      for (std::int32_t k = 0; k < count; ++k) {
        float by;
        if constexpr (Ends) {
          by = axis.current_displacement(k, x[k]);
        } else {
          by = std::nearbyint(axis.displacement(k, x[k]));
          const float beside_middle = axis.midpoint_distance(k, x[k]), most = midpoint_distance[k];
          midpoint_distance[k] = beside_middle > most ? beside_middle : most;
        }
        const auto quanta = static_cast<std::int32_t>(std::min(k_farthest, std::max(-k_farthest, by)));
        x[k] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[k]) + static_cast<std::uint32_t>(quanta));
        const float excess = by - static_cast<float>(velocity_of_row[k]) * to_quanta;
        way[k] = std::abs(by) < k_farthest ? excess : k_none;
      }
    }
  };
  std::atomic<bool> all_known = true;
  for_each_occupied(walls_moved != nullptr, [&](std::size_t first, std::size_t last) {
    measure_cells<!Ends>(first, last, walls_moved == nullptr ? nullptr : walls_moved->x, 1, go);
    for (std::size_t k = first; k < last; ++k)
      for (int d = 0; d < D; ++d)
        if (upper_[d][static_cast<std::size_t>(occupied_[k].number)] == k_none)
          all_known.store(false, std::memory_order_relaxed);
  });
  return all_known;
}

template <class T, int D>
template <class Measure>
void DriftBound<T, D>::for_each_occupied(bool walls_move, Measure&& measure) {
  const auto count = static_cast<std::int64_t>(walls_move ? occupied_.size() : with_fluid_);
  constexpr std::int64_t k_block = 64;  // cells per work item
  parallel_for(count, k_block, [&](std::int64_t first, std::int64_t last) {
    measure(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  });
  copy_to_images();
}

template <class T, int D>
template <bool WithMidpoint, class Number, class Find>
void DriftBound<T, D>::measure_cells(std::size_t first, std::size_t last, const Array<Number>* walls_moved, float share,
                                     Find&& find) {
  for (std::size_t k = first; k < last; ++k) {
    const Occupied& cell = occupied_[k];
    const auto n = static_cast<std::size_t>(cell.number);
    for (int d = 0; d < D; ++d) {
      const Range of_walls =
          range_of_walls(cell.walls, walls_moved == nullptr ? nullptr : walls_moved[d].data(), share);
      lower_[d][n] = of_walls.lower, upper_[d][n] = of_walls.upper;
    }
    if constexpr (WithMidpoint) midpoint_distance_[n] = 0;
  }
  RowDisplacements displacements;
  while (first < last) {
    const Occupied& cell = occupied_[first];
    if (cell.fluid.count() > RowDisplacements::k_most) {
      for (particles::RowRange some{cell.fluid.begin, 0}; some.begin < cell.fluid.end; some.begin = some.end) {
        some.end = std::min(some.begin + RowDisplacements::k_most, cell.fluid.end);
        find(some, displacements);
        merge<WithMidpoint>(cell, displacements, 0, some.count());
      }
      ++first;
      continue;
    }
    // Process consecutive cells together as long as they fit.
    particles::RowRange rows = cell.fluid;
    std::size_t end = first + 1;
    for (; end < last; ++end) {
      const particles::RowRange& more = occupied_[end].fluid;
      if (more.begin != rows.end || more.end - rows.begin > RowDisplacements::k_most) break;
      rows.end = more.end;
    }
    find(rows, displacements);
    for (; first < end; ++first) {
      const particles::RowRange& own = occupied_[first].fluid;
      merge<WithMidpoint>(occupied_[first], displacements, own.begin - rows.begin, own.count());
    }
  }
}

template <class T, int D>
template <bool WithMidpoint>
void DriftBound<T, D>::merge(const Occupied& cell, const RowDisplacements& displacements, std::int32_t first,
                             std::int32_t count) {
  const auto n = static_cast<std::size_t>(cell.number);
  for (int d = 0; d < D; ++d) {
    const Range range = range_of(displacements.along[d] + first, count);
    lower_[d][n] = std::min(lower_[d][n], range.lower), upper_[d][n] = std::max(upper_[d][n], range.upper);
  }
  if constexpr (WithMidpoint)
    midpoint_distance_[n] =
        std::max(midpoint_distance_[n], range_of(displacements.midpoint_distance + first, count).upper);
}

/// Images move as the cells that they copy.
template <class T, int D>
void DriftBound<T, D>::copy_to_images() {
  for (const Image& image : images_) {
    const auto from = static_cast<std::size_t>(image.from), to = static_cast<std::size_t>(image.to);
    for (int d = 0; d < D; ++d) lower_[d][to] = lower_[d][from], upper_[d][to] = upper_[d][from];
    midpoint_distance_[to] = midpoint_distance_[from];
  }
}

/// All cells around a run have consecutive numbers, so that the number of the first one of each line suffices.
template <class T, int D>
typename DriftBound<T, D>::RunsAround DriftBound<T, D>::around(const CellRun& run) const {
  RunsAround numbers;
  std::size_t k = 0;
  layout_->boxes()[run.box].for_each_run_around(run.first,
                                                [&](std::int32_t first) { numbers[k++] = cells_.before(first); });
  return numbers;
}

template <class T, int D>
Drift DriftBound<T, D>::largest() const {
  float approach2 = 0, moved2 = 0, closing = 0;
#pragma omp parallel for schedule(static, 2) reduction(max : approach2, moved2, closing)
  for (std::size_t s = 0; s < active_runs_.size(); ++s) {
    const CellRun& run = active_runs_[s];
    const Largest own = largest_of(run);
    approach2 = std::max(approach2, own.approach2), moved2 = std::max(moved2, own.moved2);
    closing = std::max(closing, own.closing);
  }
  return {std::max(std::sqrt(approach2), closing), std::sqrt(moved2)};
}

/// Loops over the cells around, for all cells of the run at once, so that the inner loop vectorises.
template <class T, int D>
typename DriftBound<T, D>::Largest DriftBound<T, D>::largest_of(const CellRun& run) const {
  const RunsAround around = this->around(run);
  const std::int32_t cells = run.end - run.begin;
  const float *lower[D], *upper[D];
  for (int d = 0; d < D; ++d) lower[d] = lower_[d].data(), upper[d] = upper_[d].data();
  // Extreme displacements on the two sides of each cell, along each axis.
  float approach2[CellRun::k_most] = {}, from_below[D][CellRun::k_most], from_above[D][CellRun::k_most];
  for (int d = 0; d < D; ++d) {
    std::fill_n(from_below[d], cells, -k_none);
    std::fill_n(from_above[d], cells, k_none);
  }
  for (std::size_t number = 0; number < around.size(); ++number)
    for (std::int32_t dx = -1; dx <= 1; ++dx) {
      const std::int32_t first = around[number] + 1 + dx, at = static_cast<std::int32_t>(number);
      const std::int32_t side[3] = {dx, at % 3 - 1, at / 3 - 1};
#pragma omp simd
      for (std::int32_t k = 0; k < cells; ++k) {
        const std::int32_t i = run.begin + k, j = first + k;
        float apart2 = 0;
        for (int d = 0; d < D; ++d) {
          const float above = upper[d][i] - lower[d][j], below = upper[d][j] - lower[d][i];
          const float apart = std::max(above, below);
          apart2 += apart * apart;
        }
        const float counted = lower[0][j] <= upper[0][j] ? apart2 : 0, most = approach2[k];
        approach2[k] = std::max(most, counted);
      }
      for (int d = 0; d < D; ++d) {
        if (side[d] < 0) choose_with(from_below[d], upper[d] + first, cells, k_most);
        if (side[d] > 0) choose_with(from_above[d], lower[d] + first, cells, k_least);
      }
    }
  Largest found;
  for (std::int32_t k = 0; k < cells; ++k) {
    const auto i = static_cast<std::size_t>(run.begin + k);
    float far2 = 0;
    for (int d = 0; d < D; ++d) {
      found.closing = std::max(found.closing, from_below[d][k] - from_above[d][k]);
      const float far = std::max(upper_[d][i], -lower_[d][i]);
      far2 += far * far;
    }
    if (is_empty(i)) continue;
    found.approach2 = std::max(found.approach2, approach2[k]);
    found.moved2 = std::max(found.moved2, far2);
  }
  return found;
}

/// Empty cells have an inverted range (lowest above highest), whose difference is negative: the maximum with 0 hides
/// it.
template <class T, int D>
void DriftBound<T, D>::find_relative_drift(const CellRun& run, float* approach) const {
  const RunsAround around = this->around(run);
  const std::int32_t cells = run.end - run.begin;
  float lowest[CellRun::k_most], highest[CellRun::k_most], square[CellRun::k_most] = {};
  for (int d = 0; d < D; ++d) {
    choose_around(lower_[d], around, cells, k_none, k_least, lowest);
    choose_around(upper_[d], around, cells, -k_none, k_most, highest);
    const float *lower = lower_[d].data() + run.begin, *upper = upper_[d].data() + run.begin;
#pragma omp simd
    for (std::int32_t k = 0; k < cells; ++k) {
      const float along = std::max(0.0F, std::max(upper[k] - lowest[k], highest[k] - lower[k]));
      square[k] += along * along;
    }
  }
#pragma omp simd
  for (std::int32_t k = 0; k < cells; ++k) approach[k] = std::sqrt(square[k]);
}

template <class T, int D>
void DriftBound<T, D>::find_midpoint_excess(const CellRun& run, float* excess) const {
  const float of_two = 2 * std::sqrt(static_cast<float>(D));  // two particles, all axes
  const std::int32_t cells = run.end - run.begin;
  choose_around(midpoint_distance_, around(run), cells, 0, k_most, excess);
  for (std::int32_t k = 0; k < cells; ++k) excess[k] *= of_two;
}

template <class T, int D>
std::size_t DriftBound<T, D>::bytes() const {
  std::size_t bytes = around_.bytes() + cells_.bytes() + midpoint_distance_.bytes() +
                      active_runs_.capacity() * sizeof(CellRun) + occupied_.capacity() * sizeof(Occupied) +
                      images_.capacity() * sizeof(Image);
  for (int d = 0; d < D; ++d) bytes += lower_[d].bytes() + upper_[d].bytes();
  return bytes;
}

template class DriftBound<float, 2>;
template class DriftBound<float, 3>;
template class DriftBound<double, 2>;
template class DriftBound<double, 3>;

}  // namespace eddyline::neighbors
