#include "solvers/sph/observe/loads.hpp"

#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "comm/sums.hpp"

namespace eddyline::sph {

namespace {

/// Reaction on a dummy particle, in the unit of reaction sums; z is 0 in 2D.
template <class T, int D>
Vec3 reaction_of(const Array<T> (&reaction)[D], std::size_t i) {
  Vec3 f;
  for (int d = 0; d < D; ++d) f[d] = static_cast<double>(reaction[d][i]);
  return f;
}

/// Nearest point of a body's surface to its particle at X, both where the world file places the body.
Vec3 surface_point(const world::Shape& shape, Vec3 X, double probe, int dimensions) {
  Vec3 outward;
  for (int d = 0; d < dimensions; ++d) {
    Vec3 step;
    step[d] = probe;
    outward[d] = shape.signed_distance(X + step) - shape.signed_distance(X - step);
  }
  const double length = norm(outward);
  return length > 0 ? X - (shape.signed_distance(X) / length) * outward : X;
}

}  // namespace

template <class T, int D>
Loads<T, D>::Loads(const Parts<T, D>& parts)
    : state_(parts.state), scratch_(parts.scratch), domain_(parts.domain), walls_move_(parts.state.wall.can_move) {
  for (const auto& body : parts.state.world.bodies) moving_.push_back(body.motion.has_value());
  world_changed();
}

template <class T, int D>
void Loads<T, D>::world_changed() {
  owners_ = solver::loaded_solids(state_.world);
  group_walls();
}

template <class T, int D>
world::Pose Loads<T, D>::pose_of(const world::Body& body) const {
  if (body.motion) return body.motion->at(state_.time);
  const auto [lowest, highest] = body.shape->bounds();
  world::Pose pose;
  pose.pivot = 0.5 * (lowest + highest);
  return pose;
}

template <class T, int D>
void Loads<T, D>::group_walls() {
  beyond_.assign(state_.wall.id.size(), -1);
  const double depth = state_.constants.length.interaction_radius;
  for (std::size_t i = 0; i < beyond_.size(); ++i)
    for (std::size_t o = 0; o < state_.openings.all().size(); ++o)
      if (state_.openings.all()[o].sites.is_beyond(vector_of(state_.wall.x, i), depth))
        beyond_[i] = static_cast<std::int32_t>(o);
  contributions_.assign(owners_.size(), {});
  const WallShares shares(state_.world, state_.time);
  rebalances_ = domain_.balance.times();
  body_changes_ = domain_.body_changes();
  std::map<std::int32_t, std::size_t> forces;
  for (std::size_t k = 0; k < owners_.size(); ++k) forces[owners_[k]] = k;
  for (std::size_t i = 0; i < beyond_.size(); ++i) {
    if (beyond_[i] >= 0) continue;
    const auto give = [&](std::int32_t owner, const Contribution& part) {
      if (const auto force = forces.find(owner); force != forces.end()) contributions_[force->second].push_back(part);
    };
    const std::int32_t owner = state_.wall.owner[i], wall = static_cast<std::int32_t>(i);
    bool rubs = true;
    for (const Share& share : shares.of(owner, vector_of(state_.wall.x, i)))
      give(share.owner, {wall, share, share.owner == owner && std::exchange(rubs, false)});
    if (rubs) give(owner, {wall, {owner}, true});
  }
}

/// Unit of the reaction sums [N, or N/m in 2D].
template <class T, int D>
double Loads<T, D>::force_unit() const {
  const auto& c = state_.constants;
  return c.rho0 * c.volume * c.rate * c.c0 * c.kernel;
}

// --- sums of this rank ----------------------------------------------------------------------------------------------

template <class T, int D>
void Loads<T, D>::add(comm::Sums& sums) {
  if (state_.walls_move || rebalances_ != domain_.balance.times() || body_changes_ != domain_.body_changes())
    group_walls();
  index_of_force_.assign(owners_.size(), 0);
  index_of_torque_.assign(owners_.size(), 0);
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    index_of_force_[k] = add_force(sums, contributions_[k]);
    if (owners_[k] >= 0) index_of_torque_[k] = add_torque(sums, owners_[k], contributions_[k]);
  }
  if (walls_move_) index_of_sides_ = add_power_of_sides(sums);
}

template <class T, int D>
std::size_t Loads<T, D>::add_force(comm::Sums& sums, std::span<const Contribution> walls) const {
  const double unit = force_unit();
  return sums.template add_over<2 * D>(std::ssize(walls), [&](std::size_t k) {
    const auto i = static_cast<std::size_t>(walls[k].wall);
    std::array<double, 2 * D> v{};
    const Vec3 pressure = walls[k].pressure.of(reaction_of(scratch_.pressure_reaction, i));
    for (std::size_t d = 0; d < D; ++d) {
      v[d] = unit * pressure[static_cast<int>(d)];
      if (walls[k].has_friction) v[D + d] = unit * static_cast<double>(scratch_.viscous_reaction[d][i]);
    }
    return v;
  });
}

