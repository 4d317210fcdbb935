#include "domain/external_forcing.hpp"

#include <algorithm>

namespace eddyline::domain {

template <int D>
ExternalForcing<D>::ExternalForcing(const world::World& world) : world_(&world), uniform_force_(world.gravity) {
  for (const auto& side : world.sides)
    for (const auto& component : side.velocity) {
      const auto used = component.used_variables();
      walls_change_speed_ = walls_change_speed_ || std::find(used.begin(), used.end(), "t") != used.end();
    }
  for (int d = 0; d < D; ++d) {
    const auto& force = world.body_force[static_cast<std::size_t>(d)];
    force_is_uniform_ = force_is_uniform_ && force.is_constant();
    if (force.is_constant()) uniform_force_[d] += force.evaluate(std::array{0.0, 0.0, 0.0, 0.0});
  }
}

template <int D>
Vec3 ExternalForcing<D>::force_by_formula(const Vec3& x, double t) const {
  Vec3 f = world_->gravity;
  for (int d = 0; d < D; ++d)
    f[d] += world_->body_force[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, t});
  return f;
}

template <int D>
void ExternalForcing<D>::set_wall_velocities(WallState<D>& wall, double t) const {
  if (!wall.can_move) return;
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (wall.owner[k] >= 0) continue;
    const auto& velocity = world_->sides[static_cast<std::size_t>(-1 - wall.owner[k])].velocity;
    const Vec3 x = vector_of(wall.x, k);
    for (int d = 0; d < D; ++d)
      wall.v[d][k] = velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, t});
  }
}

template class ExternalForcing<2>;
template class ExternalForcing<3>;

}  // namespace eddyline::domain
