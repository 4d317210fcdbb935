#include "neighbors/drift.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "base/share_out.hpp"

namespace eddyline::neighbors {

namespace {

constexpr float k_none = std::numeric_limits<float>::infinity();

struct Range {
  float lower, upper;
};

/// Of a cell's walls along an axis; they rest unless `moved` says by how much they do not, of which that share counts.
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

constexpr auto k_least = [](float a, float b) { return std::min(a, b); };
constexpr auto k_most = [](float a, float b) { return std::max(a, b); };

/// Chooses among `none` and the values around each cell of a run.
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
void DriftBound<T, D>::begin(const particles::CellLayout& layout, const particles::CellRows& rows,
                             const particles::CellRows& walls) {
  layout_ = &layout;
  find_cells(rows, walls);
  const auto cells = static_cast<std::size_t>(cells_.size());
  for (int d = 0; d < D; ++d) lower_[d].assign(cells, k_none), upper_[d].assign(cells, -k_none);
  from_middle_.assign(cells, 0);
  find_occupied(rows, walls);
}

template <class T, int D>
void DriftBound<T, D>::find_cells(const particles::CellRows& rows, const particles::CellRows& walls) {
  cells_.copy(rows.cells);
  cells_.add(walls.cells);
  cells_.number();
  layout_->find_computed_around(cells_, around_);
  layout_->remove_foreign(around_);
  layout_->add_around(around_, cells_);
  surrounded_.clear();
  std::int32_t last = -1;
  around_.for_each([&](std::int32_t cell) {
    const auto b = static_cast<std::size_t>(layout_->box_of(cell));
    const bool goes_on = last + 1 == cell && cell - surrounded_.back().first < CellRun::k_most;
    if (!goes_on) surrounded_.push_back({b, cell, 0, 0});
    ++surrounded_.back().end;
    last = cell;
  });
  cells_.number();
  for (CellRun& run : surrounded_) {
    run.begin = cells_.before(run.first);
    run.end += run.begin;
  }
}

template <class T, int D>
void DriftBound<T, D>::find_occupied(const particles::CellRows& rows, const particles::CellRows& walls) {
  images_.clear(), occupied_.clear(), foreign_.clear();
  particles::CellSet& of_others = around_;  // from here on
  of_others.clear(layout_->cells());
  for (const auto& other : layout_->rank_cells())
    for (const auto& ghost : other.received) of_others.add(ghost.cell);
  const auto add = [&](std::int32_t cell) {
    const std::int32_t number = cells_.before(cell);
    if (const auto* copy = layout_->copy_of(cell)) {
      images_.push_back({cells_.before(copy->from_cell), number});
    } else if (layout_->distance(cell) <= 1) {
      if (of_others.has(cell)) foreign_.push_back(occupied_.size());
      occupied_.push_back({number, rows.of(cell), walls.of(cell)});
    }
  };
  rows.cells.for_each(add);
  with_fluid_ = occupied_.size();
  walls.cells.for_each([&](std::int32_t cell) {
    if (rows.is_empty(cell)) add(cell);
  });
  for (std::size_t k = with_fluid_; k < occupied_.size(); ++k)
    for (int d = 0; d < D; ++d) {  // as long as walls rest
      const auto n = static_cast<std::size_t>(occupied_[k].number);
      lower_[d][n] = upper_[d][n] = 0;
    }
  copy_to_images();
}

template <class T, int D>
void DriftBound<T, D>::measure(const Course<T>& course, const FixedPositions& from, const WallDisplacement* walls_moved,
                               float share) {
  for_each_occupied(walls_moved != nullptr,
                    [&](const Occupied& cell) { find_range(cell, course, from, walls_moved, share); });
}

template <class T, int D>
void DriftBound<T, D>::measure_foreign(const Course<T>& course, const FixedPositions& from,
                                       const WallDisplacement* walls_moved) {
  for (const std::size_t k : foreign_) find_range(occupied_[k], course, from, walls_moved, 1);
}

template <class T, int D>
void DriftBound<T, D>::measure(const Headings& headings, const Headings* wall_headings) {
  for_each_occupied(wall_headings != nullptr, [&](const Occupied& cell) {
    find_range(cell, wall_headings == nullptr ? nullptr : wall_headings->x, Headings::k_unit,
               [&](std::int32_t r, int d) {
                 return Headings::k_unit * static_cast<float>(headings.x[d][static_cast<std::size_t>(r)]);
               });
  });
}

template <class T, int D>
bool DriftBound<T, D>::follow(const Course<T>& course, const Headings& headings, float time, FixedPositions& at,
                              const WallDisplacement* walls_moved) {
  return course.to_come == 0 ? follow<true>(course, headings, time, at, walls_moved)
                             : follow<false>(course, headings, time, at, walls_moved);
}

/// Ends: rows are where they go, and that is all that is known of them.
template <class T, int D>
template <bool Ends>
bool DriftBound<T, D>::follow(const Course<T>& course, const Headings& headings, float time, FixedPositions& at,
                              const WallDisplacement* walls_moved) {
  constexpr float k_farthest = 0x1p30F;
  const float of_heading = Headings::k_unit * time;
  std::atomic<bool> all_known = true;
  for_each_occupied(walls_moved != nullptr, [&](const Occupied& cell) {
    float lower[D], upper[D], from_middle = 0;
    for (int d = 0; d < D; ++d) {
      const Range of_walls = range_of_walls(cell.walls, walls_moved == nullptr ? nullptr : walls_moved->x[d].data(), 1);
      lower[d] = of_walls.lower, upper[d] = of_walls.upper;
    }
    // Moves a row, and tells what it has gone beside what was expected.
    const auto go = [&](std::int32_t& x, float by, std::int16_t heading) __attribute__((always_inline)) {
      const bool known = std::abs(by) < k_farthest;
      const auto quanta = static_cast<std::int32_t>(known ? by : 0.0F);
      x = static_cast<std::int32_t>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(quanta));
      return known ? by - static_cast<float>(heading) * of_heading : k_none;
    };
    if constexpr (Ends) {  // row by row, so that no axis alone waits for itself
      for (std::int32_t r = cell.fluid.begin; r < cell.fluid.end; ++r)
        for (int d = 0; d < D; ++d) {
          std::int32_t& x = at.x[d].data()[r];
          const float beside = go(x, course.so_far(r, d, x), headings.x[d].data()[r]);
          lower[d] = std::min(lower[d], beside), upper[d] = std::max(upper[d], beside);
        }
    } else {  // axis by axis, as there is more to keep in registers
      for (int d = 0; d < D; ++d) {
        std::int32_t* x = at.x[d].data();
        const std::int16_t* heading = headings.x[d].data();
        float least = lower[d], most = upper[d];
#pragma omp simd reduction(min : least) reduction(max : most, from_middle)
        for (std::int32_t r = cell.fluid.begin; r < cell.fluid.end; ++r) {
          from_middle = std::max(from_middle, course.from_middle(r, d, x[r]));
          const float beside = go(x[r], std::nearbyint(course.displacement(r, d, x[r])), heading[r]);
          least = std::min(least, beside), most = std::max(most, beside);
        }
        lower[d] = least, upper[d] = most;
      }
    }
    const auto k = static_cast<std::size_t>(cell.number);
    for (int d = 0; d < D; ++d) {
      lower_[d][k] = lower[d], upper_[d][k] = upper[d];
      if (upper[d] == k_none) all_known.store(false, std::memory_order_relaxed);
    }
    from_middle_[k] = from_middle;
  });
  return all_known;
}

template <class T, int D>
template <class MeasureCell>
void DriftBound<T, D>::for_each_occupied(bool walls_move, MeasureCell&& measure_cell) {
  const auto count = static_cast<std::int64_t>(walls_move ? occupied_.size() : with_fluid_);
  constexpr std::int64_t k_portion = 64;  // cells that a thread takes at a time
  share_out(count, k_portion, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) measure_cell(occupied_[k]);
  });
  copy_to_images();
}

