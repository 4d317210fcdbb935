#include "solvers/sph/observe/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"
#include "physics/sph/free_surface.hpp"
#include "solvers/sph/observe/fluid_lattice.hpp"

namespace eddyline::sph {

namespace {

/// Quantities of pictures in D dimensions, in the order of describe().
template <int D>
constexpr std::array<Quantity, 7> k_quantities{
    Quantity::speed,    Quantity::velocity_x, Quantity::velocity_y, D == 3 ? Quantity::velocity_z : Quantity::vorticity,
    Quantity::pressure, Quantity::density,    Quantity::cover};

}  // namespace

template <class T, int D>
std::vector<solver::Raster> Sampler<T, D>::rasters(std::span<const std::int32_t> quantities,
                                                   const solver::Plane& plane) {
  std::vector<Quantity> wanted;
  for (const std::int32_t number : quantities) wanted.push_back(k_quantities<D>.at(static_cast<std::size_t>(number)));
  return draw_rasters(of_pictures_, std::span<const Quantity>(wanted), plane);
}

template <class T, int D>
std::span<const solver::Column> Sampler<T, D>::lattice_quantities() const {
  static const std::array<solver::Column, 1> columns{{{"fluid", "1"}}};
  return std::span(columns).first(D == 3 ? 1 : 0);
}

template <class T, int D>
std::vector<float> Sampler<T, D>::lattice(std::int32_t, const solver::Lattice& lattice, solver::Layers layers) {
  if constexpr (D == 3)
    return fluid_lattice(of_pictures_.flow(), state_.time, lattice, layers);
  else
    return solver::Sampler::lattice(0, lattice, layers);
}

template <class T, int D>
std::vector<double> Sampler<T, D>::at(std::span<const Vec3> points) {
  std::vector<double> values;
  values.reserve(points.size() * (D + 2));
  for (const Sample& sample : of_points_.at(points)) {
    values.push_back(sample.pressure);
    for (int d = 0; d < D; ++d) values.push_back(sample.velocity[d]);
    values.push_back(sample.fraction);
  }
  return values;
}

template <class T, int D>
double Sampler<T, D>::front(int axis) {
  const double* x = state_.fluid.x[axis];
  const std::int64_t n = state_.fluid.size();
  double foremost = -INFINITY;
#pragma omp parallel for reduction(max : foremost)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (state_.fluid.surface[k] != physics::k_isolated && state_.fluid.buffer[k] == 0)
      foremost = std::max(foremost, x[k]);
  }
  comm::maximum(domain_.communicator(), {&foremost, 1}, "observers");
  const auto& world = state_.world;
  const double position = foremost + 0.5 * world.spacing, end = world.origin[axis] + world.size[axis];
  // A particle at a wall under pressure is nearer to it than half a spacing.
  const bool ends_at_wall = world.sides[static_cast<std::size_t>(2 * axis + 1)].kind == world::SideKind::wall;
  return ends_at_wall ? std::min(position, end) : position;
}

template class Sampler<float, 2>;
template class Sampler<float, 3>;
template class Sampler<double, 2>;
template class Sampler<double, 3>;

}  // namespace eddyline::sph
