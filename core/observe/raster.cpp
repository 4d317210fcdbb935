#include "observe/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "observe/sampler.hpp"

namespace eddyline::observe {

namespace {

constexpr std::size_t k_batch = 16384;  // pixels at a time, so that sums of many ranks need little room

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

  const auto value = [&](const Sample& s) -> double {
    switch (quantity) {
      case Quantity::speed: return norm(s.velocity);
      case Quantity::velocity_x: return s.velocity.x;
      case Quantity::velocity_y: return s.velocity.y;
      case Quantity::velocity_z: return s.velocity.z;
      case Quantity::pressure: return s.pressure;
      case Quantity::density: return s.density;
      case Quantity::vorticity: break;
    }
    return 0;
  };
  std::vector<Vec3> points;
  for (std::size_t first = 0; first < pixels.size(); first += points.size()) {
    points.clear();
    for (std::size_t p = first; p < std::min(first + k_batch, pixels.size()); ++p) {
      const auto columns = static_cast<std::size_t>(plane.columns);
      const std::size_t row = p / columns;
      points.push_back({plane.lower.x + (static_cast<double>(p % columns) + 0.5) * width,
                        plane.lower.y + (static_cast<double>(row) + 0.5) * height, plane.lower.z});
    }
    const auto paint = [&](std::size_t i, double fraction, double found) {
      pixels[first + i] = fraction >= 0.5 ? static_cast<float>(found) : std::numeric_limits<float>::quiet_NaN();
    };
    if (quantity == Quantity::vorticity) {
      const std::vector<Vorticity> found = sampler.vorticity(points);
      for (std::size_t i = 0; i < points.size(); ++i) paint(i, found[i].fraction, found[i].value);
    } else {
      const std::vector<Sample> found = sampler.at(points);
      for (std::size_t i = 0; i < points.size(); ++i) paint(i, found[i].fraction, value(found[i]));
    }
  }
}

template void draw_raster(const integrate::Flow<float, 2>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<float, 3>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<double, 2>&, std::string_view, const Plane&, std::span<float>);
template void draw_raster(const integrate::Flow<double, 3>&, std::string_view, const Plane&, std::span<float>);

}  // namespace eddyline::observe
