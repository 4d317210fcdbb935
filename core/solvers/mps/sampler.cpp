#include "solvers/mps/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collectives.hpp"
#include "observe/codes.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::mps {

namespace {

constexpr double k_unit = 0x1p-40;  // of sums
constexpr double k_least_cover = 0.5;

std::int64_t whole(double value) {
  constexpr double k_most = 0x1p60;
  const double units = std::clamp(std::nearbyint(value / k_unit), -k_most, k_most);
  return units == units ? static_cast<std::int64_t>(units) : 0;  // the doctor finds a value that is not a number
}

}  // namespace

template <int D>
Sampler<D>::Sampler(const Liquid<D>& liquid)
    : liquid_(liquid),
      factor_(physics::mps::factors(physics::mps::Weights::wendland, particles::lattice_spacing(liquid.world()), D,
                                    liquid.constants().R)
                  .N),
      described_(describe(liquid.world())) {}

/// r from the particle to the point over R, in the moments of the fit.
template <int D>
void Sampler<D>::add(const Vec3& r, std::size_t i, double q2, Sums& to) const {
  const auto& fluid = liquid_.fluid;
  const double weight = factor_ * physics::WendlandC2::value(std::sqrt(q2)) * static_cast<double>(fluid.volume_of(i));
  to[0] += whole(weight);
  const double p = fluid.p[i] + liquid_.constants().R * dot(liquid_.world().gravity, r);
  to[1 + D] += whole(weight * p);
  for (int d = 0; d < D; ++d) to[static_cast<std::size_t>(1 + d)] += whole(weight * fluid.v[d][i]);
  if constexpr (D == 2) {
    std::int64_t* moment = to.data() + k_means;
    moment[0] += whole(weight * r.x), moment[1] += whole(weight * r.y);
    moment[2] += whole(weight * r.x * r.x), moment[3] += whole(weight * r.x * r.y);
    moment[4] += whole(weight * r.y * r.y);
    for (int d = 0; d < D; ++d) {
      moment[5 + 2 * d] += whole(weight * fluid.v[d][i] * r.x);
      moment[6 + 2 * d] += whole(weight * fluid.v[d][i] * r.y);
    }
    moment[9] += whole(weight * p * r.x), moment[10] += whole(weight * p * r.y);
  }
}

template <int D>
typename Sampler<D>::Sample Sampler<D>::sample_of(const Sums& sums) const {
  const auto value = [&](std::size_t k) { return k_unit * static_cast<double>(sums[k]); };
  Sample sample;
  sample.fraction = value(0);
  if (!(sample.fraction > 0)) return sample;
  const double per = 1 / sample.fraction;
  for (int d = 0; d < D; ++d) sample.velocity[d] = per * value(static_cast<std::size_t>(1 + d));
  sample.pressure = liquid_.constants().rho * per * value(1 + D);
  if constexpr (D == 2) {  // the linear function that fits the velocities best; r points against x
    const auto moment = [&](std::size_t k) { return per * value(k_means + k); };
    const double x = moment(0), y = moment(1);
    const double xx = moment(2) - x * x, xy = moment(3) - x * y, yy = moment(4) - y * y;
    const double determinant = xx * yy - xy * xy;
    if (determinant > 1e-9) {
      const double ux = moment(5) - sample.velocity.x * x, uy = moment(6) - sample.velocity.x * y;
      const double vx = moment(7) - sample.velocity.y * x, vy = moment(8) - sample.velocity.y * y;
      const double dv_dx = (yy * vx - xy * vy) / determinant, du_dy = (xx * uy - xy * ux) / determinant;
      sample.vorticity = -(dv_dx - du_dy) / liquid_.constants().R;
      if (!liquid_.constants().free_surface) {
        const double rho = liquid_.constants().rho, mean = sample.pressure / rho;
        const double px = moment(9) - mean * x, py = moment(10) - mean * y;
        const auto offset = [&](double a, double b) {  // of the linear function at the point from the mean
          return -((yy * a - xy * b) * x + (xx * b - xy * a) * y) / determinant;
        };
        sample.pressure += rho * offset(px, py);
        sample.velocity.x += offset(ux, uy), sample.velocity.y += offset(vx, vy);
      }
    }
  }
  return sample;
}