/// Images go as those do whose images they are.
template <class T, int D>
void DriftBound<T, D>::copy_to_images() {
  for (const Image& image : images_) {
    const auto from = static_cast<std::size_t>(image.from), to = static_cast<std::size_t>(image.to);
    for (int d = 0; d < D; ++d) lower_[d][to] = lower_[d][from], upper_[d][to] = upper_[d][from];
    from_middle_[to] = from_middle_[from];
  }
}

template <class T, int D>
void DriftBound<T, D>::find_range(const Occupied& cell, const Course<T>& course, const FixedPositions& from,
                                  const WallDisplacement* walls_moved, float share) {
  find_range(cell, walls_moved == nullptr ? nullptr : walls_moved->x, share,
             [&](std::int32_t r, int d) { return course.displacement(r, d, from.x[d][static_cast<std::size_t>(r)]); });
}

/// Of a cell, from displacement(row, axis); of walls from an array an axis.
template <class T, int D>
template <class Number, class Displacement>
void DriftBound<T, D>::find_range(const Occupied& cell, const Array<Number>* walls_moved, float share,
                                  Displacement&& displacement) {
  float lower[D], upper[D];
  for (int d = 0; d < D; ++d) {
    const Range of_walls = range_of_walls(cell.walls, walls_moved == nullptr ? nullptr : walls_moved[d].data(), share);
    lower[d] = of_walls.lower, upper[d] = of_walls.upper;
  }
  for (std::int32_t r = cell.fluid.begin; r < cell.fluid.end; ++r)
    for (int d = 0; d < D; ++d) {  // all at once: one alone would wait for itself
      const float moved = displacement(r, d);
      lower[d] = std::min(lower[d], moved), upper[d] = std::max(upper[d], moved);
    }
  const auto k = static_cast<std::size_t>(cell.number);
  for (int d = 0; d < D; ++d) lower_[d][k] = lower[d], upper_[d][k] = upper[d];
}

