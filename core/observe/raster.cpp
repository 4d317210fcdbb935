#include "observe/raster.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "observe/sampler.hpp"

namespace eddyline::observe {

namespace {

/// Strips at a time: something for some threads, while sums stay in the caches and those of many ranks take little
/// room.
constexpr std::int32_t k_strips = 4;

constexpr double k_least_cover = 0.5;
/// That of a pixel in which a particle is, which may be a drop or in a thread. With R = 4 spacings what flies alone has
/// a cover of 0.14 where it is, in a thread 0.37, and at a surface more than one half, unless it is about to leave it.
/// A drop is seen with its size: one half lies between its pixel, of 5/4 spacing, and those around it where the
/// particle ends.
double cover_with_particle(double cover) {
  constexpr double k_of_surface = 0.45, k_of_spray = 0.3, k_seen = 0.85;
  const double share = std::clamp((k_of_surface - cover) / (k_of_surface - k_of_spray), 0.0, 1.0);
  return std::max(cover, k_of_surface + share * (k_seen - k_of_surface));
}

double value(Quantity quantity, const Sample& sample) {
  switch (quantity) {
    case Quantity::speed: return norm(sample.velocity);
    case Quantity::velocity_x: return sample.velocity.x;
    case Quantity::velocity_y: return sample.velocity.y;
    case Quantity::velocity_z: return sample.velocity.z;
    case Quantity::pressure: return sample.pressure;
    case Quantity::density: return sample.density;
    case Quantity::vorticity: return sample.vorticity;
    case Quantity::cover: break;  // not of a sample alone
  }
  return 0;
}

}  // namespace

Quantity quantity_of(std::string_view name, int dimensions) {
  constexpr std::string_view k_names[k_quantities] = {"speed",    "velocity_x", "velocity_y", "velocity_z",
                                                      "pressure", "density",    "vorticity",  "cover"};
  for (std::size_t k = 0; k < k_quantities; ++k) {
    const auto quantity = static_cast<Quantity>(k);
    const auto other = dimensions == 2 ? Quantity::velocity_z : Quantity::vorticity;
    if (name == k_names[k] && quantity != other) return quantity;
  }
  throw UserError(
      "quantity = \"" + std::string(name) +
      "\"; must be speed, velocity_x, velocity_y, velocity_z (3D), pressure, density, vorticity (2D) or cover.");
}

template <class T, int D>
void draw_rasters(Sampler<T, D>& sampler, std::span<const Quantity> quantities, const Plane& plane,
                  std::span<float> pixels) {
  const integrate::Flow<T, D>& flow = sampler.flow();
  const auto columns = static_cast<std::size_t>(plane.columns);
  // A free surface has fits for vorticity alone.
  const auto is_of_fits = [&](Quantity q) { return q == Quantity::vorticity && !flow.fluid.confined; };
  const bool more_than_velocity =
      std::ranges::any_of(quantities, [](Quantity q) { return q == Quantity::pressure || q == Quantity::density; });
  const Fields fields = more_than_velocity ? Fields::all : Fields::velocity;
  const double inside_plane = D == 3 ? sampler.share_inside(2, plane.lower.z) : 1.0;
  std::vector<double> inside_columns, inside_rows;
  for (std::int32_t k = 0; k < plane.columns; ++k)
    inside_columns.push_back(sampler.share_inside(0, plane.centre(k, 0).x));
  for (std::int32_t k = 0; k < plane.rows; ++k)
    inside_rows.push_back(inside_plane * sampler.share_inside(1, plane.centre(0, k).y));
  bool covers = false;
  for (std::size_t n = 0; n < quantities.size(); ++n) {
    const bool is_cover = quantities[n] == Quantity::cover;
    std::ranges::fill(pixels.subspan(n * plane.pixels(), plane.pixels()),
                      is_cover ? 0.0F : std::numeric_limits<float>::quiet_NaN());
    covers = covers || is_cover;
  }
  const std::int32_t batch = k_strips * strip_rows(plane, flow.constants().length.interaction_radius);
  const PixelRows all = sampler.near_fluid(plane);
  for (PixelRows some{plane, all.first, all.first}; some.last < all.last;) {
    some.first = some.last, some.last = std::min(some.first + batch, all.last);
    for (const bool fitted : {false, true}) {
      if (std::ranges::none_of(quantities, [&](Quantity q) { return is_of_fits(q) == fitted; })) continue;
      const auto paint = [&](Pixel pixel, const Sample& sample) {
        const auto column = static_cast<std::size_t>(pixel.column),
                   row = static_cast<std::size_t>(some.first + pixel.row);
        double cover = std::min(sample.fraction / (inside_columns[column] * inside_rows[row]), 1.0);
        if (pixel.holds_particle) cover = cover_with_particle(cover);
        if (cover < k_least_cover && !covers) return;
        float* to = pixels.data() + row * columns + column;
        for (const Quantity quantity : quantities) {
          const bool is_cover = quantity == Quantity::cover;
          if (is_of_fits(quantity) == fitted && (is_cover || cover >= k_least_cover))
            *to = static_cast<float>(is_cover ? cover : value(quantity, sample));
          to += plane.pixels();
        }
      };
      fitted ? sampler.fitted(some, paint) : sampler.at(some, fields, paint);
    }
  }
}

template void draw_rasters(Sampler<float, 2>&, std::span<const Quantity>, const Plane&, std::span<float>);
template void draw_rasters(Sampler<float, 3>&, std::span<const Quantity>, const Plane&, std::span<float>);
template void draw_rasters(Sampler<double, 2>&, std::span<const Quantity>, const Plane&, std::span<float>);
template void draw_rasters(Sampler<double, 3>&, std::span<const Quantity>, const Plane&, std::span<float>);

}  // namespace eddyline::observe
