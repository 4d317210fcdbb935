#pragma once
// Common parts of the layers of all shapes: checks of measures, thicknesses, and the innermost layer.

#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "base/vec.hpp"
#include "world/shapes.hpp"

namespace eddyline::world {

inline constexpr double k_two_pi = 2 * std::numbers::pi;
/// Measures and places of shapes [m]: the product of three is a number.
inline constexpr double k_smallest = 1e-100, k_largest = 1e100;

/// If fewer than this many spacings are left between a layer's outer side and the middle of the shape, the points
/// from both sides share one row in the middle; otherwise there is a row for each side. Both choices then keep the
/// volumes within a factor of 1.43 of a full one.
inline constexpr double k_share_below = 0.7;

/// No layer is thinner than this many spacings, unless the shape itself is.
inline constexpr double k_rest = 1e-3;

/// Thickness [m] of layer k of a shape with its middle at depth `middle`: the spacing, or the rest if that is less;
/// 0 if no rest is left. A rest below k_rest spacings belongs to the layer before.
inline double layer_thickness(double middle, double spacing, int k) {
  const double left = middle - k * spacing;
  if (k > 0 && left <= k_rest * spacing) return 0;
  return left <= (1 + k_rest) * spacing ? left : spacing;
}

inline bool is_finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// Throws UserError unless value is a finite number > 0.
inline void require_positive(const char* name, double value) {
  if (value >= k_smallest && value <= k_largest) return;
  std::ostringstream text;
  text << name << " = " << value << "; must be > 0";
  if (value > 0) text << ", from " << k_smallest << " to " << k_largest;
  if (value < 0 && std::isfinite(value)) text << ". Try " << -value;
  throw UserError(text.str());
}

inline void require_finite(const char* name, Vec3 value) {
  const double farthest = std::fmax(std::abs(value.x), std::fmax(std::abs(value.y), std::abs(value.z)));
  if (is_finite(value) && farthest <= k_largest) return;
  std::ostringstream text;
  text << name << " = (" << value.x << ", " << value.y << ", " << value.z << "); must be finite";
  if (is_finite(value)) text << ", at most " << k_largest << " in size";
  throw UserError(text.str());
}

/// Throws UserError unless min < max along the first `dimensions` axes.
inline void require_ordered(Vec3 min, Vec3 max, int dimensions) {
  require_finite("min", min);
  require_finite("max", max);
  for (int axis = 0; axis < dimensions; ++axis) {
    if (min[axis] < max[axis]) continue;
    std::ostringstream text;
    text << "max." << "xyz"[axis] << " = " << max[axis] << "; must be > min." << "xyz"[axis] << " = " << min[axis];
    throw UserError(text.str());
  }
}

inline void require_layering(double spacing, int count) {
  require_positive("spacing", spacing);
  if (count < 0) throw UserError("number of layers = " + std::to_string(count) + "; must be >= 0");
}

/// Number of parts of about `spacing` into which a length is divided; at least one.
inline int parts(double length, double spacing) {
  constexpr double k_most = 1e9;
  return static_cast<int>(std::fmin(k_most, std::fmax(1, std::floor(length / spacing + 0.5))));
}

/// Half the angle of chords that lie within `tolerance` of an arc [rad]; where that is less than 1e-7 of the radius,
/// chords are longer: 7,000 around a circle are enough to draw it.
inline double half_angle_of_chords(double radius, double tolerance) {
  // A chord of angle 2 a lies within radius (1 - cos a) of its arc.
  constexpr double k_finest = 1e-7;
  return portable::acos(std::fmax(0.5, 1 - std::fmax(k_finest, tolerance / radius)));
}

}  // namespace eddyline::world
