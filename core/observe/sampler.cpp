#include "observe/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "physics/inflow/moving_least_squares.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::observe {

namespace {

constexpr double k_least_fraction = 0.4;  // half of the fluid is missing at a wall, more of it in a corner

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
  const std::int32_t reach = flow_.control.moved > c.length.skin ? 2 : 1, depth = D == 3 ? reach : 0;
  for (std::int32_t dz = -depth; dz <= depth; ++dz)
    for (std::int32_t dy = -reach; dy <= reach; ++dy)
      for (std::int32_t dx = -reach; dx <= reach; ++dx) {
        Int3 shift{0, 0, 0};
        const std::int32_t source = layout.owned_cell({cell[0] + dx, cell[1] + dy, cell[2] + dz}, shift);
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
Sample Sampler<T, D>::at(Vec3 x) const {
  if (flow_.fluid.confined) {
    const Sample fitted = fit_at(x);
    if (fitted.fraction >= k_least_fraction) return fitted;
  }
  return mean_at(x);
}

template <class T, int D>
Sample Sampler<T, D>::fit_at(Vec3 x) const {
  using S = Pack<double, 1>;
  const auto& c = flow_.constants();
  physics::LinearFitSums<S, D> sums{};
  for_each_near(x, [&](const T* row, const double* r, double r2) {
    const Carried j = carried(row);
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
    physics::add_to_fit(sums, f, pair);
  });
  std::array<double, physics::LinearFitSums<double, D>::k_values> values;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = sums.value[k].v;
  const auto fit = physics::solve_fit<D>(values);
  Sample sample;
  sample.fraction = c.kernel / 20 * fit.weight;
  sample.pressure = c.rho0 * c.c0 * c.c0 * fit.p;
  sample.density = c.rho0 * (1 + physics::StateEquationLinear::density_excess(fit.p));
  for (int d = 0; d < D; ++d) sample.velocity[d] = c.c0 * fit.v[static_cast<std::size_t>(d)];
  return sample;
}

template <class T, int D>
Sample Sampler<T, D>::mean_at(Vec3 x) const {
  const auto& c = flow_.constants();
  const bool classic = flow_.fluid.classic;
  const double kernel = c.kernel / (classic ? 4 : 20);  // of W: see the kernels
  Sample sample;
  for_each_near(x, [&](const T* row, const double*, double r2) {
    const Carried j = carried(row);
    const double q = std::sqrt(r2);
    const double VW = kernel * j.volume * (classic ? physics::CubicSpline::value(q) : physics::WendlandC2::value(q));
    sample.fraction += VW;
    sample.pressure += VW * j.pressure;
    sample.density += VW * j.density;
    for (int d = 0; d < D; ++d) sample.velocity[d] += VW * static_cast<double>(j.velocity[d]);
  });
  if (sample.fraction > 0) {
    sample.pressure *= c.rho0 * c.c0 * c.c0 / sample.fraction;
    sample.density *= c.rho0 / sample.fraction;
    sample.velocity = (c.c0 / sample.fraction) * sample.velocity;
  }
  return sample;
}

template <class T, int D>
double Sampler<T, D>::vorticity(Vec3 x) const {
  double weight = 0, sx = 0, sy = 0, su = 0, sv = 0, sxx = 0, sxy = 0, syy = 0, sxu = 0, syu = 0, sxv = 0, syv = 0;
  for_each_near(x, [&](const T* row, const double* r, double r2) {
    const double rest = 1 - std::sqrt(r2), w = static_cast<double>(row[D + 1]) * rest * rest * rest;
    const T* velocity = carried(row).velocity;
    const double dx = -r[0], dy = -r[1], u = static_cast<double>(velocity[0]), v = static_cast<double>(velocity[1]);
    weight += w, sx += w * dx, sy += w * dy, su += w * u, sv += w * v;
    sxx += w * dx * dx, sxy += w * dx * dy, syy += w * dy * dy;
    sxu += w * dx * u, syu += w * dy * u, sxv += w * dx * v, syv += w * dy * v;
  });
  if (!(weight > 0)) return 0;
  const double xx = sxx - sx * sx / weight, xy = sxy - sx * sy / weight, yy = syy - sy * sy / weight;
  const double xv = sxv - sx * sv / weight, yv = syv - sy * sv / weight;
  const double xu = sxu - sx * su / weight, yu = syu - sy * su / weight;
  const double determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-9 * weight * weight)) return 0;  // too few neighbours, or all on a line
  const double dv_dx = (xv * yy - yv * xy) / determinant, du_dy = (yu * xx - xu * xy) / determinant;
  return (dv_dx - du_dy) * flow_.constants().rate;
}

template <class T, int D>
double Sampler<T, D>::height(Vec3 x, int axis) const {
  const auto& world = flow_.world();
  const double base = x[axis], step = 0.5 * world.spacing;
  const double top = world.origin[axis] + world.size[axis];
  double above = 0;
  for (auto k = static_cast<std::int64_t>(std::ceil((top - base) / step)); k >= 0; --k) {
    Vec3 point = x;
    point[axis] = base + static_cast<double>(k) * step;
    const double fraction = at(point).fraction;
    if (fraction >= 0.5) {
      const double share = above < fraction ? (fraction - 0.5) / (fraction - above) : 0;
      return point[axis] - base + step * std::clamp(share, 0.0, 1.0);
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
