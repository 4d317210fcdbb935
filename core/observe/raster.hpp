#pragma once

#include <span>
#include <string_view>

#include "integrate/flow.hpp"

namespace eddyline::observe {

/// Pixels of a plane: `columns` x `rows` equal rectangles between two corners, sampled at their centres.
struct Plane {
  std::int32_t columns = 0, rows = 0;
  Vec3 lower, upper;
};

/// Interpolates a quantity to pixels, row 0 at the bottom; NaN where there is no fluid (fraction below one half).
/// Quantities: speed, velocity_x, velocity_y, velocity_z [m/s], pressure [Pa], density [kg/m^3], vorticity [1/s] (2D).
template <class T, int D>
void draw_raster(const integrate::Flow<T, D>& flow, std::string_view quantity, const Plane& plane,
                 std::span<float> pixels);

}  // namespace eddyline::observe
