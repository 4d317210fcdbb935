#pragma once
// Bodies that move by formula: places, velocities and accelerations of their dummy particles.

#include <optional>
#include <vector>

#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Moves the dummy particles of bodies that have a motion; rows of resting walls are left alone.
///
/// Particles follow the body rigidly from their places in the world file, so that no error accumulates over time. As
/// for the fluid, pairs are summed at the midpoint of a step, at the mean of its two ends, and at its end. The velocity
/// at the midpoint is the mean velocity, (x_new - x_old) / dt, so that the continuity equation sees exactly the volume
/// that the body sweeps; at the end it is the exact derivative.
template <class T, int D>
class MovingWalls {
 public:
  explicit MovingWalls(Parts<T, D>& parts);

  bool any() const { return state_.walls_move; }
  /// Adopts changes of the world: bodies that stood still may move from now on, and bodies may have been added or
  /// removed.
  void world_changed();
  /// Sets state and rows at time t. The caller gathers.
  void start(double t);
  /// Writes rows for the midpoint of the step of length dt that ends at time t, and the displacement of walls at its
  /// end; gathers both. The state is left alone. Mirrored velocities change with the velocity of the body, which the
  /// fluid at it follows.
  void write_midpoint_rows(double t, double dt);
  /// Sets the state and the places in the rows at the end of that step.
  void move_to_end();
  /// Acceleration of the body at x at the end of the step [m/s^2]; 0 for resting bodies and the domain's walls.
  Vec3 acceleration(std::int32_t owner, Vec3 x) const {
    const Pose* pose = pose_of(owner);
    return pose == nullptr ? Vec3{} : pose->acceleration_at(x);
  }
  /// Angular velocity of the body at the end of the step [rad/s], as a vector along its axis; 0 for a body that does
  /// not turn.
  Vec3 angular_velocity(std::int32_t owner) const {
    const Pose* pose = pose_of(owner);
    return pose == nullptr ? Vec3{} : pose->angular_velocity * pose->axis;
  }

 private:
  using Pose = world::Pose;

  void find_poses(double t);
  /// The pose of the body that owns a particle; null if it does not move.
  const Pose* pose_of(std::int32_t owner) const {
    if (owner < 0 || poses_.empty()) return nullptr;
    const auto& pose = poses_[static_cast<std::size_t>(owner)];
    return pose ? &*pose : nullptr;
  }
  /// Calls visit(k, pose) for every particle of a moving body, in parallel.
  template <class Visit>
  void for_each_moving(Visit&& visit);

  State<T, D>& state_;
  Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  std::vector<std::optional<Pose>> poses_;  // of the bodies at the end of the step; empty if none moves
};

}  // namespace eddyline::sph
