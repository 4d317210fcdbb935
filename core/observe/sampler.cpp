#include "observe/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/lanes.hpp"
#include "comm/collectives.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::observe {

namespace {

constexpr double k_least_fraction = 0.4;  // half of the fluid is missing at a wall, more of it in a corner

/// Contributions are rounded to whole multiples of this, whose sums do not depend on their order; sums may reach two
/// million.
constexpr double k_unit = 0x1p-42;

/// Volumes that particles carry count in it, and so does all that they contribute.
std::int64_t whole_units(double value) {
  constexpr double k_most = 0x1p60;  // what is not a number counts as 0; the doctor knows of it
  const double whole = std::nearbyint(value);
  return whole > k_most    ? static_cast<std::int64_t>(k_most)
         : whole < -k_most ? -static_cast<std::int64_t>(k_most)
         : whole == whole  ? static_cast<std::int64_t>(whole)
                           : 0;
}

constexpr double k_small = 0x1p51;  // in units

/// A sum of a value below k_small with this is rounded to the nearest whole number, which stands in its last bits.
constexpr double k_shift = 0x1.8p52;

template <class S>
EDDYLINE_INLINE S wendland(S q) {
  const S rest = S(1) - q;
  return physics::WendlandC2::value(rest, physics::WendlandC2::gradient(rest), q);
}
template <class S>
EDDYLINE_INLINE S cubic_spline(S q) {
  return physics::CubicSpline::value(S(1) - q, q);
}

/// Pixels that are looked after together: what is near one of them is looked for once, and a particle adds to four
/// pixels of a row at a time, to those of them that are too far away nothing but zeros.
template <std::size_t N>
class Tile {
 public:
  static constexpr std::int32_t k_most = 8;  // pixels along a row, and rows

  Tile(std::int32_t columns, std::int32_t rows) : columns_(columns), rows_(rows) {}

  std::int32_t columns() const { return columns_; }
  std::int32_t rows() const { return rows_; }
  bool is_empty() const { return is_empty_; }

  /// Where a particle is. x, y, z: from it to columns, rows and plane, over R; as many as there may be. False if it is
  /// near no pixel.
  bool move_to(const double* x, const double* y, double z) {
    double x2[k_packs];
    for (std::int32_t p = 0; p < k_packs; ++p) {
      const double* lanes = x + p * Pack4d::width;
      x_[p] = Pack4d::Lanes{lanes[0], lanes[1], lanes[2], lanes[3]};
      const double nearest = std::min({std::abs(lanes[0]), std::abs(lanes[1]), std::abs(lanes[2]), std::abs(lanes[3])});
      x2[p] = nearest * nearest;
    }
    z_ = z;
    near_ = 0;
    for (std::int32_t row = 0; row < rows_; ++row) {
      y_[row] = y[row];
      const double square = y[row] * y[row] + z * z;
      for (std::int32_t p = 0; p < k_packs; ++p) {  // without jumps, which nothing could foresee
        packs_[near_] = row * k_packs + p;
        near_ += x2[p] + square < 1 ? 1 : 0;
      }
    }
    return near_ > 0;
  }

  /// Adds what the particle contributes.
  template <class Contribution>
  void add(bool is_small, const Contribution& contribution) {
    is_empty_ = false;
    is_small ? add_near<true>(contribution) : add_near<false>(contribution);
  }
  std::int64_t sum(std::int32_t column, std::int32_t row, std::size_t value) const {
    const auto pack = static_cast<std::size_t>(row * k_packs + column / Pack4d::width);
    return static_cast<std::int64_t>(sum_[pack][value][column % Pack4d::width] -
                                     shifts_[pack] * std::bit_cast<std::uint64_t>(k_shift));
  }

 private:
  static constexpr std::int32_t k_packs = k_most / Pack4d::width;
  using Whole = std::uint64_t __attribute__((vector_size(32)));  // modulo 2^64

  template <bool IsSmall, class Contribution>
  void add_near(const Contribution& contribution) {
    for (std::int32_t k = 0; k < near_; ++k) {
      const auto pack = static_cast<std::size_t>(packs_[k]);
      const Pack4d r[3] = {x_[pack % k_packs], y_[pack / k_packs], z_};
      const Pack4d r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
      const auto values = contribution(r, sqrt(min(r2, Pack4d(1))));
      Whole* sum = sum_[pack];
      if constexpr (IsSmall) {
        [&]<std::size_t... Value>(std::index_sequence<Value...>) {
          ((sum[Value] += std::bit_cast<Whole>(values[Value] + Pack4d(k_shift))), ...);
        }(std::make_index_sequence<N>());
        ++shifts_[pack];
      } else {
        for (std::size_t n = 0; n < N; ++n)
          for (int lane = 0; lane < Pack4d::width; ++lane)
            sum[n][lane] += static_cast<std::uint64_t>(whole_units(values[n].v[lane]));
      }
    }
  }

