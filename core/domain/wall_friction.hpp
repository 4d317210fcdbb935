#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/vec.hpp"
#include "particles/openings.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// Friction at a wall, instead of no-slip.
struct Friction {
  double coefficient = 0;   // f, see WallFriction; 0: no friction
  bool by_log_law = false;  // f from the law of the wall
  double roughness = 0;     // for the law of the wall: equivalent sand roughness [m]; 0: smooth

  bool acts() const { return coefficient > 0 || by_log_law; }
  /// That of a side or body by its name among World::options: "friction.NAME", a number or "log", and
  /// "roughness.NAME". Throws UserError if they are something else.
  static Friction of(const world::World& world, const std::string& name);
  /// Tells whether an option of a world is one of these.
  static bool is_option(std::string_view name) {
    return name.starts_with("friction.") || name.starts_with("roughness.");
  }
};

/// Friction of a wall that the spacing does not resolve: the stress f rho u^2 acts on
/// the layer of fluid beside the wall, one spacing thick. u is the velocity along the wall, relative to it, y the
/// distance.
///
///   f given, or (u*/u)^2 from the law of the wall at y, at least half a spacing:
///   smooth:  u/u* = ln(y u*/nu)/0.41 + 5.0, and sqrt(y u/nu) below y u*/nu = 10.8, where it is linear
///   rough:   u/u* = ln(30 y/k)/0.41,  y >= k
///
/// A step is implicit, u -> u/(1 + dt f |u|/dx), so that friction never turns a velocity round. The result depends on
/// one particle and the time only.
class WallFriction {
 public:
  explicit WallFriction(const world::World& world);

  bool acts() const { return !sides_.empty() || !bodies_.empty(); }
  bool acts_at_sides() const { return !sides_.empty(); }
  /// Distance from a wall within which friction acts [m].
  double reach() const;
  /// Moves bodies and sides to their places and velocities at time t [s].
  void move(double t);
  /// A change of velocity that a wall takes. owner: the body, or -1 - the side; wall: its own velocity.
  struct Taken {
    std::int32_t owner;
    Vec3 velocity, wall;
  };
  /// Velocity of a particle at x after a step of dt [s]. Adds to `taken` what each wall takes, if it is not null.
  Vec3 after(const Vec3& x, Vec3 v, double dt, std::vector<Taken>* taken = nullptr) const;
  /// f at a distance [m] and a speed [m/s] along the wall.
  static double coefficient(const Friction& law, double viscosity, double distance, double speed);

 private:
  struct Side {
    Friction law;
    std::int32_t owner;
    int axis;
    double place, inward;
    std::array<world::Formula, 3> velocity;
  };
  struct Solid {
    Friction law;
    std::int32_t owner;
    world::ShapePtr shape;
    std::optional<world::Motion> motion;
    world::Pose pose;
  };

  Vec3 slowed(const Friction& law, double distance, const Vec3& normal, const Vec3& wall, const Vec3& v,
              double dt) const;

  std::vector<Side> sides_;
  std::vector<Solid> bodies_;
  std::vector<particles::OpeningSites> openings_;
  double spacing_, viscosity_, time_ = 0;
  int dimensions_;
};

}  // namespace eddyline::domain