template <int D>
template <class Visit>
void Sampler<D>::for_each_near(const Vec3& low, const Vec3& high, Visit&& visit) const {
  const auto& grid = liquid_.layout().grid();
  const double R = liquid_.constants().R;
  Int3 last{0, 0, 0};
  for (std::size_t d = 0; d < D; ++d) last[d] = grid.periodic[d] ? 1 : 0;
  for (std::size_t i = 0; i < liquid_.fluid.id.size(); ++i) {
    const Vec3 x = vector_of(liquid_.fluid.x, i);
    for (int kz = -last[2]; kz <= last[2]; ++kz)
      for (int ky = -last[1]; ky <= last[1]; ++ky)
        for (int kx = -last[0]; kx <= last[0]; ++kx) {
          const Vec3 image = x + Vec3{kx * grid.period.x, ky * grid.period.y, kz * grid.period.z};
          bool near = true;
          for (int d = 0; d < D; ++d) near = near && image[d] > low[d] - R && image[d] < high[d] + R;
          if (near) visit(i, image);
        }
  }
}

template <int D>
std::vector<typename Sampler<D>::Sums> Sampler<D>::sums_at(std::span<const Vec3> points) const {
  std::vector<Sums> sums(points.size(), Sums{});
  if (points.empty()) return sums;
  Vec3 low = points[0], high = points[0];
  for (const Vec3& x : points)
    for (int d = 0; d < D; ++d) low[d] = std::min(low[d], x[d]), high[d] = std::max(high[d], x[d]);
  const double inverse_radius = 1 / liquid_.constants().R;
  for_each_near(low, high, [&](std::size_t i, const Vec3& x) {
    for (std::size_t k = 0; k < points.size(); ++k) {
      Vec3 r = inverse_radius * (points[k] - x);
      if (D == 2) r.z = 0;
      const double q2 = dot(r, r);
      if (q2 < 1) add(r, i, q2, sums[k]);
    }
  });
  comm::sum(liquid_.communicator(), {sums.data()->data(), sums.size() * k_sums}, "observers");
  return sums;
}

template <int D>
std::vector<double> Sampler<D>::at(std::span<const Vec3> points) {
  std::vector<double> values;
  for (const Sums& sums : sums_at(points)) {
    const Sample sample = sample_of(sums);
    values.push_back(sample.pressure);
    for (int d = 0; d < D; ++d) values.push_back(sample.velocity[d]);
    values.push_back(sample.fraction);
  }
  return values;
}

/// Approximate share of a neighbourhood along an axis that lies inside the domain's walls.
template <int D>
double Sampler<D>::share_inside(int axis, double x) const {
  const auto& world = liquid_.world();
  const auto side = world.sides.begin() + 2 * axis;
  const double beyond[] = {x - world.origin[axis], world.origin[axis] + world.size[axis] - x};
  double share = 1;
  for (std::size_t k = 0; k < 2; ++k)
    if (side[k].kind == world::SideKind::wall)
      share *= std::clamp(0.5 + 1.2 * beyond[k] / liquid_.constants().R, 0.5, 1.0);
  return share;
}