/// Torque about the pivot; with Morris' form of viscosity also the volumes of the outermost layer of particles, and of
/// its wet part. A force along a pair may be applied at any point of the pair's line. Friction of Morris' form acts on
/// the surface, and therefore half way between fluid and dummy particles.
template <class T, int D>
std::size_t Loads<T, D>::add_torque(comm::Sums& sums, std::int32_t owner, std::span<const Contribution> walls) const {
  const auto& c = state_.constants;
  const double unit = force_unit();
  const auto& body = state_.world.bodies[static_cast<std::size_t>(owner)];
  const world::Pose pose = pose_of(body);
  const Vec3 pivot = pose.pivot + pose.displacement;
  const bool all_along_pairs = c.viscosity == physics::delta::FluidViscosity::central;
  return sums.template add_over<5>(std::ssize(walls), [&](std::size_t k) {
    const auto i = static_cast<std::size_t>(walls[k].wall);
    const Vec3 pressure = unit * walls[k].pressure.of(reaction_of(scratch_.pressure_reaction, i));
    Vec3 x, X, viscous;
    for (int d = 0; d < D; ++d) {
      x[d] = state_.wall.x[d][i];
      X[d] = state_.wall.can_move ? state_.wall.x_file[d][i] : x[d];
      if (walls[k].has_friction) viscous[d] = unit * static_cast<double>(scratch_.viscous_reaction[d][i]);
    }
    if (all_along_pairs) {
      const Vec3 torque = cross_product(x - pivot, pressure + viscous);
      return std::array{torque.x, torque.y, torque.z, 0.0, 0.0};
    }
    Vec3 torque = cross_product(x - pivot, pressure);
    double surface_layer = 0, wet = 0;
    if (body.shape->signed_distance(X) > -c.length.spacing) {
      surface_layer = state_.wall.volume[i];
      wet = scratch_.wall_is_wet[i] != 0 ? surface_layer : 0;
    }
    if (viscous != Vec3{}) {
      const Vec3 surface = pose.place(surface_point(*body.shape, X, 1e-4 * c.length.spacing, D));
      torque = torque + cross_product(surface - pivot, viscous);
    }
    return std::array{torque.x, torque.y, torque.z, surface_layer, wet};
  });
}

/// Power of the domain's walls, which move in their own plane.
template <class T, int D>
std::size_t Loads<T, D>::add_power_of_sides(comm::Sums& sums) const {
  const double unit = force_unit();
  return sums.template add_over<1>(state_.wall.size(), [&](std::size_t i) {
    double power = 0;
    if (state_.wall.owner[i] < 0 && beyond_[i] < 0)
      for (int d = 0; d < D; ++d)
        power -= unit * state_.wall.velocity(i, d) *
                 (static_cast<double>(scratch_.pressure_reaction[d][i]) +
                  static_cast<double>(scratch_.viscous_reaction[d][i]));
    return std::array{power};
  });
}

// --- loads, from the sums of all ranks ------------------------------------------------------------------------------

template <class T, int D>
solver::Load Loads<T, D>::load(std::size_t k, const comm::Sums& sums) const {
  const auto force = sums.template values<2 * D>(index_of_force_[k]);
  solver::Load load;
  for (std::size_t d = 0; d < D; ++d) {
    load.pressure[static_cast<int>(d)] = force[d];
    load.viscous[static_cast<int>(d)] = force[D + d];
  }
  if (owners_[k] >= 0) read_torque(owners_[k], sums.template values<5>(index_of_torque_[k]), load);
  return load;
}

template <class T, int D>
double Loads<T, D>::power_of_sides(const comm::Sums& sums) const {
  return sums.value(index_of_sides_);
}

/// Torque on a body about its pivot, and the power of a moving body on the fluid, -(F . v + T . w).
///
/// With Morris' form of viscosity between fluid particles, the stress is mu grad(v), and its traction at a wall mu
/// dv/dn. The force on a body is mu (dv/dn + grad(v) . n), which is the same on a body that does not turn. On a turning
/// body the difference is -mu w x n, no force but a torque of -2 mu V w over a closed surface around a volume V. It is
/// added for the wet share of the surface. Central forms transfer all of the torque through the pairs.
template <class T, int D>
void Loads<T, D>::read_torque(std::int32_t owner, const std::array<double, 5>& sums, solver::Load& load) const {
  const auto& c = state_.constants;
  const auto& body = state_.world.bodies[static_cast<std::size_t>(owner)];
  const world::Pose pose = pose_of(body);
  const double wet_volume = sums[3] > 0 ? body.shape->volume() * sums[4] / sums[3] : 0;
  const bool is_lacking = c.viscosity == physics::delta::FluidViscosity::morris && !body.slip;
  const double of_turning = is_lacking ? 2 * c.rho0 * c.nu * wet_volume * pose.angular_velocity : 0;
  load.torque = Vec3{sums[0], sums[1], sums[2]} - of_turning * pose.axis;
  const Vec3 force = load.pressure + load.viscous;
  load.power = -(dot(force, pose.velocity) + pose.angular_velocity * dot(load.torque, pose.axis));
}

template class Loads<float, 2>;
template class Loads<float, 3>;
template class Loads<double, 2>;
template class Loads<double, 3>;

}  // namespace eddyline::sph
