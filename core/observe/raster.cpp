#include "observe/raster.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "base/errors.hpp"
#include "observe/sampler.hpp"

namespace eddyline::observe {

namespace {

enum class Quantity { speed, velocity_x, velocity_y, velocity_z, pressure, density, vorticity };

Quantity parse(std::string_view name, int dimensions) {
  constexpr std::string_view k_names[] = {"speed",    "velocity_x", "velocity_y", "velocity_z",
                                          "pressure", "density",    "vorticity"};
  for (int k = 0; k < 7; ++k)
    if (name == k_names[k] && !(k == 3 && dimensions == 2) && !(k == 6 && dimensions == 3))
      return static_cast<Quantity>(k);
  throw UserError("quantity = \"" + std::string(name) +
                  "\"; must be speed, velocity_x, velocity_y, velocity_z (3D), pressure, density or vorticity (2D).");
}

}  // namespace

template <class T, int D>
void draw_raster(const integrate::Flow<T, D>& flow, std::string_view name, const Plane& plane,
                 std::span<float> pixels) {
  const Quantity quantity = parse(name, D);
  const Sampler<T, D> sampler(flow);
  const double width = (plane.upper.x - plane.lower.x) / plane.columns;
  const double height = (plane.upper.y - plane.lower.y) / plane.rows;

  const auto value = [&](Vec3 x) -> double {
    const Sample s = sampler.at(x);
    if (!(s.fraction >= 0.5)) return std::numeric_limits<double>::quiet_NaN();
    switch (quantity) {
      case Quantity::speed: return norm(s.velocity);
      case Quantity::velocity_x: return s.velocity.x;
      case Quantity::velocity_y: return s.velocity.y;
      case Quantity::velocity_z: return s.velocity.z;
      case Quantity::pressure: return s.pressure;
      case Quantity::density: return s.density;
      case Quantity::vorticity: return sampler.vorticity(x);
    }
    return 0;
  };

#pragma omp parallel for schedule(dynamic)
  for (std::int32_t row = 0; row < plane.rows; ++row)
    for (std::int32_t column = 0; column < plane.columns; ++column) {
      const Vec3 x{plane.lower.x + (column + 0.5) * width, plane.lower.y + (row + 0.5) * height, plane.lower.z};
      pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(plane.columns) +
             static_cast<std::size_t>(column)] = static_cast<float>(value(x));
    }
}

template void draw_raster(const integrate::Flow<float, 2>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<float, 3>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<double, 2>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<double, 3>&, std::string_view, const Plane&, std::span<float>);

}  // namespace eddyline::observe
