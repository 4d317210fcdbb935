#pragma once
// Bodies that move by formula: where their dummy particles are, how fast, and how they are accelerated.

#include <optional>
#include <vector>

#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

/// Moves the dummy particles of bodies that have a motion; rows of resting walls are left alone.
///
/// Particles follow the body rigidly from their places in the world file, so that nothing adds up over time. As for the
/// fluid, pairs are summed half way through a step, at the mean of its two ends, and at its end. The velocity in the
/// middle is the mean one, (x_new - x_old) / dt, so that the continuity equation sees exactly the volume that the body
/// sweeps; at the end it is the exact derivative.
template <class T, int D>
class MovingWalls {
 public:
  explicit MovingWalls(Flow<T, D>& flow);

  bool any() const { return flow_.walls_move(); }
  /// Bodies that stood still may move from now on; others may have come or gone.
  void world_changed();
  /// State and rows at time t. The caller gathers.
  void start(double t);
  /// Rows for the middle of the step of length dt that ends at time t, and how far the walls will have moved at its
  /// end; both gathered. The state is left alone. Mirrored velocities change with that of the body: the fluid at it
  /// follows.
  void write_midpoint_rows(double t, double dt);
  /// State and positions in the rows at the end of that step.
  void move_to_end();
  /// Acceleration of the body at x at the end of the step [m/s^2]; 0 of resting bodies and the domain's walls.
  Vec3 acceleration(std::int32_t owner, Vec3 x) const {
    const Pose* pose = pose_of(owner);
    return pose == nullptr ? Vec3{} : pose->acceleration_at(x);
  }
  /// Angular velocity of the body at the end of the step [rad/s], as a vector along its axis; 0 of what does not turn.
  Vec3 angular_velocity(std::int32_t owner) const {
    const Pose* pose = pose_of(owner);
    return pose == nullptr ? Vec3{} : pose->angular_velocity * pose->axis;
  }

 private:
  using Pose = world::Pose;

  void find_poses(double t);
  /// Of the body that owns a particle; nothing if it does not move.
  const Pose* pose_of(std::int32_t owner) const {
    if (owner < 0 || poses_.empty()) return nullptr;
    const auto& pose = poses_[static_cast<std::size_t>(owner)];
    return pose ? &*pose : nullptr;
  }
  /// Calls visit(k, pose) for every particle of a moving body, in parallel.
  template <class Visit>
  void for_each_moving(Visit&& visit);

  Flow<T, D>& flow_;
  std::vector<std::optional<Pose>> poses_;  // of the bodies at the end of the step; empty if none moves
};

}  // namespace eddyline::sph
