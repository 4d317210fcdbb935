#include "observe/raster.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "observe/codes.hpp"
#include "observe/sampler.hpp"

namespace eddyline::observe {

namespace {

/// Strips at a time: something for some threads, while sums stay in the caches and those of many ranks take little
/// room.
constexpr std::int32_t k_strips = 4;

/// Rows of a batch are a multiple of this: however long they are, the bits of the next begin with a byte.
constexpr std::int32_t k_rows = 8;

constexpr float k_none = std::numeric_limits<float>::quiet_NaN();

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

template <int D>
double value(const Sampler<D>& sampler, Quantity quantity, const Sample& sample) {
  switch (quantity) {
    case Quantity::speed: return norm(sample.velocity);
    case Quantity::velocity_x: return sample.velocity.x;
    case Quantity::velocity_y: return sample.velocity.y;
    case Quantity::velocity_z: return sample.velocity.z;
    case Quantity::pressure: return sample.pressure;
    case Quantity::density: return sampler.density(sample);
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

template <int D>
std::vector<Raster> draw_rasters(Sampler<D>& sampler, std::span<const Quantity> quantities, const Plane& plane) {
  const SampledFlow<D>& flow = sampler.flow();
  const auto columns = static_cast<std::size_t>(plane.columns);
  // A free surface has fits for vorticity alone.
  const auto is_of_fits = [&](Quantity q) { return q == Quantity::vorticity && !flow.fluid.confined; };
  const bool more_than_velocity =
      std::ranges::any_of(quantities, [](Quantity q) { return q == Quantity::pressure || q == Quantity::density; });
  const Fields fields = more_than_velocity ? Fields::all : Fields::velocity;
  const bool covers = std::ranges::find(quantities, Quantity::cover) != quantities.end();
  const double inside_plane = D == 3 ? sampler.share_inside(2, plane.lower.z) : 1.0;
  std::vector<double> inside_columns, inside_rows;
  for (std::int32_t k = 0; k < plane.columns; ++k)
    inside_columns.push_back(sampler.share_inside(0, plane.centre(k, 0).x));
  for (std::int32_t k = 0; k < plane.rows; ++k)
    inside_rows.push_back(inside_plane * sampler.share_inside(1, plane.centre(0, k).y));

  std::vector<Raster> drawn(quantities.size());
  for (Raster& raster : drawn) raster.known.assign((plane.pixels() + 7) / 8, 0);
  const std::int32_t strips = k_strips * strip_rows(plane, flow.constants().length.interaction_radius),
                     batch = (strips + k_rows - 1) / k_rows * k_rows;
  const PixelRows all = sampler.near_fluid(plane);
  std::vector<float> pixels;  // of a batch, quantity by quantity
  for (PixelRows some{plane, 0, all.first / k_rows * k_rows}; some.last < all.last;) {
    some.first = some.last, some.last = std::min(some.first + batch, all.last);
    const std::size_t in_batch = static_cast<std::size_t>(some.last - some.first) * columns;
    pixels.assign(quantities.size() * in_batch, k_none);
    for (const bool fitted : {false, true}) {
      if (std::ranges::none_of(quantities, [&](Quantity q) { return is_of_fits(q) == fitted; })) continue;
      const auto paint = [&](Pixel pixel, const Sample& sample) {
        const auto column = static_cast<std::size_t>(pixel.column), row = static_cast<std::size_t>(pixel.row);
        double cover = std::min(
            sample.fraction / (inside_columns[column] * inside_rows[static_cast<std::size_t>(some.first) + row]), 1.0);
        if (pixel.holds_particle) cover = cover_with_particle(cover);
        if (cover < k_least_cover && !covers) return;
        float* to = pixels.data() + row * columns + column;
        for (const Quantity quantity : quantities) {
          const bool is_cover = quantity == Quantity::cover;
          if (is_of_fits(quantity) == fitted && (is_cover || cover >= k_least_cover))
            *to = static_cast<float>(is_cover ? cover : value(sampler, quantity, sample));
          to += in_batch;
        }
      };
      fitted ? sampler.fitted(some, paint) : sampler.at(some, fields, paint);
    }
    const std::size_t byte = static_cast<std::size_t>(some.first) * columns / 8;
    for (std::size_t n = 0; n < drawn.size(); ++n)
      keep_known({pixels.data() + n * in_batch, in_batch}, nullptr, drawn[n].known.data() + byte, drawn[n].values);
  }
  return drawn;
}

void spread(const Raster& raster, float none, std::span<float> pixels) {
  std::ranges::fill(pixels, none);
  std::size_t value = 0;
  for (std::size_t byte = 0; byte < raster.known.size(); ++byte)
    for (std::uint8_t left = raster.known[byte]; left != 0;) {
      const int first = std::countl_zero(left);
      pixels[8 * byte + static_cast<std::size_t>(first)] = raster.values[value++];
      left = static_cast<std::uint8_t>(left & ~(0x80U >> first));
    }
}

template std::vector<Raster> draw_rasters(Sampler<2>&, std::span<const Quantity>, const Plane&);
template std::vector<Raster> draw_rasters(Sampler<3>&, std::span<const Quantity>, const Plane&);

}  // namespace eddyline::observe
