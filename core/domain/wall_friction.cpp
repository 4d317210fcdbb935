#include "domain/wall_friction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "base/errors.hpp"
#include "base/portable_math.hpp"
#include "world/sides.hpp"

namespace eddyline::domain {

namespace {

constexpr double k_karman = 0.41, k_smooth = 5.0, k_rough = 30.0;
constexpr double k_linear = 10.8;  // y u*/nu up to which the velocity is linear
constexpr double k_layer = 1.5;    // distance in spacings at which friction ends; it falls from the full one at 0.5
constexpr int k_iterations = 8;    // of Newton, from any speed to the last bits

}  // namespace

Friction Friction::of(const world::World& world, const std::string& name) {
  Friction law;
  const auto number = [&](const std::string& key, const world::OptionValue& value) {
    const double* real = std::get_if<double>(&value);
    const std::int64_t* whole = std::get_if<std::int64_t>(&value);
    if (real == nullptr && whole == nullptr) throw UserError(key + ": must be a number.");
    return real != nullptr ? *real : static_cast<double>(*whole);
  };
  if (const auto found = world.options.find("friction." + name); found != world.options.end()) {
    const auto* word = std::get_if<std::string>(&found->second);
    law.by_log_law = word != nullptr && *word == "log";
    if (!law.by_log_law) law.coefficient = number(found->first, found->second);
  }
  if (const auto found = world.options.find("roughness." + name); found != world.options.end())
    law.roughness = number(found->first, found->second);
  return law;
}

WallFriction::WallFriction(const world::World& world)
    : spacing_(world.spacing), viscosity_(world.fluid.kinematic_viscosity), dimensions_(world.dimensions) {
  for (int d = 0; d < world.dimensions; ++d)
    for (int end = 0; end < 2; ++end) {
      const auto& side = world.sides[static_cast<std::size_t>(2 * d + end)];
      const Friction law = Friction::of(world, std::string(world::k_side_names[static_cast<std::size_t>(2 * d + end)]));
      if (side.kind != world::SideKind::wall || !law.acts()) continue;
      sides_.push_back({law, -1 - (2 * d + end), d, world.origin[d] + (end == 0 ? 0.0 : world.size[d]),
                        end == 0 ? 1.0 : -1.0, side.velocity});
    }
  for (std::size_t b = 0; b < world.bodies.size(); ++b) {
    const auto& body = world.bodies[b];
    if (const Friction law = Friction::of(world, "bodies." + body.name); body.shape != nullptr && law.acts())
      bodies_.push_back({law, static_cast<std::int32_t>(b), body.shape, body.motion, {}});
  }
  for (const auto& opening : world.openings) openings_.push_back(particles::opening_sites(world, opening));
}

double WallFriction::reach() const { return k_layer * spacing_; }

void WallFriction::move(double t) {
  time_ = t;
  for (auto& body : bodies_)
    if (body.motion) body.pose = body.motion->at(t);
}

double WallFriction::coefficient(const Friction& law, double viscosity, double distance, double speed) {
  if (!law.by_log_law) return law.coefficient;
  if (law.roughness > 0) {
    const double ratio = portable::log(k_rough * std::max(distance, law.roughness) / law.roughness) / k_karman;
    return 1 / (ratio * ratio);
  }
  const double reynolds = distance * speed / viscosity;
  if (!(reynolds > 0)) return 0;
  if (reynolds <= k_linear * k_linear) return 1 / reynolds;
  double ratio = k_linear;  // u/u*
  for (int k = 0; k < k_iterations; ++k) {
    const double error = ratio - (portable::log(reynolds / ratio) / k_karman + k_smooth);
    ratio -= error / (1 + 1 / (k_karman * ratio));
  }
  return 1 / (ratio * ratio);
}

Vec3 WallFriction::slowed(const Friction& law, double distance, const Vec3& normal, const Vec3& wall, const Vec3& v,
                          double dt) const {
  const Vec3 relative = v - wall;
  const Vec3 along = relative - dot(relative, normal) * normal;
  const double speed = norm(along), share = std::clamp(k_layer - distance / spacing_, 0.0, 1.0);
  if (!(speed > 0)) return v;
  const double f = coefficient(law, viscosity_, std::max(distance, 0.5 * spacing_), speed);
  const double rate = dt * share * f * speed / spacing_;
  return v - (rate / (1 + rate)) * along;
}

Vec3 WallFriction::after(const Vec3& x, Vec3 v, double dt, std::vector<Taken>* taken) const {
  const double reach = this->reach();
  const auto take = [&](std::int32_t owner, const Vec3& slower, const Vec3& wall) {
    if (taken != nullptr) taken->push_back({owner, v - slower, wall});
    v = slower;
  };
  for (const Side& side : sides_) {
    const double distance = side.inward * (x[side.axis] - side.place);
    if (!(distance < reach)) continue;
    if (std::ranges::any_of(openings_, [&](const auto& sites) {
          return sites.axis == side.axis && std::abs(sites.depth(x)) < reach && sites.faces(x);
        }))
      continue;
    Vec3 normal, wall;
    normal[side.axis] = 1;
    for (int d = 0; d < dimensions_; ++d)
      wall[d] = side.velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, time_});
    take(side.owner, slowed(side.law, distance, normal, wall, v, dt), wall);
  }
  for (const Solid& body : bodies_) {
    const Vec3 X = body.motion ? body.pose.reference(x) : x;
    const double distance = body.shape->signed_distance(X), probe = 1e-4 * spacing_;
    if (!(distance < reach)) continue;
    Vec3 normal;
    for (int d = 0; d < dimensions_; ++d) {
      Vec3 step;
      step[d] = probe;
      normal[d] = body.shape->signed_distance(X + step) - body.shape->signed_distance(X - step);
    }
    const double length = norm(normal);
    if (!(length > 0)) continue;
    normal = normal / length;
    Vec3 wall;
    if (body.motion) normal = body.pose.direction(normal), wall = body.pose.velocity_at(x);
    take(body.owner, slowed(body.law, distance, normal, wall, v, dt), wall);
  }
  return v;
}

}  // namespace eddyline::domain