/// All around the cells of a run have numbers, so that the first ones tell those of the others.
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
  for (std::size_t s = 0; s < surrounded_.size(); ++s) {
    const CellRun& run = surrounded_[s];
    const RunsAround around = this->around(run);
    for (std::int32_t k = 0; k < run.end - run.begin; ++k) {
      const auto i = static_cast<std::size_t>(run.begin + k);
      // What stands on the two sides of this cell, along each axis.
      float from_below[D], from_above[D];
      std::fill_n(from_below, D, -k_none);
      std::fill_n(from_above, D, k_none);
      for (std::size_t number = 0; number < around.size(); ++number)
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
          const auto j = static_cast<std::size_t>(around[number] + k + 1 + dx);
          const auto at = static_cast<std::int32_t>(number);
          const std::int32_t side[3] = {dx, at % 3 - 1, at / 3 - 1};
          float apart2 = 0;
          for (int d = 0; d < D; ++d) {
            if (side[d] < 0) from_below[d] = std::max(from_below[d], upper_[d][j]);
            if (side[d] > 0) from_above[d] = std::min(from_above[d], lower_[d][j]);
            const float apart = std::max(upper_[d][i] - lower_[d][j], upper_[d][j] - lower_[d][i]);
            apart2 += apart * apart;
          }
          if (!is_empty(i) && !is_empty(j)) approach2 = std::max(approach2, apart2);
        }
      float far2 = 0;
      for (int d = 0; d < D; ++d) {
        closing = std::max(closing, from_below[d] - from_above[d]);
        const float far = std::max(upper_[d][i], -lower_[d][i]);
        far2 += far * far;
      }
      if (!is_empty(i)) moved2 = std::max(moved2, far2);
    }
  }
  return {std::max(std::sqrt(approach2), closing), std::sqrt(moved2)};
}

/// Cells that hold nobody have no lowest and no highest displacement: 0 hides what comes of that.
template <class T, int D>
void DriftBound<T, D>::find_touching(const CellRun& run, float* approach) const {
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
void DriftBound<T, D>::find_beside_middle(const CellRun& run, float* beside) const {
  const float of_two = 2 * std::sqrt(static_cast<float>(D));  // along all axes
  const std::int32_t cells = run.end - run.begin;
  choose_around(from_middle_, around(run), cells, 0, k_most, beside);
  for (std::int32_t k = 0; k < cells; ++k) beside[k] *= of_two;
}

template <class T, int D>
std::size_t DriftBound<T, D>::bytes() const {
  std::size_t bytes = around_.bytes() + cells_.bytes() + from_middle_.bytes() +
                      surrounded_.capacity() * sizeof(CellRun) + occupied_.capacity() * sizeof(Occupied) +
                      images_.capacity() * sizeof(Image);
  for (int d = 0; d < D; ++d) bytes += lower_[d].bytes() + upper_[d].bytes();
  return bytes;
}

template class DriftBound<float, 2>;
template class DriftBound<float, 3>;
template class DriftBound<double, 2>;
template class DriftBound<double, 3>;

}  // namespace eddyline::neighbors
