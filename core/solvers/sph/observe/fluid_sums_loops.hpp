#pragma once
// Definitions of FluidSums, for the file that says which sums there are.

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "solvers/sph/observe/fluid_sums.hpp"

namespace eddyline::sph {

template <class S>
EDDYLINE_INLINE S value_of_kernel(bool classic, S q) {
  const S rest = S(1) - q;
  return classic ? physics::CubicSpline::value(rest, q)
                 : physics::WendlandC2::value(rest, physics::WendlandC2::gradient(rest), q);
}

template <int D>
EDDYLINE_INLINE typename FluidSums<D>::Carried FluidSums<D>::carried(std::size_t i) const {
  const auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  Carried j{};
  j.density = 1 + fluid.s[i];
  j.volume = fluid.mass[i] * c.inverse_mass / j.density;
  j.pressure = c.state.pressure(fluid.s[i], c.state.is_gas() ? (*fluid.u)[i] * c.inverse_c0 * c.inverse_c0 : 0);
  double largest = std::max({1.0, std::abs(j.pressure), j.density});
  for (int d = 0; d < D; ++d) {
    j.velocity[d] = fluid.v[d][i] * c.inverse_c0;
    largest = std::max(largest, std::abs(j.velocity[d]));
  }
  j.volume *= 1 / k_unit;
  j.is_small = j.volume * largest * std::max(1.0, c.kernel) < k_small;
  return j;
}

template <int D>
Place FluidSums<D>::place(Vec3 x) const {
  Place fixed{};
  for (int d = 0; d < D; ++d) fixed[static_cast<std::size_t>(d)] = flow_.constants().fixed.wrapped(x[d]);
  return fixed;
}

template <int D>
template <class Visit>
void FluidSums<D>::for_each_run(const particles::CellBox& cells, Visit&& visit) const {
  const auto& layout = flow_.layout();
  const auto& grid = layout.grid();
  Int3 images{0, 0, 0}, image;
  for (std::size_t d = 0; d < D; ++d) images[d] = grid.periodic[d] ? 1 : 0;
  for (image[2] = -images[2]; image[2] <= images[2]; ++image[2])
    for (image[1] = -images[1]; image[1] <= images[1]; ++image[1])
      for (image[0] = -images[0]; image[0] <= images[0]; ++image[0])
        for (const auto& box : layout.own_boxes()) {
          Int3 first{0, 0, 0}, end{1, 1, 1}, at;  // as if the grid continued
          Int3 corner{0, 0, 0};                   // of the box with its border
          for (std::size_t d = 0; d < D; ++d) {
            const std::int32_t beyond = image[d] * grid.count[d];
            first[d] = std::max(cells.lower[d], box.cells.lower[d] + beyond);
            end[d] = std::min(cells.upper[d], box.cells.upper[d] + beyond);
            corner[d] = box.cells.lower[d] + beyond - 1;
          }
          if (first[0] >= end[0]) continue;
          at[0] = first[0];
          for (at[2] = first[2]; at[2] < end[2]; ++at[2])
            for (at[1] = first[1]; at[1] < end[1]; ++at[1]) {
              const std::int32_t row = (at[2] - corner[2]) * box.shape[1] + at[1] - corner[1];
              visit(at, end[0], box.first_cell + row * box.shape[0] + at[0] - corner[0], image);
            }
        }
}

template <int D>
template <class Visit>
void FluidSums<D>::for_each_near(Vec3 low, Vec3 high, Visit&& visit) const {
  const auto& c = flow_.constants();
  const auto& grid = flow_.layout().grid();
  const auto& rows = flow_.fluid_rows;
  // Particles may have moved from the cell that they were sorted into, by less than its edge.
  const double moved = flow_.control.max_displacement + flow_.control.latest.corrected,
               radius = (1 + 1e-9) * (c.length.interaction_radius + moved);
  const std::int32_t reach = moved > c.length.skin ? 2 : 1;
  particles::CellBox cells = grid.cells_between(low, high);
  for (std::size_t d = 0; d < D; ++d) cells.lower[d] -= reach, cells.upper[d] += reach;
  /// Returns the square of the distance between the block and a cell, along an axis. Cells at a side also hold
  /// particles beyond it.
  const auto square_apart = [&](std::size_t d, std::int32_t at) {
    const auto axis = static_cast<int>(d);
    const double lower = grid.origin[axis] + at * grid.edge[axis], upper = lower + grid.edge[axis];
    const bool has_lower = grid.periodic[d] || at > 0, has_upper = grid.periodic[d] || at < grid.count[d] - 1;
    const double apart = has_lower && high[axis] < lower  ? lower - high[axis]
                         : has_upper && low[axis] > upper ? low[axis] - upper
                                                          : 0.0;
    return apart * apart;
  };
  for_each_run(cells, [&](Int3 at, std::int32_t end, std::int32_t cell, const Int3& image) {
    auto number = static_cast<std::size_t>(rows.cells.before(cell));
    if (number == static_cast<std::size_t>(rows.cells.before(cell + end - at[0]))) return;
    double apart = 0;
    for (std::size_t d = 1; d < D; ++d) apart += square_apart(d, at[d]);
    for (; at[0] < end; ++at[0], ++cell) {
      if (rows.is_empty(cell)) continue;
      const particles::RowRange in_cell = rows.of_number(number++);
      if (apart + square_apart(0, at[0]) > radius * radius) continue;
      for (std::int32_t j = in_cell.begin; j < in_cell.end; ++j) {
        const std::size_t i = flow_.fluid_in(j);
        Place fixed{};
        Vec3 x;
        for (std::size_t d = 0; d < D; ++d) {
          const auto axis = static_cast<int>(d);
          const auto shift = static_cast<std::uint32_t>(image[d] * grid.period_quanta[d]);
          const double here = flow_.fluid.x[axis][i];
          fixed[d] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c.fixed.wrapped(here)) + shift);
          x[axis] = here + image[d] * grid.count[d] * grid.edge[axis];
        }
        visit(i, x, fixed);
      }
    }
  });
}

