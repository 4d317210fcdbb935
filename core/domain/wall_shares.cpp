#include "domain/wall_shares.hpp"

#include <algorithm>
#include <cmath>

#include "particles/place.hpp"

namespace eddyline::domain {

namespace {

constexpr double k_inside =
    1e-3;  // distance of a body from a side, in spacings, at which it counts as touching the side

Vec3 unit(int axis) {
  Vec3 e;
  e[axis] = 1;
  return e;
}

}  // namespace

WallShares::WallShares(const world::World& world, double time)
    : world_(world), reach_(particles::lengths(world).interaction_radius) {
  for (std::size_t b = 0; b < world.bodies.size(); ++b) {
    const auto& body = world.bodies[b];
    if (body.shape == nullptr) continue;
    Solid solid{static_cast<std::int32_t>(b), body.shape, body.motion.has_value(), {}};
    if (body.motion) solid.pose = body.motion->at(time);
    bodies_.push_back(solid);
  }
}

const WallShares::Solid* WallShares::body_at(const Vec3& x) const {
  const auto found =
      std::find_if(bodies_.begin(), bodies_.end(), [&](const Solid& body) { return body.distance(x) < 0; });
  return found == bodies_.end() ? nullptr : &*found;
}

Vec3 WallShares::normal_at_contact(const Solid& body, const Vec3& foot, int axis, double inward) const {
  const double dx = world_.spacing, step = 0.25 * dx;
  const int steps = static_cast<int>(reach_ / step);
  Vec3 above = foot;
  above[axis] += 0.5 * inward * dx;
  for (int k = 1; k <= steps; ++k)
    for (int d = 0; d < world_.dimensions; ++d)
      for (const double sign : {-1.0, 1.0}) {
        if (d == axis) continue;
        const Vec3 x = above + sign * k * step * unit(d);
        if (!(body.distance(x) > 0)) continue;
        Vec3 outward;
        for (int e = 0; e < world_.dimensions; ++e) {
          const Vec3 probe = 1e-3 * dx * unit(e);
          outward[e] = body.distance(x + probe) - body.distance(x - probe);
        }
        const double length = norm(outward);
        return length > 0 ? outward / -length : Vec3{};
      }
  return {};
}

std::vector<Share> WallShares::of(std::int32_t owner, const Vec3& x) const {
  if (owner >= 0) return {{owner, {unit(0), unit(1), unit(2)}}};
  std::vector<Share> sides;
  Vec3 foot = x;
  int axis = 0;
  double inward = 0;
  for (int d = 0; d < world_.dimensions; ++d) {
    const double low = world_.origin[d], high = low + world_.size[d], slack = k_inside * world_.spacing;
    foot[d] = std::clamp(x[d], low + slack, high - slack);
    if (x[d] >= low && x[d] <= high) continue;
    const int side = 2 * d + (x[d] < low ? 0 : 1);
    if (world_.sides[static_cast<std::size_t>(side)].kind != world::SideKind::wall) continue;
    Share share{-1 - side};
    share.columns[static_cast<std::size_t>(d)] = unit(d);
    sides.push_back(share);
    axis = d, inward = x[d] < low ? 1 : -1;
  }
  // Along axes on which the particle lies beyond no side, its force stays with the side that it belongs to.
  Share rest{owner};
  for (int d = 0; d < world_.dimensions; ++d) {
    const auto normal = [d](const Share& share) { return share.columns[static_cast<std::size_t>(d)] != Vec3{}; };
    if (std::none_of(sides.begin(), sides.end(), normal)) rest.columns[static_cast<std::size_t>(d)] = unit(d);
  }
  const auto with_rest = [&] {
    for (Share& share : sides)
      if (share.owner == owner)
        for (std::size_t d = 0; d < 3; ++d) share.columns[d] = share.columns[d] + rest.columns[d];
    return sides;
  };
  if (sides.size() != 1) return with_rest();
  const Solid* body = body_at(foot);
  if (body == nullptr) return with_rest();
  const Vec3 n = normal_at_contact(*body, foot, axis, inward), along = n - n[axis] * unit(axis);
  const double cosine = -inward * n[axis], sine = norm(along);  // of the angle between the body and the side
  Share whole{body->index, {unit(0), unit(1), unit(2)}};
  if (cosine >= sine) return {whole};
  const double split = 1 - std::max(0.0, cosine) / sine;
  for (int d = 0; d < world_.dimensions; ++d) {
    const Vec3 by_side = d == axis ? unit(axis) : -along[d] / (sine * sine) * n[axis] * unit(axis);
    whole.columns[static_cast<std::size_t>(d)] = unit(d) - split * by_side;
    sides.front().columns[static_cast<std::size_t>(d)] = split * by_side;
  }
  return {whole, sides.front()};
}

}  // namespace eddyline::domain
