#include "observe/sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

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

/// sum += values, in units. A sum with 1.5 2^52 is rounded to the nearest whole number, which stands in its last bits:
/// that is fast, and right for all but huge values.
template <std::size_t N>
void add_in_units(const std::array<double, N>& values, std::int64_t* sum) {
  constexpr double k_shift = 0x1.8p52, k_small = 0x1p51 * k_unit;
  bool small = true;
  for (std::size_t k = 0; k < N; ++k) small &= std::abs(values[k]) < k_small;
  if (small)
    for (std::size_t k = 0; k < N; ++k)
      sum[k] += std::bit_cast<std::int64_t>(values[k] / k_unit + k_shift) - std::bit_cast<std::int64_t>(k_shift);
  else
    for (std::size_t k = 0; k < N; ++k) sum[k] += in_units(values[k]);
}

}  // namespace

template <class T, int D>
typename Sampler<T, D>::Carried Sampler<T, D>::carried(const T* row) const {
  if (flow_.fluid.classic) {  // x v m rho p c
    const double m = static_cast<double>(row[2 * D]), rho = static_cast<double>(row[2 * D + 1]);
    return {m / rho, static_cast<double>(row[2 * D + 2]), rho, row + D};
  }
  const double p = static_cast<double>(row[D]);  // x p V v
  return {static_cast<double>(row[D + 1]), p, 1 + physics::StateEquationLinear::density_excess(p), row + D + 2};
}

template <class T, int D>
template <class Visit>
void Sampler<T, D>::for_each_near(Vec3 x, Visit&& visit) const {
  const auto& c = flow_.constants();
  const auto& layout = flow_.layout();
  const auto& rows = flow_.fluid_rows;
  const Int3 cell = layout.grid().cell_of(x);
  std::int32_t x_fixed[3] = {0, 0, 0};
  for (int d = 0; d < D; ++d) x_fixed[d] = c.fixed.wrapped(x[d]);
  const double scale = c.fixed.quantum() / c.length.interaction_radius;
  // Particles may have moved on from the cell that they were sorted into, by less than its edge.
  const double moved = flow_.control.moved, R = c.length.interaction_radius;
  const std::int32_t reach = moved > c.length.skin ? 2 : 1, depth = D == 3 ? reach : 0;
  for (std::int32_t dz = -depth; dz <= depth; ++dz)
    for (std::int32_t dy = -reach; dy <= reach; ++dy)
      for (std::int32_t dx = -reach; dx <= reach; ++dx) {
        Int3 shift{0, 0, 0};
        const Int3 other{cell[0] + dx, cell[1] + dy, cell[2] + dz};
        if (layout.grid().distance(x, other) > R + moved) continue;
        const std::int32_t source = layout.owned_cell(other, shift);
        if (source < 0) continue;
        const auto first = static_cast<std::size_t>(source);
        for (std::int32_t j = rows.begin[first]; j < rows.begin[first + 1]; ++j) {
          const T* row = flow_.pressed.row(j);
          double r[D], r2 = 0;
          for (int d = 0; d < D; ++d) {
            const auto x_j = static_cast<std::uint32_t>(flow_.pressed.get_fixed(row + d)) +
                             static_cast<std::uint32_t>(shift[static_cast<std::size_t>(d)]);
            r[d] = scale * static_cast<std::int32_t>(static_cast<std::uint32_t>(x_fixed[d]) - x_j);
            r2 += r[d] * r[d];
          }
          if (r2 < 1) visit(row, r, r2);
        }
      }
}

template <class T, int D>
template <std::size_t N, class Contribution>
std::vector<std::array<double, N>> Sampler<T, D>::sums_at(std::span<const Vec3> points,
                                                          Contribution&& contribution) const {
  std::vector<std::int64_t> whole(points.size() * N, 0);
  const auto n = static_cast<std::int64_t>(points.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t* sum = whole.data() + static_cast<std::size_t>(i) * N;
    for_each_near(points[static_cast<std::size_t>(i)],
                  [&](const T* row, const double* r, double r2) { add_in_units<N>(contribution(row, r, r2), sum); });
  }
  comm::sum(flow_.communicator(), whole, "observers");
  std::vector<std::array<double, N>> sums(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < N; ++k) sums[i][k] = k_unit * static_cast<double>(whole[i * N + k]);
  return sums;
}

template <class T, int D>
std::vector<Sample> Sampler<T, D>::at(std::span<const Vec3> points) const {
  return flow_.fluid.confined ? fits_at(points) : means_at(points);
}

/// Where most of the fluid is missing, the mean instead of the fit.
template <class T, int D>
std::vector<Sample> Sampler<T, D>::fits_at(std::span<const Vec3> points) const {
  using S = Pack<double, 1>;
  using Sums = physics::LinearFitSums<S, D>;
  const auto& c = flow_.constants();
  const auto sums = sums_at<Sums::k_values>(points, [&](const T* row, const double* r, double r2) {
    const Carried j = carried(row);
    Sums own{};
    physics::CarriedFluid<S, D> f{};
    physics::Pair<S, D> pair{};
    f.p = j.pressure;
    f.V = j.volume;
    pair.q = std::sqrt(r2);
    pair.rest = S(1) - pair.q;
    pair.F = physics::WendlandC2::gradient(pair.rest);
    for (int d = 0; d < D; ++d) {
      f.v[d] = static_cast<double>(j.velocity[d]);
      pair.r[d] = r[d];
    }
    physics::add_to_fit(own, f, pair);
    std::array<double, Sums::k_values> values;
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = own.value[k].v;
    return values;
  });
  std::vector<Sample> samples(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
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
std::vector<Sample> Sampler<T, D>::means_at(std::span<const Vec3> points) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  const auto sums = sums_at<D + 3>(points, [&](const T* row, const double*, double r2) {
    const Carried j = carried(row);
    const double q = std::sqrt(r2);
    const double VW = kernel * j.volume * (classic ? physics::CubicSpline::value(q) : physics::WendlandC2::value(q));
    std::array<double, D + 3> values{VW, VW * j.pressure, VW * j.density};
    for (std::size_t d = 0; d < D; ++d) values[3 + d] = VW * static_cast<double>(j.velocity[d]);
    return values;
  });
  std::vector<Sample> samples(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
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
std::vector<Vorticity> Sampler<T, D>::vorticity(std::span<const Vec3> points) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  const auto sums = sums_at<13>(points, [&](const T* row, const double* r, double r2) {
    const double q = std::sqrt(r2), rest = 1 - q, w = static_cast<double>(row[D + 1]) * rest * rest * rest;
    const auto [volume, pressure, density, velocity] = carried(row);
    const double W = classic ? physics::CubicSpline::value(q) : physics::WendlandC2::value(q);
    const double dx = -r[0], dy = -r[1], u = static_cast<double>(velocity[0]), v = static_cast<double>(velocity[1]);
    return std::array{w,           w * dx,     w * dy,     w * u,      w * v,      w * dx * dx,        w * dx * dy,
                      w * dy * dy, w * dx * u, w * dy * u, w * dx * v, w * dy * v, kernel * volume * W};
  });
  std::vector<Vorticity> vorticity(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
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