template <int D>
template <class Points, class Contribution>
void FluidSums<D>::add_near(Vec3 low, Vec3 high, Points& points, const Contribution& contribution) const {
  const bool classic = flow_.fluid.is_classic(), has_surface = flow_.constants().free_surface;
  const double half = 0.5 * flow_.world().spacing;
  for_each_near(low, high, [&](std::size_t i, const Vec3& x, const Place& particle) {
    if (!points.move_to(x, particle)) return;
    if constexpr (requires { points.mark(x, half); })
      if (has_surface) points.mark(x, half);
    const Carried j = carried(i);
    points.add(
        j.is_small, [classic](auto q) __attribute__((always_inline)) { return value_of_kernel(classic, q); },
        [j, contribution](const Pack4d* r, Pack4d W, auto&& put)
            __attribute__((always_inline)) { contribution(j, r, W, put); });
  });
}

/// Processes successive points that are near each other as bunches.
template <int D>
template <std::size_t N, class Contribution>
void FluidSums<D>::find_own_sums(std::span<const Vec3> points, const Contribution& contribution) {
  const double widest = 2 * flow_.constants().length.interaction_radius;
  struct Group {
    std::size_t first, last;
    Vec3 low, high;
  };
  std::vector<Group> groups;
  for (std::size_t k = 0; k < points.size(); ++k) {
    Group grown{groups.empty() ? 0 : groups.back().first, k + 1, points[k], points[k]};
    bool fits = !groups.empty() && grown.last - grown.first <= Bunch<N, D>::k_most;
    for (int d = 0; d < D && fits; ++d) {
      grown.low[d] = std::min(groups.back().low[d], points[k][d]);
      grown.high[d] = std::max(groups.back().high[d], points[k][d]);
      fits = grown.high[d] - grown.low[d] <= widest;
    }
    if (fits)
      groups.back() = grown;
    else
      groups.push_back({k, k + 1, points[k], points[k]});
  }
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t g = 0; g < static_cast<std::int64_t>(groups.size()); ++g) {
    const Group& group = groups[static_cast<std::size_t>(g)];
    std::array<Place, Bunch<N, D>::k_most> places;
    const std::size_t count = group.last - group.first;
    for (std::size_t k = 0; k < count; ++k) places[k] = place(points[group.first + k]);
    Bunch<N, D> bunch({places.data(), count}, quantum());
    add_near(group.low, group.high, bunch, contribution);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t n = 0; n < N; ++n) sums_[(group.first + k) * N + n] = bunch.sum(k, n);
  }
}