  std::int32_t columns_, rows_;
  bool is_empty_ = true;
  Pack4d x_[k_packs], z_;
  double y_[k_most];
  std::int32_t near_ = 0, packs_[k_most * k_packs + 1];  // packs of pixels near the particle
  Whole sum_[k_most * k_packs][N] = {};
  std::uint64_t shifts_[k_most * k_packs] = {};  // so many times a sum holds the bits of k_shift
};

}  // namespace

template <class T, int D>
typename Sampler<T, D>::Carried Sampler<T, D>::carried(const neighbors::RowParts<const T>& row) const {
  Carried j{};
  const T* velocity = row.first + D + 2;
  if (flow_.fluid.classic) {  // x v m rho p c
    j.density = static_cast<double>(row[2 * D + 1]);
    j.volume = static_cast<double>(row[2 * D]) / j.density;
    j.pressure = static_cast<double>(row[2 * D + 2]);
    velocity = row.first + D;
  } else {  // x p V v
    j.volume = static_cast<double>(row[D + 1]);
    j.pressure = static_cast<double>(row[D]);
    j.density = 1 + physics::StateEquationLinear::density_excess(j.pressure);
  }
  double largest = std::max({1.0, std::abs(j.pressure), j.density});
  for (int d = 0; d < D; ++d) {
    j.velocity[d] = static_cast<double>(velocity[d]);
    largest = std::max(largest, std::abs(j.velocity[d]));
  }
  j.volume *= 1 / k_unit;
  j.is_small = j.volume * largest * std::max(1.0, flow_.constants().kernel) < k_small;
  return j;
}

template <class T, int D>
typename Sampler<T, D>::Place Sampler<T, D>::place(Vec3 x) const {
  Place fixed{};
  for (int d = 0; d < D; ++d) fixed[static_cast<std::size_t>(d)] = flow_.constants().fixed.wrapped(x[d]);
  return fixed;
}

