#pragma once

#include <span>
#include <vector>

#include "solver/sampler.hpp"
#include "solvers/sph/observe/field_sampler.hpp"

namespace eddyline::sph {

/// Quantities of pictures: velocities [m/s], Pa, kg/m^3, 1/s. cover: share of a neighbourhood that is fluid, relative
/// to the share inside the walls of the domain, at most 1; a drop has more than one half.
enum class Quantity { speed, velocity_x, velocity_y, velocity_z, pressure, density, vorticity, cover };

/// Interpolates quantities to pixels: one raster for each, row 0 at the bottom. Pixels without fluid, with a cover
/// below one half, have no value except their cover; values that are not finite are left out. Quantities that can be
/// read from the same sample of a pixel share it.
template <int D>
std::vector<solver::Raster> draw_rasters(FieldSampler<D>& sampler, std::span<const Quantity> quantities,
                                         const solver::Plane& plane);

}  // namespace eddyline::sph
