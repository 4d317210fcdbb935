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
constexpr std::int32_t k_portion = 64;  // cells that a thread takes at a time, at most

struct Range {
  float lower, upper;
};

/// Of a cell's walls along an axis; they rest unless `moved` says by how much they do not, of which that share counts.
template <class Number>
Range range_of_walls(const particles::CellRows& walls, std::size_t cell, const Number* moved, float share) {
  const std::int32_t first = walls.begin[cell], end = walls.end[cell];
  if (moved == nullptr) return first < end ? Range{0, 0} : Range{k_none, -k_none};
  float lower = k_none, upper = -k_none;
#pragma omp simd reduction(min : lower) reduction(max : upper)
  for (std::int32_t r = first; r < end; ++r) {
    const auto by = static_cast<float>(moved[r]);
    lower = std::min(lower, by), upper = std::max(upper, by);
  }
  return {share * lower, share * upper};
}

}  // namespace

template <class T, int D>
void DriftBound<T, D>::begin(const particles::CellLayout& layout, const particles::CellRows& rows,
                             const particles::CellRows& walls) {
  layout_ = &layout;
  const auto cells = static_cast<std::size_t>(layout.cells());
  for (int d = 0; d < D; ++d) lower_[d].assign(cells, k_none), upper_[d].assign(cells, -k_none);
  for (auto* each : {&apart_, &from_middle_, &beside_}) each->assign(cells, 0);
  find_occupied(rows, walls);
  find_surrounded(rows, walls);
}

template <class T, int D>
void DriftBound<T, D>::find_occupied(const particles::CellRows& rows, const particles::CellRows& walls) {
  const auto add = [&](std::int32_t cell) {
    occupied_.resize(occupied_.size() + 1);
    occupied_[occupied_.size() - 1] = cell;
  };
  const auto matters = [&](std::int32_t cell) {
    return layout_->distance(cell) <= 1 && layout_->copy_of(cell) == nullptr;
  };
  occupied_.resize(0);
  for (std::int32_t c = 0; c < layout_->cells(); ++c)
    if (!rows.is_empty(c) && matters(c)) add(c);
  with_fluid_ = occupied_.size();
  for (std::int32_t c = 0; c < layout_->cells(); ++c) {
    if (!rows.is_empty(c) || walls.is_empty(c) || !matters(c)) continue;
    add(c);
    const auto k = static_cast<std::size_t>(c);
    for (int d = 0; d < D; ++d) lower_[d][k] = upper_[d][k] = 0;  // as long as walls rest
  }
  copy_to_images();
}