template <class T, int D>
EDDYLINE_INLINE double Sampler<T, D>::distance(std::int32_t a, std::int32_t b) const {
  const auto& c = flow_.constants();
  const double scale = c.fixed.quantum() / c.length.interaction_radius;
  return scale * static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

template <class T, int D>
template <class Visit>
void Sampler<T, D>::for_each_run(const particles::CellBox& cells, Visit&& visit) const {
  const auto& layout = flow_.layout();
  const auto& grid = layout.grid();
  Int3 images{0, 0, 0}, image;
  for (std::size_t d = 0; d < D; ++d) images[d] = grid.periodic[d] ? 1 : 0;
  for (image[2] = -images[2]; image[2] <= images[2]; ++image[2])
    for (image[1] = -images[1]; image[1] <= images[1]; ++image[1])
      for (image[0] = -images[0]; image[0] <= images[0]; ++image[0])
        for (const auto& box : layout.own_boxes()) {
          Int3 first{0, 0, 0}, end{1, 1, 1}, shift{0, 0, 0}, at;  // first, end, at: as if the grid went on
          Int3 corner{0, 0, 0};                                   // of the box with its border
          for (std::size_t d = 0; d < D; ++d) {
            const std::int32_t beyond = image[d] * grid.count[d];
            first[d] = std::max(cells.lower[d], box.cells.lower[d] + beyond);
            end[d] = std::min(cells.upper[d], box.cells.upper[d] + beyond);
            corner[d] = box.cells.lower[d] + beyond - 1;
            shift[d] = image[d] * grid.period_quanta[d];
          }
          if (first[0] >= end[0]) continue;
          at[0] = first[0];
          for (at[2] = first[2]; at[2] < end[2]; ++at[2])
            for (at[1] = first[1]; at[1] < end[1]; ++at[1]) {
              const std::int32_t row = (at[2] - corner[2]) * box.shape[1] + at[1] - corner[1];
              visit(at, end[0], box.first_cell + row * box.shape[0] + at[0] - corner[0], shift);
            }
        }
}

template <class T, int D>
template <class Visit>
void Sampler<T, D>::for_each_near(Vec3 low, Vec3 high, Visit&& visit) const {
  const auto& c = flow_.constants();
  const auto& grid = flow_.layout().grid();
  const auto& rows = flow_.fluid_rows;
  // Particles may have moved on from the cell that they were sorted into, by less than its edge.
  const double moved = flow_.control.moved, radius = (1 + 1e-9) * (c.length.interaction_radius + moved);
  const std::int32_t reach = moved > c.length.skin ? 2 : 1;
  particles::CellBox cells = grid.cells_between(low, high);
  for (std::size_t d = 0; d < D; ++d) cells.lower[d] -= reach, cells.upper[d] += reach;
  /// Square of the distance between the block and a cell, along an axis. Cells beside a side hold what is beyond it.
  const auto square_apart = [&](std::size_t d, std::int32_t at) {
    const auto axis = static_cast<int>(d);
    const double lower = grid.origin[axis] + at * grid.edge[axis], upper = lower + grid.edge[axis];
    const bool has_lower = grid.periodic[d] || at > 0, has_upper = grid.periodic[d] || at < grid.count[d] - 1;
    const double apart = has_lower && high[axis] < lower  ? lower - high[axis]
                         : has_upper && low[axis] > upper ? low[axis] - upper
                                                          : 0.0;
    return apart * apart;
  };
  for_each_run(cells, [&](Int3 at, std::int32_t end, std::int32_t cell, const Int3& shift) {
    const std::int32_t* begin = rows.begin.data() + cell;
    if (begin[0] == begin[end - at[0]]) return;
    double apart = 0;
    for (std::size_t d = 1; d < D; ++d) apart += square_apart(d, at[d]);
    for (; at[0] < end; ++at[0], ++begin) {
      if (begin[0] == begin[1] || apart + square_apart(0, at[0]) > radius * radius) continue;
      for (std::int32_t j = begin[0]; j < begin[1]; ++j) {
        const auto row = std::as_const(flow_.pressed).row(j);
        Place fixed{};
        for (std::size_t d = 0; d < D; ++d)
          fixed[d] = static_cast<std::int32_t>(static_cast<std::uint32_t>(flow_.pressed.get_fixed(row.first + d)) +
                                               static_cast<std::uint32_t>(shift[d]));
        visit(row, fixed);
      }
    }
  });
}

template <class T, int D>
template <std::size_t N, class Contribution>
std::vector<std::int64_t> Sampler<T, D>::own_sums(std::span<const Vec3> points,
                                                  const Contribution& contribution) const {
  std::vector<std::int64_t> sums(points.size() * N, 0);
  const auto n = static_cast<std::int64_t>(points.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t i = 0; i < n; ++i) {
    const Vec3 x = points[static_cast<std::size_t>(i)];
    const Place fixed = place(x);
    std::int64_t* sum = sums.data() + static_cast<std::size_t>(i) * N;
    for_each_near(x, x, [&](const auto& row, const Place& x_j) {
      Pack<double, 1> r[D], r2;
      for (std::size_t d = 0; d < D; ++d) {
        r[d] = distance(fixed[d], x_j[d]);
        r2 = r2 + r[d] * r[d];
      }
      if (!(r2.v < 1)) return;
      const auto values = contribution(carried(row), r, sqrt(r2));
      for (std::size_t k = 0; k < N; ++k) sum[k] += whole_units(values[k].v);
    });
  }
  return sums;
}

/// Tile by tile. A tile is not wider than four interaction radii, as places know distances below sixteen, and made of
/// whole packs.
template <class T, int D>
template <std::size_t N, class Contribution>
std::vector<std::int64_t> Sampler<T, D>::own_sums(const PixelRows& pixels, const Contribution& contribution) const {
  constexpr std::int32_t k_most = Tile<N>::k_most;
  const Plane& plane = pixels.plane;
  const double widest = 4 * flow_.constants().length.interaction_radius;
  const auto fitting = [&](double pixel) {
    const auto most = static_cast<std::int32_t>(std::clamp<double>(widest / pixel, 1, k_most));
    return most < Pack4d::width ? most : most / Pack4d::width * Pack4d::width;
  };
  const std::int32_t wide = fitting(plane.width()), high = fitting(plane.height());
  const std::int32_t tiles_x = (plane.columns + wide - 1) / wide;
  const std::int32_t tiles = tiles_x * ((pixels.last - pixels.first + high - 1) / high);
  std::vector<std::int64_t> sums(pixels.size() * N);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int32_t number = 0; number < tiles; ++number) {
    const std::int32_t column = number % tiles_x * wide, row = pixels.first + number / tiles_x * high;
    Tile<N> tile(std::min(wide, plane.columns - column), std::min(high, pixels.last - row));
    const std::int32_t last_column = column + tile.columns() - 1, last_row = row + tile.rows() - 1;
    const Vec3 low = plane.centre(column, row), top = plane.centre(last_column, last_row);
    Place places[k_most];  // of columns and rows, the last of them for those that are too many
    for (std::int32_t k = 0; k < k_most; ++k)
      places[k] = place(plane.centre(std::min(column + k, last_column), std::min(row + k, last_row)));
    for_each_near(low, top, [&](const auto& from, const Place& x_j) {
      double x[k_most], y[k_most];
      for (std::int32_t k = 0; k < k_most; ++k) {
        x[k] = distance(places[k][0], x_j[0]);
        y[k] = distance(places[k][1], x_j[1]);
      }
      const double z = D == 3 ? distance(places[0][2], x_j[2]) : 0;
      if (!tile.move_to(x, y, z)) return;
      const Carried j = carried(from);
      tile.add(j.is_small, [&]<class S>(const S* r, S q) { return contribution(j, r, q); });
    });
    if (tile.is_empty()) continue;
    for (std::int32_t y = 0; y < tile.rows(); ++y)
      for (std::int32_t x = 0; x < tile.columns(); ++x) {
        const auto pixel = static_cast<std::size_t>(row - pixels.first + y) * static_cast<std::size_t>(plane.columns) +
                           static_cast<std::size_t>(column + x);
        for (std::size_t n = 0; n < N; ++n) sums[pixel * N + n] = tile.sum(x, y, n);
      }
  }
  return sums;
}

