#pragma once
// Openings on the start lattice: the sites across an opening, and the buffer of particles beyond it.

#include <cstdint>

#include "particles/place.hpp"
#include "world/world.hpp"

namespace eddyline::particles {

/// The lattice across an opening. A site stands on the opening's plane; the buffer beyond it is `columns` particles
/// deep, so that wherever lists are valid the fluid sees no end of it. Columns of a site enter in a file.
struct OpeningSites {
  int axis = 0;                    // across the opening
  int first = 1, second = 2;       // in it; `second` is of one site in 2D
  double inward = 1;               // +1 or -1, as in world::Opening
  double plane = 0;                // coordinate along the axis [m]
  double pitch = 0;                // distance of columns [m]
  std::int32_t columns = 0;        // of the buffer
  std::int32_t count[2] = {1, 1};  // sites along `first` and `second`
  Vec3 lower, upper;               // corners of the opening [m]
  Vec3 origin;                     // the first site [m]
  Vec3 step;                       // from site to site [m]
  double area = 0;                 // of a site [m^(D-1)]

  std::int64_t sites() const { return static_cast<std::int64_t>(count[0]) * count[1]; }
  /// Length of the buffer [m].
  double length() const { return columns * pitch; }
  /// How far x lies beyond the opening [m]; negative on the fluid's side.
  double depth(Vec3 x) const { return inward * (plane - x[axis]); }
  Vec3 site(std::int64_t number) const {
    Vec3 x = origin;
    x[first] += static_cast<double>(number % count[0]) * step[first];
    const std::int64_t line = number / count[0];
    if (count[1] > 1) x[second] += static_cast<double>(line) * step[second];
    return x;
  }
  /// Whether x, at any depth, lies in front of the opening or behind it.
  bool faces(Vec3 x) const {
    return x[first] >= lower[first] && x[first] <= upper[first] &&
           (count[1] == 1 || (x[second] >= lower[second] && x[second] <= upper[second]));
  }
  /// Whether x has passed the opening outwards, and is in its buffer or has just left that.
  bool is_through(Vec3 x) const {
    const double d = depth(x);
    return d > 0 && d <= 2 * length() && faces(x);
  }
  /// Whether x lies beyond the opening, in its buffer or in the walls around that, `reach` thick.
  bool is_beyond(Vec3 x, double reach) const {
    const double d = depth(x);
    bool beside = d > 0 && d <= length() + reach;
    for (const int k : {first, second})
      beside = beside && ((k == second && count[1] == 1) || (x[k] >= lower[k] - reach && x[k] <= upper[k] + reach));
    return beside;
  }
};
OpeningSites opening_sites(const world::World& world, const world::Opening& opening);

/// Radius within which a node sees fluid, by R. As lists reach to R and the skin, they serve nodes for longer than
/// pairs, and a stream past a node costs no rebuild at every step.
inline constexpr double k_node_reach = 0.75;

/// Columns of a buffer: R, what particles may move until the next rebuild, and a column that is entering.
std::int32_t buffer_columns(const world::World& world);

}  // namespace eddyline::particles