template <class T, int D>
void DriftBound<T, D>::find_surrounded(const particles::CellRows& rows, const particles::CellRows& walls) {
  in_run_.resize(static_cast<std::size_t>(layout_->cells()));
  int next = 0, after = 0;
  for (std::int32_t c = layout_->cells(); c-- > 0;) {
    const int here = rows.is_empty(c) && walls.is_empty(c) ? 0 : 1;
    in_run_[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(here | next | after);
    after = std::exchange(next, here);
  }
  surrounded_.clear();
  for (std::size_t b = 0; b < layout_->own_boxes().size(); ++b) {
    const auto& box = layout_->own_boxes()[b];
    for (std::int32_t c = box.first_cell; c < box.first_cell + box.cells_with_border(); ++c) {
      if (!layout_->is_owned(c)) continue;
      std::uint8_t anybody = 0;
      box.for_each_run_around(c, [&](std::int32_t run) { anybody |= in_run_[static_cast<std::size_t>(run)]; });
      if (anybody == 0) continue;
      const bool goes_on =
          !surrounded_.empty() && surrounded_.back().last == c && c - surrounded_.back().first < k_portion;
      if (goes_on)
        ++surrounded_.back().last;
      else
        surrounded_.push_back({b, c, c + 1});
    }
  }
}

template <class T, int D>
void DriftBound<T, D>::measure(const particles::CellRows& rows, const Course<T>& course, const FixedPositions& from,
                               const particles::CellRows& walls, const WallDisplacement* walls_moved, float share) {
  for_each_occupied(walls_moved != nullptr,
                    [&](std::int32_t cell) { measure(cell, rows, course, from, walls, walls_moved, share); });
}

template <class T, int D>
void DriftBound<T, D>::measure(std::int32_t cell, const particles::CellRows& rows, const Course<T>& course,
                               const FixedPositions& from, const particles::CellRows& walls,
                               const WallDisplacement* walls_moved, float share) {
  find_range(cell, rows, walls, walls_moved == nullptr ? nullptr : walls_moved->x, share,
             [&](std::int32_t r, int d) { return course.displacement(r, d, from.x[d][static_cast<std::size_t>(r)]); });
}

template <class T, int D>
void DriftBound<T, D>::measure(const particles::CellRows& rows, const Headings& headings,
                               const particles::CellRows& walls, const Headings* wall_headings) {
  for_each_occupied(wall_headings != nullptr, [&](std::int32_t cell) {
    find_range(cell, rows, walls, wall_headings == nullptr ? nullptr : wall_headings->x, Headings::k_unit,
               [&](std::int32_t r, int d) {
                 return Headings::k_unit * static_cast<float>(headings.x[d][static_cast<std::size_t>(r)]);
               });
  });
}

template <class T, int D>
bool DriftBound<T, D>::follow(const particles::CellRows& rows, const Course<T>& course, const Headings& headings,
                              float time, FixedPositions& at, const particles::CellRows& walls,
                              const WallDisplacement* walls_moved) {
  constexpr float k_farthest = 0x1p30F;
  const float of_heading = Headings::k_unit * time;
  std::atomic<bool> all_known = true;
  for_each_occupied(walls_moved != nullptr, [&](std::int32_t cell) {
    const auto k = static_cast<std::size_t>(cell);
    float from_middle = 0;
    for (int d = 0; d < D; ++d) {
      const Range of_walls = range_of_walls(walls, k, walls_moved == nullptr ? nullptr : walls_moved->x[d].data(), 1);
      float lower = of_walls.lower, upper = of_walls.upper;
      std::int32_t* x = at.x[d].data();
      const std::int16_t* heading = headings.x[d].data();
#pragma omp simd reduction(min : lower) reduction(max : upper, from_middle)
      for (std::int32_t r = rows.begin[k]; r < rows.end[k]; ++r) {
        from_middle = std::max(from_middle, course.from_middle(r, d, x[r]));
        const float by = std::nearbyint(course.displacement(r, d, x[r]));
        const bool known = std::abs(by) < k_farthest;
        const auto quanta = static_cast<std::int32_t>(known ? by : 0.0F);
        x[r] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[r]) + static_cast<std::uint32_t>(quanta));
        const float beside = known ? by - static_cast<float>(heading[r]) * of_heading : k_none;
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
void DriftBound<T, D>::for_each_occupied(bool walls_move, MeasureCell&& measure_cell) {
  const auto count = static_cast<std::int64_t>(walls_move ? occupied_.size() : with_fluid_);
  share_out(count, k_portion, [&](std::int64_t first, std::int64_t last) {
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) measure_cell(occupied_[k]);
  });
  copy_to_images();
}

/// Images go as those do whose images they are.
template <class T, int D>
void DriftBound<T, D>::copy_to_images() {
  for (const auto& ghost : layout_->ghost_cells()) {
    const auto from = static_cast<std::size_t>(ghost.from_cell), to = static_cast<std::size_t>(ghost.to_cell);
    for (int d = 0; d < D; ++d) lower_[d][to] = lower_[d][from], upper_[d][to] = upper_[d][from];
    from_middle_[to] = from_middle_[from];
  }
}

/// Of a cell, from displacement(row, axis); of walls from an array an axis.
template <class T, int D>
template <class Number, class Displacement>
void DriftBound<T, D>::find_range(std::int32_t cell, const particles::CellRows& rows, const particles::CellRows& walls,
                                  const Array<Number>* walls_moved, float share, Displacement&& displacement) {
  const auto k = static_cast<std::size_t>(cell);
  for (int d = 0; d < D; ++d) {
    const Range of_walls = range_of_walls(walls, k, walls_moved == nullptr ? nullptr : walls_moved[d].data(), share);
    float lower = of_walls.lower, upper = of_walls.upper;
#pragma omp simd reduction(min : lower) reduction(max : upper)
    for (std::int32_t r = rows.begin[k]; r < rows.end[k]; ++r) {
      const float moved = displacement(r, d);
      lower = std::min(lower, moved), upper = std::max(upper, moved);
    }
    lower_[d][k] = lower, upper_[d][k] = upper;
  }
}

template <class T, int D>
Drift DriftBound<T, D>::largest() const {
  float approach2 = 0, moved2 = 0, closing = 0;
#pragma omp parallel for schedule(static, 2) reduction(max : approach2, moved2, closing)
  for (std::size_t r = 0; r < surrounded_.size(); ++r) {
    const auto& box = layout_->own_boxes()[surrounded_[r].box];
    for (std::int32_t cell = surrounded_[r].first; cell < surrounded_[r].last; ++cell) {
      const auto i = static_cast<std::size_t>(cell);
      // What stands on the two sides of this cell, along each axis.
      float from_below[D], from_above[D];
      std::fill_n(from_below, D, -k_none);
      std::fill_n(from_above, D, k_none);
      std::int32_t run_number = 0;
      box.for_each_run_around(cell, [&](std::int32_t run) {
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
          const auto j = static_cast<std::size_t>(run + 1 + dx);
          const std::int32_t side[3] = {dx, run_number % 3 - 1, run_number / 3 - 1};
          float apart2 = 0;
          for (int d = 0; d < D; ++d) {
            if (side[d] < 0) from_below[d] = std::max(from_below[d], upper_[d][j]);
            if (side[d] > 0) from_above[d] = std::min(from_above[d], lower_[d][j]);
            const float apart = std::max(upper_[d][i] - lower_[d][j], upper_[d][j] - lower_[d][i]);
            apart2 += apart * apart;
          }
          if (!is_empty(i) && !is_empty(j)) approach2 = std::max(approach2, apart2);
        }
        ++run_number;
      });
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

/// Calls visit(box, cell) for the own cells that matter, in parallel.
template <class T, int D>
template <class Visit>
void DriftBound<T, D>::for_each_surrounded(Visit&& visit) const {
  share_out(static_cast<std::int64_t>(surrounded_.size()), [&](std::int64_t r) {
    const CellRun& run = surrounded_[static_cast<std::size_t>(r)];
    for (std::int32_t cell = run.first; cell < run.last; ++cell) visit(layout_->own_boxes()[run.box], cell);
  });
}

template <class T, int D>
const Array<float>& DriftBound<T, D>::touching() {
  for_each_surrounded([&](const auto& box, std::int32_t cell) {
    const auto i = static_cast<std::size_t>(cell);
    if (is_empty(i)) return;
    float lowest[D], highest[D];
    std::fill_n(lowest, D, k_none);
    std::fill_n(highest, D, -k_none);
    box.for_each_run_around(cell, [&](std::int32_t run) {
      for (int d = 0; d < D; ++d) {
        const float *lower = lower_[d].data() + run, *upper = upper_[d].data() + run;
        lowest[d] = std::min(lowest[d], std::min(std::min(lower[0], lower[1]), lower[2]));
        highest[d] = std::max(highest[d], std::max(std::max(upper[0], upper[1]), upper[2]));
      }
    });
    float square = 0;
    for (int d = 0; d < D; ++d) {
      const float along = std::max(upper_[d][i] - lowest[d], highest[d] - lower_[d][i]);
      square += along * along;
    }
    apart_[i] = std::sqrt(square);
  });
  return apart_;
}

template <class T, int D>
const Array<float>& DriftBound<T, D>::beside_middle() {
  const float of_two = 2 * std::sqrt(static_cast<float>(D));  // along all axes
  for_each_surrounded([&](const auto& box, std::int32_t cell) {
    float highest = 0;
    box.for_each_run_around(cell, [&](std::int32_t run) {
      const float* values = from_middle_.data() + run;
      highest = std::max(highest, std::max(std::max(values[0], values[1]), values[2]));
    });
    beside_[static_cast<std::size_t>(cell)] = of_two * highest;
  });
  return beside_;
}

template <class T, int D>
std::size_t DriftBound<T, D>::bytes() const {
  std::size_t bytes = occupied_.bytes() + in_run_.bytes() + apart_.bytes() + from_middle_.bytes() + beside_.bytes();
  for (int d = 0; d < D; ++d) bytes += lower_[d].bytes() + upper_[d].bytes();
  return bytes;
}

template class DriftBound<float, 2>;
template class DriftBound<float, 3>;
template class DriftBound<double, 2>;
template class DriftBound<double, 3>;

}  // namespace eddyline::neighbors
