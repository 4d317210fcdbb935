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

std::int64_t in_units(double value) {
  constexpr double k_most = 0x1p60;  // what is not a number counts as 0; the doctor knows of it
  const double whole = std::nearbyint(value / k_unit);
  return whole > k_most    ? static_cast<std::int64_t>(k_most)
         : whole < -k_most ? -static_cast<std::int64_t>(k_most)
         : whole == whole  ? static_cast<std::int64_t>(whole)
                           : 0;
}

constexpr double k_small = 0x1p51 * k_unit;

/// The same of values below k_small: a sum with 1.5 2^52 is rounded to the nearest whole number, which stands in its
/// last bits.
EDDYLINE_INLINE Pack4d::Bits small_in_units(Pack4d value) {
  constexpr double k_shift = 0x1.8p52;
  return (value * Pack4d(1 / k_unit) + Pack4d(k_shift)).bits() - std::bit_cast<std::int64_t>(k_shift);
}

Pack4d::Bits in_units(Pack4d value) {
  return Pack4d::Bits{in_units(value.v[0]), in_units(value.v[1]), in_units(value.v[2]), in_units(value.v[3])};
}

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

  /// Adds what a particle contributes. x, y, z: from it to columns, rows and plane, over R; as many as there may be.
  template <class Contribution>
  void add(const double* x, const double* y, double z, bool is_small, const Contribution& contribution) {
    for (std::int32_t p = 0; p < k_packs; ++p) {
      const double* lanes = x + p * Pack4d::width;
      const Pack4d r_x = Pack4d::Lanes{lanes[0], lanes[1], lanes[2], lanes[3]};
      const double nearest = std::min({std::abs(lanes[0]), std::abs(lanes[1]), std::abs(lanes[2]), std::abs(lanes[3])});
      for (std::int32_t row = 0; row < rows_; ++row) {
        if (nearest * nearest + y[row] * y[row] + z * z >= 1) continue;
        const Pack4d r[3] = {r_x, y[row], z};
        const Pack4d r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        const auto values = contribution(r, sqrt(min(r2, Pack4d(1))));
        if (is_small)
          [&]<std::size_t... Value>(std::index_sequence<Value...>) {
            ((sum_[row][Value][p] += small_in_units(values[Value])), ...);
          }(std::make_index_sequence<N>());
        else
          for (std::size_t n = 0; n < N; ++n) sum_[row][n][p] += in_units(values[n]);
      }
    }
  }
  std::int64_t sum(std::int32_t column, std::int32_t row, std::size_t value) const {
    return sum_[row][value][column / Pack4d::width][column % Pack4d::width];
  }

 private:
  static constexpr std::int32_t k_packs = k_most / Pack4d::width;

  std::int32_t columns_, rows_;
  Pack4d::Bits sum_[k_most][N][k_packs] = {};
};

}  // namespace