/// Processes strips, some for each thread.
template <int D>
template <std::size_t N, class Contribution>
void FluidSums<D>::find_own_sums(const PixelRows& pixels, const Contribution& contribution) {
  const solver::Plane& plane = pixels.plane;
  const std::int32_t all = pixels.last - pixels.first, threads = omp_get_max_threads();
  const std::int32_t high =
      std::max((all + threads - 1) / threads, strip_rows(plane, flow_.constants().length.interaction_radius));
  const PixelSums<N> layout(pixels);
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int32_t first = pixels.first; first < pixels.last; first += high) {
    const PixelRows rows{plane, first, std::min(first + high, pixels.last)};
    Strip<N, D> strip(
        rows, flow_.constants().length.interaction_radius, quantum(), [&](const Vec3& x) { return place(x); },
        sums_.data() + layout.index(0, first - pixels.first), sums_.data() + layout.mark(0, first - pixels.first),
        layout.rows);
    add_near(plane.centre(0, first), plane.centre(plane.columns - 1, rows.last - 1), strip, contribution);
  }
}

template <int D>
template <std::size_t N, class Contribution, class Use>
void FluidSums<D>::for_each_sums(std::span<const Vec3> points, const Contribution& contribution, Use&& use) {
  sums_.assign(points.size() * N, 0);
  find_own_sums<N>(points, contribution);
  comm::sum(flow_.communicator(), {sums_.data(), sums_.size()}, "observers");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (sums_[i * N] == 0) continue;
    std::array<double, N> sums;
    for (std::size_t n = 0; n < N; ++n) sums[n] = k_unit * static_cast<double>(sums_[i * N + n]);
    use(i, sums);
  }
}

template <int D>
template <std::size_t N, class Contribution, class Use>
void FluidSums<D>::for_each_sums(const PixelRows& pixels, const Contribution& contribution, Use&& use) {
  const PixelSums<N> layout(pixels);
  sums_.assign(layout.size(), 0);
  find_own_sums<N>(pixels, contribution);
  comm::sum(flow_.communicator(), {sums_.data(), sums_.size()}, "observers");
  constexpr std::int32_t k_columns = PixelSums<N>::k_columns;
  for (std::int32_t pack = 0; pack < layout.packs; ++pack) {
    const std::int32_t column = pack * k_columns, lanes = std::min(pixels.plane.columns - column, k_columns);
    for (std::int32_t row = 0; row < layout.rows; ++row) {
      const std::int64_t* whole = sums_.data() + layout.index(pack, row);
      if (std::all_of(whole, whole + k_columns, [](std::int64_t sum) { return sum == 0; })) continue;
      const std::int64_t marks = sums_[layout.mark(pack, row)];
      for (std::int32_t lane = 0; lane < lanes; ++lane) {
        if (whole[lane] == 0) continue;
        std::array<double, N> sums;
        for (std::size_t n = 0; n < N; ++n)
          sums[n] = k_unit * static_cast<double>(whole[n * k_columns + static_cast<std::size_t>(lane)]);
        use(Pixel{column + lane, row, marks != 0 && layout.is_marked(marks, lane)}, sums);
      }
    }
  }
}

}  // namespace eddyline::sph