template <class T, int D>
template <std::size_t N, class Where, class Contribution>
auto Sampler<T, D>::sums(const Where& where, const Contribution& contribution) const {
  std::vector<std::int64_t> whole = own_sums<N>(where, contribution);
  comm::sum(flow_.communicator(), whole, "observers");
  return [whole = std::move(whole)](std::size_t i) {
    std::array<double, N> sums;
    for (std::size_t k = 0; k < N; ++k) sums[k] = k_unit * static_cast<double>(whole[i * N + k]);
    return sums;
  };
}

template <class T, int D>
std::vector<Sample> Sampler<T, D>::at(std::span<const Vec3> points) const {
  return samples(points);
}

template <class T, int D>
std::vector<Sample> Sampler<T, D>::at(const PixelRows& pixels) const {
  return samples(pixels);
}

template <class T, int D>
template <class Where>
std::vector<Sample> Sampler<T, D>::samples(const Where& where) const {
  return flow_.fluid.confined ? fits(where) : means(where);
}

/// Where most of the fluid is missing, the mean instead of the fit.
template <class T, int D>
template <class Where>
std::vector<Sample> Sampler<T, D>::fits(const Where& where) const {
  const auto& c = flow_.constants();
  using Sums = physics::LinearFitSums<double, D>;
  const auto sums = this->sums<Sums::k_values>(where, []<class S>(const Carried& j, const S* r, S q) {
    physics::LinearFitSums<S, D> own{};
    physics::CarriedFluid<S, D> f{};
    physics::Pair<S, D> pair{};
    f.p = j.pressure;
    f.V = j.volume;
    pair.q = q;
    pair.rest = S(1) - q;
    pair.F = physics::WendlandC2::gradient(pair.rest);
    for (int d = 0; d < D; ++d) {
      f.v[d] = j.velocity[d];
      pair.r[d] = r[d];
    }
    physics::add_to_fit(own, f, pair);
    return std::to_array(own.value);
  });
  std::vector<Sample> samples(where.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sum = sums(i);
    auto fit = physics::solve_fit<D>(sum);
    Sample& sample = samples[i];
    sample.fraction = c.kernel / 20 * fit.weight;
    if (sample.fraction < k_least_fraction && fit.weight > 0) {
      const double* means = sum.data() + Sums::k_moments;
      fit.p = means[0] / fit.weight;
      for (std::size_t d = 0; d < D; ++d) fit.v[d] = means[(d + 1) * Sums::k_basis] / fit.weight;
    }
    sample.pressure = c.rho0 * c.c0 * c.c0 * fit.p;
    sample.density = c.rho0 * (1 + physics::StateEquationLinear::density_excess(fit.p));
    for (int d = 0; d < D; ++d) sample.velocity[d] = c.c0 * fit.v[static_cast<std::size_t>(d)];
  }
  return samples;
}

