#include "solvers/sph/observe/rasters.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "observe/codes.hpp"

namespace eddyline::sph {

namespace {

/// Number of strips in a batch: enough for several threads, while sums stay in the caches and those of many ranks take
/// little memory.
constexpr std::int32_t k_strips = 4;

/// The number of rows of a batch is a multiple of this, so that the bits of the next batch begin with a byte for any
/// row length.
constexpr std::int32_t k_rows = 8;

constexpr float k_none = std::numeric_limits<float>::quiet_NaN();

constexpr double k_least_cover = 0.5;
/// Cover of a pixel that contains a particle, which may be a drop or part of a thread. With R = 4 spacings a single
/// particle has a cover of 0.14 at its place, a thread 0.37, and a surface more than one half unless a particle is
/// about to leave it. A drop appears with its size: the value one half lies between its pixel, of 5/4 spacing, and the
/// pixels around it, where the particle ends.
double cover_with_particle(double cover) {
  constexpr double k_surface_cover = 0.45, k_spray_cover = 0.3, k_seen = 0.85;
  const double share = std::clamp((k_surface_cover - cover) / (k_surface_cover - k_spray_cover), 0.0, 1.0);
  return std::max(cover, k_surface_cover + share * (k_seen - k_surface_cover));
}

template <int D>
double value(const FieldSampler<D>& sampler, Quantity quantity, const Sample& sample) {
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

template <int D>
std::vector<solver::Raster> draw_rasters(FieldSampler<D>& sampler, std::span<const Quantity> quantities,
                                         const solver::Plane& plane) {
  const SampledFlow<D>& flow = sampler.flow();
  const auto columns = static_cast<std::size_t>(plane.columns);
  // Fits serve vorticity alone if there is a free surface.
  const auto is_of_fits = [&](Quantity q) { return q == Quantity::vorticity && !flow.fluid.confined; };
  const bool more_than_velocity =
      std::ranges::any_of(quantities, [](Quantity q) { return q == Quantity::pressure || q == Quantity::density; });
  const Fields fields = more_than_velocity ? Fields::all : Fields::velocity;
  const bool covers = std::ranges::find(quantities, Quantity::cover) != quantities.end();
  const auto [across, up, normal] = plane.axes;
  const double inside_plane = D == 3 ? sampler.share_inside(normal, plane.lower[normal]) : 1.0;
  std::vector<double> inside_columns, inside_rows;
  for (std::int32_t k = 0; k < plane.columns; ++k)
    inside_columns.push_back(sampler.share_inside(across, plane.centre(k, 0)[across]));
  for (std::int32_t k = 0; k < plane.rows; ++k)
    inside_rows.push_back(inside_plane * sampler.share_inside(up, plane.centre(0, k)[up]));

  std::vector<solver::Raster> drawn(quantities.size());
  for (solver::Raster& raster : drawn) raster.known.assign((plane.pixels() + 7) / 8, 0);
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
      observe::keep_known({pixels.data() + n * in_batch, in_batch}, nullptr, drawn[n].known.data() + byte,
                          drawn[n].values);
  }
  return drawn;
}

template std::vector<solver::Raster> draw_rasters(FieldSampler<2>&, std::span<const Quantity>, const solver::Plane&);
template std::vector<solver::Raster> draw_rasters(FieldSampler<3>&, std::span<const Quantity>, const solver::Plane&);

}  // namespace eddyline::sph