template <class T, int D>
typename Sampler<T, D>::Carried Sampler<T, D>::carried(const T* row) const {
  Carried j{};
  const T* velocity = row + D + 2;
  if (flow_.fluid.classic) {  // x v m rho p c
    j.density = static_cast<double>(row[2 * D + 1]);
    j.volume = static_cast<double>(row[2 * D]) / j.density;
    j.pressure = static_cast<double>(row[2 * D + 2]);
    velocity = row + D;
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
void Sampler<T, D>::for_each_near(Vec3 low, Vec3 high, Visit&& visit) const {
  const auto& c = flow_.constants();
  const auto& layout = flow_.layout();
  const auto& grid = layout.grid();
  const auto& rows = flow_.fluid_rows;
  // Particles may have moved on from the cell that they were sorted into, by less than its edge.
  const double moved = flow_.control.moved;
  const std::int32_t reach = moved > c.length.skin ? 2 : 1;
  const Vec3 centre = 0.5 * (low + high);
  const double radius = c.length.interaction_radius + moved + norm(high - centre);
  Int3 first = grid.cell_of(low), last = grid.cell_of(high), at;
  for (std::size_t d = 0; d < D; ++d) first[d] -= reach, last[d] += reach;
  for (at[2] = first[2]; at[2] <= last[2]; ++at[2])
    for (at[1] = first[1]; at[1] <= last[1]; ++at[1])
      for (at[0] = first[0]; at[0] <= last[0]; ++at[0]) {
        if (grid.distance(centre, at) > radius) continue;
        Int3 shift{0, 0, 0};
        const std::int32_t source = layout.owned_cell(at, shift);
        if (source < 0) continue;
        const auto cell = static_cast<std::size_t>(source);
        for (std::int32_t j = rows.begin[cell]; j < rows.begin[cell + 1]; ++j) {
          const T* row = flow_.pressed.row(j);
          Place fixed{};
          for (std::size_t d = 0; d < D; ++d)
            fixed[d] = static_cast<std::int32_t>(static_cast<std::uint32_t>(flow_.pressed.get_fixed(row + d)) +
                                                 static_cast<std::uint32_t>(shift[d]));
          visit(carried(row), fixed);
        }
      }
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
    for_each_near(x, x, [&](const Carried& j, const Place& x_j) {
      Pack<double, 1> r[D], r2;
      for (std::size_t d = 0; d < D; ++d) {
        r[d] = distance(fixed[d], x_j[d]);
        r2 = r2 + r[d] * r[d];
      }
      if (!(r2.v < 1)) return;
      const auto values = contribution(j, r, sqrt(r2));
      for (std::size_t k = 0; k < N; ++k) sum[k] += in_units(values[k].v);
    });
  }
  return sums;
}

/// Tile by tile. A tile is not wider than two interaction radii, as places know distances below sixteen.
template <class T, int D>
template <std::size_t N, class Contribution>
std::vector<std::int64_t> Sampler<T, D>::own_sums(const PixelRows& pixels, const Contribution& contribution) const {
  constexpr std::int32_t k_most = Tile<N>::k_most;
  const Plane& plane = pixels.plane;
  const double widest = 2 * flow_.constants().length.interaction_radius;
  const auto fitting = [&](double pixel) {
    return static_cast<std::int32_t>(std::clamp<double>(widest / pixel, 1, k_most));
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
    for_each_near(low, top, [&](const Carried& j, const Place& x_j) {
      double x[k_most], y[k_most];
      for (std::int32_t k = 0; k < k_most; ++k) {
        x[k] = distance(places[k][0], x_j[0]);
        y[k] = distance(places[k][1], x_j[1]);
      }
      const double z = D == 3 ? distance(places[0][2], x_j[2]) : 0;
      tile.add(x, y, z, j.is_small, [&]<class S>(const S* r, S q) { return contribution(j, r, q); });
    });
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
std::vector<std::array<double, N>> Sampler<T, D>::sums(const Where& where, const Contribution& contribution) const {
  std::vector<std::int64_t> whole = own_sums<N>(where, contribution);
  comm::sum(flow_.communicator(), whole, "observers");
  std::vector<std::array<double, N>> sums(where.size());
  for (std::size_t i = 0; i < where.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) sums[i][k] = k_unit * static_cast<double>(whole[i * N + k]);
  return sums;
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
  std::vector<Sample> samples(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    auto fit = physics::solve_fit<D>(sums[i]);
    Sample& sample = samples[i];
    sample.fraction = c.kernel / 20 * fit.weight;
    if (sample.fraction < k_least_fraction && fit.weight > 0) {
      const double* means = sums[i].data() + Sums::k_moments;
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
  std::vector<Sample> samples(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Sample& sample = samples[i];
    sample.fraction = sums[i][0];
    if (!(sample.fraction > 0)) continue;
    sample.pressure = sums[i][1] * c.rho0 * c.c0 * c.c0 / sample.fraction;
    sample.density = sums[i][2] * c.rho0 / sample.fraction;
    for (int d = 0; d < D; ++d) sample.velocity[d] = c.c0 * sums[i][3 + static_cast<std::size_t>(d)] / sample.fraction;
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
  std::vector<Vorticity> vorticity(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto& [weight, sx, sy, su, sv, sxx, sxy, syy, sxu, syu, sxv, syv, fraction] = sums[i];
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
double Sampler<T, D>::height(Vec3 x, int axis) const {
  const auto& world = flow_.world();
  const double base = x[axis], step = 0.5 * world.spacing;
  const double top = world.origin[axis] + world.size[axis];
  std::vector<Vec3> line;  // from the top down
  for (auto k = static_cast<std::int64_t>(std::ceil((top - base) / step)); k >= 0; --k) {
    line.push_back(x);
    line.back()[axis] = base + static_cast<double>(k) * step;
  }
  double above = 0;
  const std::vector<Sample> samples = at(line);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const double fraction = samples[i].fraction;
    if (fraction >= 0.5) {
      const double share = above < fraction ? (fraction - 0.5) / (fraction - above) : 0;
      return line[i][axis] - base + step * std::clamp(share, 0.0, 1.0);
    }
    above = fraction;
  }
  return 0;
}

template class Sampler<float, 2>;
template class Sampler<float, 3>;
template class Sampler<double, 2>;
template class Sampler<double, 3>;

}  // namespace eddyline::observe
