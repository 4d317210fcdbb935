#include "domain/walls.hpp"

namespace eddyline::domain {

template <int D>
void place_walls(const particles::Placement& placement, WallState<D>& wall) {
  const std::size_t n = placement.walls.size();
  wall.for_each_array([n](auto& array) { array.assign(n, 0); });
  for (std::size_t i = 0; i < n; ++i) {
    const auto& particle = placement.walls[i];
    wall.id[i] = particle.id;
    wall.owner[i] = particle.owner;
    wall.volume[i] = particle.volume;
    wall.no_slip[i] = particle.no_slip;
    for (int d = 0; d < D; ++d) wall.x[d][i] = particle.position[d];
  }
  if (wall.can_move) wall.rest(0, n);
}

template void place_walls(const particles::Placement&, WallState<2>&);
template void place_walls(const particles::Placement&, WallState<3>&);

}  // namespace eddyline::domain
