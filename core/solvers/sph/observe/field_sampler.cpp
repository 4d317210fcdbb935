#include "solvers/sph/observe/field_sampler.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "solvers/sph/observe/fluid_sums_loops.hpp"

namespace eddyline::sph {

namespace {

constexpr double k_least_fraction = 0.4;  // half of the fluid is missing at a wall, more of it in a corner

}  // namespace

template <int D>
std::span<const Sample> FieldSampler<D>::at(std::span<const Vec3> points) {
  samples_.assign(points.size(), {});
  const auto keep = [this](std::size_t i, const Sample& sample) { samples_[i] = sample; };
  if (flow_.fluid.confined)
    find_fits(points, keep);
  else if (flow_.constants().free_surface)
    find_means<D + 3, true>(points, keep);
  else
    find_means(points, Fields::all, keep);
  return samples_;
}

template <int D>
void FieldSampler<D>::at(const PixelRows& pixels, Fields fields, const Show& show) {
  flow_.fluid.confined ? find_fits(pixels, show) : find_means(pixels, fields, show);
}

template <int D>
PixelRows FieldSampler<D>::near_fluid(const solver::Plane& plane) const {
  const auto& layout = flow_.layout();
  if (layout.grid().periodic[plane.axes[1]] || !(plane.height() > 0)) return {plane, 0, plane.rows};
  const double* height = flow_.fluid.x[plane.axes[1]];
  const std::int64_t owned = flow_.fluid_rows.owned();
  double down = -INFINITY, up = -INFINITY;
#pragma omp parallel for reduction(max : down, up)
  for (std::int64_t i = 0; i < owned; ++i) down = std::max(down, -height[i]), up = std::max(up, height[i]);
  double extent[] = {down, up};
  comm::maximum(flow_.communicator(), extent, "observers");
  // Counted in rows from the lowest, with one more on both sides, because places are rounded.
  const double R = flow_.constants().length.interaction_radius;
  const auto row_at = [&](double y) {
    return static_cast<std::int32_t>(
        std::clamp((y - plane.lower[plane.axes[1]]) / plane.height(), 0.0, 1.0 * plane.rows));
  };
  const std::int32_t first = std::max(0, row_at(-extent[0] - R) - 1);
  return {plane, first, std::max(first, std::min(plane.rows, row_at(extent[1] + R) + 2))};
}

template <int D>
void FieldSampler<D>::fitted(const PixelRows& pixels, const Show& show) {
  find_fits(pixels, show);
}

/// Uses the mean instead of the fit where most of the fluid is missing.
template <int D>
template <class Where, class Use>
void FieldSampler<D>::find_fits(const Where& where, Use&& use) {
  const auto& c = flow_.constants();
  using Sums = physics::LinearFitSums<double, D>;
  const auto contribution = [](const typename FluidSums<D>::Carried& j, const Pack4d* r, Pack4d W,
                               auto&& put) __attribute__((always_inline)) {
    physics::SampledFluid<Pack4d, D> f{};
    f.p = j.pressure;
    f.V = j.volume;
    for (int d = 0; d < D; ++d) f.v[d] = j.velocity[d];
    physics::for_each_fit_term<D>(
        f, r, W, [&](int k, const Pack4d& a, const Pack4d& b) __attribute__((always_inline)) { put(k, a, b); });
  };
  near_.template for_each_sums<Sums::k_values>(where, contribution, [&](auto point, const auto& sum) {
    auto fit = physics::fit_functions<D>(sum);
    Sample sample;
    sample.fraction = kernel() * fit.weight;
    sample.vorticity = (fit.of[2][1] - fit.of[1][2]) * c.rate;
    if (sample.fraction < k_least_fraction && fit.weight > 0) {
      const double* means = sum.data() + Sums::k_moments;
      for (std::size_t field = 0; field <= D; ++field) fit.of[field][0] = means[field * Sums::k_basis] / fit.weight;
    }
    const double p = fit.of[0][0];
    sample.pressure = c.rho0 * c.c0 * c.c0 * p;
    for (std::size_t d = 0; d < D; ++d) sample.velocity[static_cast<int>(d)] = c.c0 * fit.of[d + 1][0];
    use(point, sample);
  });
}

template <int D>
template <class Where, class Use>
void FieldSampler<D>::find_means(const Where& where, Fields fields, Use&& use) {
  if (fields == Fields::velocity) return find_means<D + 1>(where, use);
  flow_.constants().state.is_gas()
      ? find_means<D + 3>(where, use)
      : find_means<D + 2>(where, use);  // the density of a liquid follows from its pressure
}

template <int D>
template <std::size_t N, bool Hydrostatic, class Where, class Use>
void FieldSampler<D>::find_means(const Where& where, Use&& use) {
  const auto& c = flow_.constants();
  const double kernel = this->kernel();
  const Vec3 g = c.length.interaction_radius / (c.c0 * c.c0) * flow_.world().gravity;
  const auto contribution = [=](const typename FluidSums<D>::Carried& j, [[maybe_unused]] const Pack4d* r, Pack4d W,
                                auto&& put) __attribute__((always_inline)) {
    const Pack4d VW = Pack4d(kernel * j.volume) * W;
    put(0, VW, Pack4d(1));
    for (int d = 0; d < D; ++d) put(1 + d, VW, Pack4d(j.velocity[d]));
    if constexpr (N > D + 1) put(D + 1, VW, Pack4d(j.pressure));
    if constexpr (Hydrostatic) {
      Pack4d along = Pack4d(g.x) * r[0];
      for (int d = 1; d < D; ++d) along = along + Pack4d(g[d]) * r[d];
      put(D + 2, VW, Pack4d(j.density) * along);
    } else if constexpr (N > D + 2) {
      put(D + 2, VW, Pack4d(j.density));
    }
  };
  near_.template for_each_sums<N>(where, contribution, [&](auto point, const auto& sum) {
    Sample sample;
    sample.fraction = sum[0];
    if (!(sample.fraction > 0)) return use(point, sample);
    for (int d = 0; d < D; ++d) sample.velocity[d] = c.c0 * sum[1 + static_cast<std::size_t>(d)] / sample.fraction;
    if constexpr (N > D + 1) {
      const double p = (sum[D + 1] + (Hydrostatic ? sum[D + 2] : 0.0)) / sample.fraction;
      sample.pressure = p * c.rho0 * c.c0 * c.c0;
      if constexpr (N > D + 2 && !Hydrostatic) sample.gas_density = c.rho0 * sum[D + 2] / sample.fraction;
    }
    use(point, sample);
  });
}

template <int D>
double FieldSampler<D>::density(const Sample& sample) const {
  const auto& c = flow_.constants();
  return c.state.is_gas() ? sample.gas_density
                          : c.rho0 * (1 + c.state.density_excess(sample.pressure / (c.rho0 * c.c0 * c.c0)));
}

template <int D>
std::vector<double> FieldSampler<D>::fractions(std::span<const Vec3> points) {
  const bool confined = flow_.fluid.confined;
  const double kernel = this->kernel();
  // The factor comes first or last as in the sums of samples, so that the last bit is the same.
  const double first = confined ? 1 : kernel, last = confined ? kernel : 1;
  const auto contribution = [=](const typename FluidSums<D>::Carried& j, const Pack4d*, Pack4d W, auto&& put) {
    put(0, Pack4d(first * j.volume), W);
  };
  std::vector<double> fractions(points.size());
  near_.template for_each_sums<1>(points, contribution,
                                  [&](std::size_t i, const auto& sum) { fractions[i] = last * sum[0]; });
  return fractions;
}

template <int D>
double FieldSampler<D>::share_inside(int axis, double x) const {
  const auto& world = flow_.world();
  const double R = flow_.constants().length.interaction_radius;
  const auto side = world.sides.begin() + 2 * axis;
  const double beyond[] = {x - world.origin[axis], world.origin[axis] + world.size[axis] - x};
  double share = 1;
  for (std::size_t k = 0; k < 2; ++k)
    if (side[k].kind == world::SideKind::wall) share *= std::clamp(0.5 + 1.2 * beyond[k] / R, 0.5, 1.0);
  return share;
}

/// Searches from the top down, some points at a time, and no further than to the surface.
template <int D>
double FieldSampler<D>::height(Vec3 x, int axis) {
  constexpr std::int64_t k_at_once = 64;
  const auto& world = flow_.world();
  const double base = x[axis], step = 0.5 * world.spacing;
  const double top = world.origin[axis] + world.size[axis];
  const auto height_of = [&](std::int64_t k) { return base + static_cast<double>(k) * step; };
  double share_beside = 1;
  for (int d = 0; d < D; ++d)
    if (d != axis) share_beside *= share_inside(d, x[d]);
  double above = 0;
  for (auto k = static_cast<std::int64_t>(std::ceil((top - base) / step)); k >= 0;) {
    std::vector<Vec3> line(static_cast<std::size_t>(std::min(k_at_once, k + 1)), x);
    for (std::size_t i = 0; i < line.size(); ++i) line[i][axis] = height_of(k - static_cast<std::int64_t>(i));
    for (const double fraction : fractions(line)) {
      const double cover = fraction / (share_beside * share_inside(axis, height_of(k)));
      if (cover >= 0.5) {
        const double share = above < cover ? (cover - 0.5) / (cover - above) : 0;
        return height_of(k) - base + step * std::clamp(share, 0.0, 1.0);
      }
      above = cover;
      --k;
    }
  }
  return 0;
}

template class FieldSampler<2>;
template class FieldSampler<3>;

}  // namespace eddyline::sph
