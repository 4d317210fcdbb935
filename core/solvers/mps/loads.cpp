#include "solvers/mps/loads.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "comm/sums.hpp"

namespace eddyline::mps {

template <int D>
Loads<D>::Loads(const Liquid<D>& liquid, const Step<D>& step)
    : liquid_(liquid), step_(step), has_work_(liquid.wall.can_move) {
  for (const auto& body : liquid.world().bodies) moving_.push_back(body.motion.has_value());
  world_changed();
}

template <int D>
void Loads<D>::world_changed() {
  owners_ = solver::loaded_solids(liquid_.world());
}

/// The pose of a body; the pivot of a body at rest is the centre of its bounds.
template <int D>
world::Pose Loads<D>::pose_of(std::int32_t owner) const {
  if (const world::Pose* pose = liquid_.pose_of(owner)) return *pose;
  const auto [lowest, highest] = liquid_.world().bodies[static_cast<std::size_t>(owner)].shape->bounds();
  world::Pose pose;
  pose.pivot = 0.5 * (lowest + highest);
  return pose;
}

template <int D>
void Loads<D>::group_walls() {
  contributions_.assign(owners_.size(), {});
  const domain::WallShares shares(liquid_.world(), step_.control.time);
  std::map<std::int32_t, std::size_t> places;
  for (std::size_t k = 0; k < owners_.size(); ++k) places[owners_[k]] = k;
  const auto& wall = liquid_.wall;
  const auto is_beyond_opening = [&](std::size_t i) {
    return std::ranges::any_of(liquid_.openings.all(), [&](const auto& opening) { return is_beyond(opening, i); });
  };
  for (std::size_t i = 0; i < wall.id.size(); ++i) {
    if (is_beyond_opening(i)) continue;
    const auto give = [&](std::int32_t owner, const Contribution& part) {
      if (const auto found = places.find(owner); found != places.end()) contributions_[found->second].push_back(part);
    };
    const std::int32_t owner = wall.owner[i], number = static_cast<std::int32_t>(i);
    bool rubs = true;
    for (const domain::Share& share : shares.of(owner, vector_of(wall.x, i)))
      give(share.owner, {number, share, share.owner == owner && std::exchange(rubs, false)});
    if (rubs) give(owner, {number, {owner}, true});
  }
  rubbed_.assign(owners_.size(), {});
  for (std::size_t r = 0; r < step_.rubbed.size(); ++r)
    if (const auto found = places.find(step_.rubbed[r].owner); found != places.end())
      rubbed_[found->second].push_back(r);
}

template <int D>
Vec3 Loads<D>::pressure_on(std::size_t k) const {
  const auto& c = liquid_.constants();
  Vec3 f;
  for (int d = 0; d < D; ++d) f[d] = c.mass * c.factors.B / c.R * static_cast<double>(step_.pressure_reaction[d][k]);
  return f;
}

template <int D>
Vec3 Loads<D>::friction_on(std::size_t k) const {
  const auto& c = liquid_.constants();
  const double form = c.free_surface ? 2 * (D + 2) * c.factors.B : c.factors.A;
  Vec3 f;
  for (int d = 0; d < D; ++d)
    f[d] = c.mass * step_.friction() * form / (c.R * c.R) * static_cast<double>(step_.viscous_reaction[d][k]);
  return f;
}

template <int D>
void Loads<D>::add(comm::Sums& sums) {
  group_walls();
  indices_.clear();
  for (std::size_t k = 0; k < owners_.size(); ++k) {
    const auto& parts = contributions_[k];
    const Vec3 pivot = owners_[k] >= 0 ? [&] {
      const world::Pose pose = pose_of(owners_[k]);
      return pose.pivot + pose.displacement;
    }()
                                       : Vec3{};
    const auto& rubbed = rubbed_[k];
    indices_.push_back(sums.template add_over<9>(std::ssize(parts) + std::ssize(rubbed), [&](std::size_t p) {
      if (p >= parts.size()) {
        const auto& rub = step_.rubbed[rubbed[p - parts.size()]];
        const Vec3 f = rub.force, torque = cross_product(rub.x - pivot, f);
        return std::array{0.0, 0.0, 0.0, f.x, f.y, f.z, torque.x, torque.y, torque.z};
      }
      const auto i = static_cast<std::size_t>(parts[p].wall);
      const Vec3 pressure = parts[p].pressure.of(pressure_on(i));
      const Vec3 friction = parts[p].has_friction ? friction_on(i) : Vec3{};
      const Vec3 torque = cross_product(vector_of(liquid_.wall.x, i) - pivot, pressure + friction);
      return std::array{pressure.x, pressure.y, pressure.z, friction.x, friction.y,
                        friction.z, torque.x,   torque.y,   torque.z};
    }));
  }
  if (has_work())
    index_of_sides_ = sums.template add_over<1>(liquid_.wall.size() + std::ssize(step_.rubbed), [&](std::size_t i) {
      if (i >= liquid_.wall.id.size()) {
        const auto& rub = step_.rubbed[i - liquid_.wall.id.size()];
        return std::array{rub.owner >= 0 ? 0.0 : -dot(rub.wall, rub.force)};
      }
      if (liquid_.wall.owner[i] >= 0) return std::array{0.0};
      Vec3 v;
      for (int d = 0; d < D; ++d) v[d] = liquid_.wall.velocity(i, d);
      return std::array{-dot(v, pressure_on(i) + friction_on(i))};
    });
}

template <int D>
solver::Load Loads<D>::load(std::size_t k, const comm::Sums& sums) const {
  const auto values = sums.template values<9>(indices_[k]);
  solver::Load load;
  load.pressure = {values[0], values[1], values[2]};
  load.viscous = {values[3], values[4], values[5]};
  if (owners_[k] < 0) return load;
  load.torque = {values[6], values[7], values[8]};
  const world::Pose pose = pose_of(owners_[k]);
  load.power =
      -(dot(load.pressure + load.viscous, pose.velocity) + pose.angular_velocity * dot(load.torque, pose.axis));
  return load;
}

template class Loads<2>;
template class Loads<3>;

}  // namespace eddyline::mps