template <class T, int D>
template <class Where>
std::vector<Sample> Sampler<T, D>::means(const Where& where) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  const auto sums = this->sums<D + 3>(where, [=]<class S>(const Carried& j, const S*, S q) {
    const S VW = S(kernel * j.volume) * (classic ? cubic_spline(q) : wendland(q));
    std::array<S, D + 3> values{VW, VW * S(j.pressure), VW * S(j.density)};
    for (std::size_t d = 0; d < D; ++d) values[3 + d] = VW * S(j.velocity[d]);
    return values;
  });
  std::vector<Sample> samples(where.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sum = sums(i);
    Sample& sample = samples[i];
    sample.fraction = sum[0];
    if (!(sample.fraction > 0)) continue;
    sample.pressure = sum[1] * c.rho0 * c.c0 * c.c0 / sample.fraction;
    sample.density = sum[2] * c.rho0 / sample.fraction;
    for (int d = 0; d < D; ++d) sample.velocity[d] = c.c0 * sum[3 + static_cast<std::size_t>(d)] / sample.fraction;
  }
  return samples;
}

template <class T, int D>
std::vector<Vorticity> Sampler<T, D>::vorticity(const PixelRows& pixels) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  const auto sums = this->sums<13>(pixels, [=]<class S>(const Carried& j, const S* r, S q) {
    const S rest = S(1) - q, w = S(j.volume) * rest * rest * rest;
    const S W = classic ? cubic_spline(q) : wendland(q);
    const S dx = S(0) - r[0], dy = S(0) - r[1], u = j.velocity[0], v = j.velocity[1];
    return std::array{w,
                      w * dx,
                      w * dy,
                      w * u,
                      w * v,
                      w * dx * dx,
                      w * dx * dy,
                      w * dy * dy,
                      w * dx * u,
                      w * dy * u,
                      w * dx * v,
                      w * dy * v,
                      S(kernel * j.volume) * W};
  });
  std::vector<Vorticity> vorticity(pixels.size());
  for (std::size_t i = 0; i < vorticity.size(); ++i) {
    const auto& [weight, sx, sy, su, sv, sxx, sxy, syy, sxu, syu, sxv, syv, fraction] = sums(i);
    vorticity[i].fraction = fraction;
    if (!(weight > 0)) continue;
    const double xx = sxx - sx * sx / weight, xy = sxy - sx * sy / weight, yy = syy - sy * sy / weight;
    const double xv = sxv - sx * sv / weight, yv = syv - sy * sv / weight;
    const double xu = sxu - sx * su / weight, yu = syu - sy * su / weight;
    const double determinant = xx * yy - xy * xy;
    if (!(determinant > 1e-9 * weight * weight)) continue;  // too few neighbours, or all on a line
    const double dv_dx = (xv * yy - yv * xy) / determinant, du_dy = (yu * xx - xu * xy) / determinant;
    vorticity[i].value = (dv_dx - du_dy) * c.rate;
  }
  return vorticity;
}

template <class T, int D>
std::vector<double> Sampler<T, D>::fractions(std::span<const Vec3> points) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic, confined = flow_.fluid.confined;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  // The factor comes first or last as in the sums of samples, so that the last bit is theirs.
  const double first = confined ? 1 : kernel, last = confined ? kernel : 1;
  const auto sums = this->sums<1>(points, [=]<class S>(const Carried& j, const S*, S q) {
    return std::array{S(first * j.volume) * (classic ? cubic_spline(q) : wendland(q))};
  });
  std::vector<double> fractions(points.size());
  for (std::size_t i = 0; i < fractions.size(); ++i) fractions[i] = last * sums(i)[0];
  return fractions;
}

/// Looks from the top down, at some points at a time, and no further than to the surface.
template <class T, int D>
double Sampler<T, D>::height(Vec3 x, int axis) const {
  constexpr std::int64_t k_at_once = 64;
  const auto& world = flow_.world();
  const double base = x[axis], step = 0.5 * world.spacing;
  const double top = world.origin[axis] + world.size[axis];
  const auto height_of = [&](std::int64_t k) { return base + static_cast<double>(k) * step; };
  double above = 0;
  for (auto k = static_cast<std::int64_t>(std::ceil((top - base) / step)); k >= 0;) {
    std::vector<Vec3> line(static_cast<std::size_t>(std::min(k_at_once, k + 1)), x);
    for (std::size_t i = 0; i < line.size(); ++i) line[i][axis] = height_of(k - static_cast<std::int64_t>(i));
    for (const double fraction : fractions(line)) {
      if (fraction >= 0.5) {
        const double share = above < fraction ? (fraction - 0.5) / (fraction - above) : 0;
        return height_of(k) - base + step * std::clamp(share, 0.0, 1.0);
      }
      above = fraction;
      --k;
    }
  }
  return 0;
}

template class Sampler<float, 2>;
template class Sampler<float, 3>;
template class Sampler<double, 2>;
template class Sampler<double, 3>;

}  // namespace eddyline::observe
