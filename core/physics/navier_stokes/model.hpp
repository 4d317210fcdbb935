#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/euler/model.hpp"

namespace eddyline::physics::navier_stokes {

/// The Navier-Stokes equations of an ideal gas with constant dynamic viscosity and Prandtl number: the fluxes of the
/// Euler equations, friction and conduction of heat.
template <int D>
struct NavierStokes : euler::Euler<D> {
  using Base = euler::Euler<D>;
  using Base::gamma, Base::k_energy, Base::k_fields;
  template <class Q>
  using State = typename Base::template State<Q>;
  static constexpr bool k_diffuses = true;

  double viscosity;   // mu [Pa s]
  double conduction;  // of p/rho [Pa s]

  explicit NavierStokes(const Settings& settings)
      : Base(settings),
        viscosity(settings.world->fluid.kinematic_viscosity * settings.world->fluid.density),
        conduction(viscosity * gamma / ((gamma - 1) * settings.world->fluid.prandtl)) {}

  std::vector<Field> fields() const {
    std::vector<Field> all = Base::fields();
    for (Field& field : all) field.reach = Reach::box;
    return all;
  }

  /// Signals of the gas, and diffusion over a cell: a step of cfl dx / speed is stable for it with any cfl below 1.3.
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>& u, double spacing) const {
    const double fastest = viscosity * 4 / 3 > conduction * (gamma - 1) ? viscosity * 4 / 3 : conduction * (gamma - 1);
    return Base::speed(u) + Q(spacing > 0 ? 2 * D * fastest / spacing : 0.0) / u[0];
  }

  /// Central differences of second order across the face and along it.
  template <int Axis, class Q>
  EDDYLINE_INLINE State<Q> diffusion(const FaceStencil<Q>& at) const {
    constexpr std::size_t n = Axis + 1;
    std::array<Q, D> across, along;  // du_a/dx_n and du_n/dx_a
    Q divergence = across[0] = at.template across<Axis>(n);
    for (std::size_t a = 0; a < D; ++a) {
      across[a] = at.template across<Axis>(a + 1);
      if (a == Axis) continue;
      along[a] = at.template along<Axis>(n, a);
      divergence = divergence + at.template along<Axis>(a + 1, a);
    }
    const Q mu(viscosity);
    State<Q> flux;
    Q work(0.0);
    flux[0] = Q(0.0);
    for (std::size_t a = 0; a < D; ++a) {
      const Q rate = a == Axis ? Q(2.0) * across[a] - Q(2.0 / 3) * divergence : across[a] + along[a];
      flux[a + 1] = Q(0.0) - mu * rate;
      work = work + flux[a + 1] * at.template mean<Axis>(a + 1);
    }
    const Q per_length(1 / at.spacing);
    const Q warmth =
        (at.template upper<Axis>(k_energy) / at.template upper<Axis>(0) - at.lower(k_energy) / at.lower(0));
    flux[k_energy] = work - Q(conduction) * (per_length * warmth);
    return flux;
  }

  /// A wall that holds the gas: friction by the parabola through the velocities at the wall and two places before it;
  /// the pressure on a line through both places, and that of the wave that stops what flows against the wall. Where the
  /// velocity towards the wall falls as the square of the distance, there is none.
  EDDYLINE_INLINE WallForce wall(const State<Pack<double, 1>>& q, const State<Pack<double, 1>>& next,
                                 const Wall& wall) const {
    const double area = norm(wall.area);
    if (wall.slip || !(area > 0)) return Base::wall(q, next, wall);
    const double near = wall.distance, far = wall.further;
    double here = 0, beyond = 0;  // velocities towards the wall
    for (std::size_t d = 1; d <= D; ++d) {
      here += q[d].v * wall.area[static_cast<int>(d) - 1] / area;
      beyond += next[d].v * wall.area[static_cast<int>(d) - 1] / area;
    }
    const bool has_next = far > near;
    State<Pack<double, 1>> at_wall = q;
    double speed = here;
    if (has_next) {
      const double inner = (here - beyond) / (far - near), outer = -here / near;
      if (inner * outer > 0) speed += near * (std::abs(inner) < std::abs(outer) ? inner : outer);
      const double pressure = q[k_energy].v, steep = (pressure - next[k_energy].v) * near / (far - near);
      at_wall[k_energy] = pressure + std::clamp(steep, -0.1 * pressure, 0.1 * pressure);
    }
    WallForce force = Base::stop(at_wall, speed, wall);
    for (int d = 0; d < D; ++d) {
      const auto k = static_cast<std::size_t>(d) + 1;
      const double normal = wall.area[d] / area, first = q[k].v - here * normal, second = next[k].v - beyond * normal;
      double slope = first / near;
      if (has_next) slope = (first * far / near - second * near / far) / (far - near);
      force.friction[d] = viscosity * area * slope;
    }
    return force;
  }

  /// A wall holds the gas, or lets it slip; it conducts no heat.
  Beyond side(const world::World& world, std::size_t number) const {
    const world::Side& given = world.sides[number];
    if (given.kind == world::SideKind::wall && !given.slip) return Beyond::own;
    return Base::side(world, number);
  }
  void fill_beyond(const world::World& world, const AcrossSide& row) const {
    const world::Side& given = world.sides[row.side];
    if (given.kind != world::SideKind::wall) {
      Base::fill_beyond(world, row);
      return;
    }
    const std::array at{row.position.x, row.position.y, row.position.z, row.time};
    std::array<double, D> wall;
    for (std::size_t d = 0; d < D; ++d) wall[d] = d == row.side / 2 ? 0.0 : given.velocity[d].evaluate(at);
    for (std::int32_t k = 0; k < row.ghosts; ++k) {
      const double density = row.inside(0, k);
      double energy = row.inside(k_energy, k);
      for (std::size_t d = 0; d < D; ++d) {
        const double momentum = row.inside(d + 1, k), other = 2 * density * wall[d] - momentum;
        energy += 0.5 * (other * other - momentum * momentum) / density;
        row.ghost(d + 1, k) = other;
      }
      row.ghost(0, k) = density;
      row.ghost(k_energy, k) = energy;
    }
  }
};

}  // namespace eddyline::physics::navier_stokes
