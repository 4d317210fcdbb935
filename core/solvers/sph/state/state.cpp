#include "solvers/sph/state/state.hpp"

#include <algorithm>
#include <memory>

#include "particles/place.hpp"

namespace eddyline::sph {

namespace {

/// Returns the world with periods rounded to whole quanta.
world::World with_whole_periods(world::World world) {
  const FixedPoint fixed(particles::lengths(world).interaction_radius);
  for (int d = 0; d < world.dimensions; ++d)
    if (world.sides[2 * static_cast<std::size_t>(d)].kind == world::SideKind::periodic)
      world.size[d] = fixed.round(world.size[d]);
  return world;
}

}  // namespace

template <class T, int D>
State<T, D>::State(const world::World& from)
    : world(with_whole_periods(from)),
      constants(from),
      openings(from),
      walls_move(std::ranges::any_of(from.bodies, [](const auto& b) { return b.motion.has_value(); })) {
  if (from.method.scheme == world::Scheme::classic)
    fluid.classic = std::make_unique<ClassicFields<T, D>>();
  else
    fluid.confined = !constants.free_surface;
  wall.can_move = walls_move || std::ranges::any_of(from.sides, &world::Side::slides);
}

template <class T, int D>
double State<T, D>::pressure(std::size_t i) const {
  const auto& c = constants;
  const double u = c.state.is_gas() ? fluid.classic->u[i] / (c.c0 * c.c0) : 0;
  return c.rho0 * c.c0 * c.c0 * c.state.pressure(fluid.s[i], u);
}

template <class T, int D>
double State<T, D>::wall_share(std::size_t k, const Vec3& x) const {
  return wall.owner[k] >= 0 ? particles::fraction_inside_walls(world, x) : 1.0;
}

template <class T, int D>
double State<T, D>::wall_volume(std::size_t k, const Vec3& x) const {
  return wall_share(k, x) * wall.volume[k] / constants.volume;
}

template struct State<float, 2>;
template struct State<float, 3>;
template struct State<double, 2>;
template struct State<double, 3>;

}  // namespace eddyline::sph
