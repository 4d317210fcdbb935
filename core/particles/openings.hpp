#pragma once
// Openings on the start lattice: the sites across an opening, and the buffer of particles beyond it.

#include <cstdint>

#include "particles/place.hpp"
#include "world/world.hpp"

namespace eddyline::particles {

/// The lattice across an opening. A site is a point on the opening's plane; the buffer beyond it is `columns` particles
/// deep, so that the fluid has a full neighbourhood as long as lists are valid. The particles of a site enter in a
/// column, one after the other.
struct OpeningSites {
  int axis = 0;                    // across the opening
  int first = 1, second = 2;       // in its plane; `second` has one site in 2D
  double inward = 1;               // +1 or -1, as in world::Opening
  double plane = 0;                // coordinate along the axis [m]
  double pitch = 0;                // distance of columns [m]
  std::int32_t columns = 0;        // depth of the buffer
  std::int32_t count[2] = {1, 1};  // sites along `first` and `second`
  Vec3 lower, upper;               // corners of the opening [m]
  Vec3 origin;                     // the first site [m]
  Vec3 step;                       // from site to site [m]
  double area = 0;                 // of a site [m^(D-1)]

  std::int64_t sites() const { return static_cast<std::int64_t>(count[0]) * count[1]; }
  /// Length of the buffer [m].
  double length() const { return columns * pitch; }
  /// Distance of x beyond the opening [m]; negative on the fluid's side.
  double depth(Vec3 x) const { return inward * (plane - x[axis]); }
  Vec3 site(std::int64_t number) const {
    Vec3 x = origin;
    x[first] += static_cast<double>(number % count[0]) * step[first];
    const std::int64_t line = number / count[0];
    if (count[1] > 1) x[second] += static_cast<double>(line) * step[second];
    return x;
  }
  /// True if x, at any depth, is directly in front of the opening or behind it.
  bool faces(Vec3 x) const {
    return x[first] >= lower[first] && x[first] <= upper[first] &&
           (count[1] == 1 || (x[second] >= lower[second] && x[second] <= upper[second]));
  }
  /// True if x has passed the opening outwards and is in its buffer or less than a buffer's length behind it.
  bool is_through(Vec3 x) const {
    const double d = depth(x);
    return d > 0 && d <= 2 * length() && faces(x);
  }
  /// True if x is beyond the opening, in its buffer or in the walls of thickness `reach` around the buffer.
  bool is_beyond(Vec3 x, double reach) const {
    const double d = depth(x);
    bool beside = d > 0 && d <= length() + reach;
    for (const int k : {first, second})
      beside = beside && ((k == second && count[1] == 1) || (x[k] >= lower[k] - reach && x[k] <= upper[k] + reach));
    return beside;
  }
};
OpeningSites opening_sites(const world::World& world, const world::Opening& opening);

/// Radius of the neighbourhood of a node, divided by R. Lists extend to R plus the skin, so they stay valid for nodes
/// longer than for pairs, and a stream past a node does not need a rebuild in every step.
inline constexpr double k_node_reach = 0.75;

/// Returns the number of columns of a buffer: R, the largest displacement until the next rebuild, and the entering
/// column.
std::int32_t buffer_columns(const world::World& world);

}  // namespace eddyline::particles
