#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "observe/plane.hpp"
#include "observe/sampler.hpp"

namespace eddyline::observe {

/// What a raster can show: velocities [m/s], Pa, kg/m^3, 1/s; velocity_z in 3D, vorticity in 2D. cover: how much of a
/// neighbourhood is fluid, of what the walls of the domain leave of it, at most 1; a drop has more than one half.
enum class Quantity { speed, velocity_x, velocity_y, velocity_z, pressure, density, vorticity, cover };
inline constexpr std::size_t k_quantities = 8;

/// By its name. Throws UserError if there is no such quantity in so many dimensions.
Quantity quantity_of(std::string_view name, int dimensions);

/// Of the pixels of a plane only those that show something.
struct Raster {
  std::vector<std::uint8_t> known;  // whether it has a value, a bit a pixel, row by row, the first of eight the highest
  std::vector<float> values;        // of those that have
};

/// Interpolates quantities to pixels: one raster for each, row 0 at the bottom. Pixels without fluid, a cover below one
/// half, have no value, but covers of their own; what is not finite is none. All that can be read from one sample of a
/// pixel share it.
template <int D>
std::vector<Raster> draw_rasters(Sampler<D>& sampler, std::span<const Quantity> quantities, const Plane& plane);

/// All pixels; those without a value have `none`.
void spread(const Raster& raster, float none, std::span<float> pixels);

}  // namespace eddyline::observe