/// Pixels with a particle count as covered, so that drops are seen.
template <int D>
std::vector<solver::Raster> Sampler<D>::rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) {
  const auto columns = static_cast<std::size_t>(plane.columns);
  const int across = plane.axes[0], up = plane.axes[1], normal = plane.axes[2];
  const double R = liquid_.constants().R;
  std::vector<Sums> sums(plane.pixels(), Sums{});
  std::vector<std::int64_t> particles(plane.pixels(), 0);
  const auto range = [&](double middle, double low, double pixel, std::int32_t count) {
    const double at = (middle - low) / pixel - 0.5, reach = R / pixel;
    const double first = std::clamp(std::ceil(at - reach), 0.0, static_cast<double>(count));
    const double end = std::clamp(std::floor(at + reach) + 1, first, static_cast<double>(count));
    return std::pair{static_cast<std::int32_t>(first), static_cast<std::int32_t>(end)};
  };
  constexpr std::int32_t k_band = 16;  // rows of pixels of one thread at a time
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int32_t band = 0; band < plane.rows; band += k_band) {
    const std::int32_t end_of_band = std::min(band + k_band, plane.rows);
    const Vec3 low = plane.centre(0, band), high = plane.centre(plane.columns - 1, end_of_band - 1);
    for_each_near(low, high, [&](std::size_t i, const Vec3& x) {
      const auto columns_near = range(x[across], plane.lower[across], plane.width(), plane.columns);
      const auto rows_near = range(x[up], plane.lower[up], plane.height(), plane.rows);
      for (std::int32_t row = std::max(rows_near.first, band); row < std::min(rows_near.second, end_of_band); ++row)
        for (std::int32_t column = columns_near.first; column < columns_near.second; ++column) {
          Vec3 r = plane.centre(column, row) - x;
          if (D == 2) r.z = 0;
          const auto pixel = static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column);
          if (std::abs(r[across]) <= 0.5 * plane.width() && std::abs(r[up]) <= 0.5 * plane.height() &&
              (D == 2 || std::abs(r[normal]) <= 0.5 * liquid_.world().spacing))
            ++particles[pixel];
          r = (1 / R) * r;
          const double q2 = dot(r, r);
          if (q2 < 1) add(r, i, q2, sums[pixel]);
        }
    });
  }
  comm::sum(liquid_.communicator(), {sums.data()->data(), sums.size() * k_sums}, "observers");
  comm::sum(liquid_.communicator(), particles, "observers");

  constexpr float k_none = std::numeric_limits<float>::quiet_NaN();
  std::vector<solver::Raster> drawn;
  std::vector<float> pixels(plane.pixels());
  for (const std::int32_t quantity : quantities) {
    const auto name = this->quantities()[static_cast<std::size_t>(quantity)].name;
    for (std::size_t pixel = 0; pixel < pixels.size(); ++pixel) {
      const auto column = static_cast<std::int32_t>(pixel % columns), row = static_cast<std::int32_t>(pixel / columns);
      const Sample sample = sample_of(sums[pixel]);
      const Vec3 x = plane.centre(column, row);
      double inside = share_inside(across, x[across]) * share_inside(up, x[up]);
      if (D == 3) inside *= share_inside(normal, x[normal]);
      const double cover = std::max(std::min(1.0, sample.fraction / inside), particles[pixel] > 0 ? 0.85 : 0.0);
      float& value = pixels[pixel] = k_none;
      if (name == "cover") {
        if (sample.fraction > 0) value = static_cast<float>(cover);
        continue;
      }
      if (cover < k_least_cover || !(sample.fraction > 0)) continue;
      value = static_cast<float>(name == "speed"        ? norm(sample.velocity)
                                 : name == "velocity_x" ? sample.velocity.x
                                 : name == "velocity_y" ? sample.velocity.y
                                 : name == "velocity_z" ? sample.velocity.z
                                 : name == "vorticity"  ? sample.vorticity
                                 : name == "pressure"   ? sample.pressure
                                                        : liquid_.constants().rho);
    }
    solver::Raster& raster = drawn.emplace_back();
    raster.known.assign((pixels.size() + 7) / 8, 0);
    observe::keep_known(pixels, nullptr, raster.known.data(), raster.values);
  }
  return drawn;
}

/// Searches for where, seen from the top, the fluid's fraction rises through one half of what walls leave.
template <int D>
double Sampler<D>::height(Vec3 x, int axis) {
  const auto& world = liquid_.world();
  const double base = x[axis], step = 0.5 * world.spacing, top = world.origin[axis] + world.size[axis];
  const auto levels = static_cast<std::size_t>(std::max(0.0, std::ceil((top - base) / step))) + 1;
  std::vector<Vec3> line(levels, x);
  for (std::size_t k = 0; k < levels; ++k) line[k][axis] = base + static_cast<double>(k) * step;
  const auto sums = sums_at(line);
  double beside = 1, above = 0;
  for (int d = 0; d < D; ++d)
    if (d != axis) beside *= share_inside(d, x[d]);
  for (std::size_t k = levels; k-- > 0;) {
    const double cover = sample_of(sums[k]).fraction / (beside * share_inside(axis, line[k][axis]));
    if (cover >= k_least_cover) {
      const double share = above < cover ? (cover - k_least_cover) / (cover - above) : 0;
      return line[k][axis] - base + step * std::clamp(share, 0.0, 1.0);
    }
    above = cover;
  }
  return 0;
}

template <int D>
double Sampler<D>::front(int axis) {
  double foremost = -INFINITY;
  for (std::size_t i = 0; i < liquid_.fluid.id.size(); ++i)
    if (liquid_.fluid.surface[i] != k_isolated && liquid_.fluid.buffer[i] == 0)
      foremost = std::max(foremost, liquid_.fluid.x[axis][i]);
  comm::maximum(liquid_.communicator(), {&foremost, 1}, "observers");
  const auto& world = liquid_.world();
  const double position = foremost + 0.5 * world.spacing, end = world.origin[axis] + world.size[axis];
  const bool ends_at_wall = world.sides[static_cast<std::size_t>(2 * axis + 1)].kind == world::SideKind::wall;
  return ends_at_wall ? std::min(position, end) : position;
}

template class Sampler<2>;
template class Sampler<3>;

}  // namespace eddyline::mps
