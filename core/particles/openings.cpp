#include "particles/openings.hpp"

#include <algorithm>
#include <cmath>

namespace eddyline::particles {

std::int32_t buffer_columns(const world::World& world) {
  const Lengths l = lengths(world);
  const double length = l.cell_edge + (1 - k_node_reach) * l.interaction_radius;
  return static_cast<std::int32_t>(std::ceil(length / l.spacing - 1e-9)) + 1;
}

OpeningSites opening_sites(const world::World& world, const world::Opening& opening) {
  OpeningSites s;
  s.axis = opening.axis;
  s.first = opening.axis == 0 ? 1 : 0;
  s.second = opening.axis == 2 ? 1 : 2;
  s.inward = opening.inward;
  s.plane = opening.lower[opening.axis];
  s.step = lattice_spacing(world);
  s.pitch = s.step[s.axis];
  s.columns = buffer_columns(world);
  s.lower = opening.lower;
  s.upper = opening.upper;
  s.origin[s.axis] = s.plane;
  s.area = 1;
  for (int k = 0; k < world.dimensions - 1; ++k) {
    const int d = k == 0 ? s.first : s.second;
    // The points of the start lattice that lie between the corners.
    const auto from = static_cast<std::int32_t>(std::ceil((s.lower[d] - world.origin[d]) / s.step[d] - 0.5 - 1e-9));
    const auto to = static_cast<std::int32_t>(std::floor((s.upper[d] - world.origin[d]) / s.step[d] - 0.5 + 1e-9));
    s.count[k] = std::max(1, to - from + 1);
    s.origin[d] = world.origin[d] + (from + 0.5) * s.step[d];
    s.area *= s.step[d];
  }
  return s;
}

}  // namespace eddyline::particles
