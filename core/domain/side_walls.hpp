#pragma once

#include <cmath>

#include "base/host_device.hpp"
#include "base/vec.hpp"

namespace eddyline::domain {

/// The walls of the domain. Particles beyond them are put back, see Contact. Loops on devices call these functions,
/// too.
struct SideWalls {
  Vec3 lower, upper;  // [m]; infinite where there is none
  int dimensions = 2;

  EDDYLINE_INLINE bool is_outside(const Vec3& x) const {
    bool outside = false;
    for (int d = 0; d < dimensions; ++d) outside |= (x[d] < lower[d]) | (x[d] > upper[d]);
    return outside;
  }
  /// Tells whether x is within a distance [m] of a wall, or beyond it.
  EDDYLINE_INLINE bool is_beside(const Vec3& x, double distance) const {
    bool beside = false;
    for (int d = 0; d < dimensions; ++d) beside |= (x[d] < lower[d] + distance) | (x[d] > upper[d] - distance);
    return beside;
  }
  /// Puts a particle back on the walls; its velocity outwards becomes 0.
  EDDYLINE_INLINE void put_back(Vec3& x, Vec3& v) const {
    for (int d = 0; d < dimensions; ++d) {
      if (x[d] < lower[d]) {
        x[d] = lower[d];
        v[d] = v[d] < 0.0 ? 0.0 : v[d];
      } else if (x[d] > upper[d]) {
        x[d] = upper[d];
        v[d] = 0.0 < v[d] ? 0.0 : v[d];
      }
    }
  }
};

}  // namespace eddyline::domain
