#pragma once
// The far field of bodies in a stream.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/communicator.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// The velocity that bodies add to a uniform stream U, at distances that are large against them. Two-dimensional. With
/// r from the body, F the mean force on it along (D) and across (L) the stream, and A its area:
///
///   v = D/(rho U) r/(2 pi r^2)                     a source: the wake carries that much less than the stream
///     - L/(rho U) k x r/(2 pi r^2)                 a vortex: Kutta and Joukowski
///     - (A/pi) [2 (U.r) r/r^4 - U/r^2]             a dipole: the room that the body takes, exact for a circle
///
/// Source: Filon 1926, Imai 1951. F is a running mean over the time in which the stream passes half of the domain's
/// shortest side: a wake must be that long before its source is seen there. In 3D there is none.
template <int D>
class FarField {
 public:
  explicit FarField(const world::World& world);

  /// Tells whether any side is a stream.
  bool is_needed() const { return is_needed_; }

  /// Forces on bodies of this step [N/m]: at first those of this rank; the caller sums them over ranks in place.
  void clear_forces(std::size_t bodies);
  void add_force(std::int32_t body, int axis, double force) {
    forces_[static_cast<std::size_t>(body) * D + static_cast<std::size_t>(axis)].add(force);
  }
  std::span<ReproducibleSum> forces() { return forces_; }

  /// Updates the far field from the forces and places of bodies at time t, after a step of dt.
  void follow(const world::World& world, double density, double t, double dt);
  /// Velocity that bodies add at x [m/s].
  std::array<double, D> velocity(const Vec3& x) const;

  void save(ArchiveWriter& archive) const;
  /// Restores the state; the root provides the first part. Collective.
  void restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

 private:
  /// The far field of one body.
  struct Disturbance {
    double x = 0, y = 0;                // place of the body's centre [m]
    double force_x = 0, force_y = 0;    // running mean of the force [N/m]
    double source = 0, vortex = 0;      // strengths [m^2/s], the vortex anticlockwise
    double dipole_x = 0, dipole_y = 0;  // A/pi times the stream relative to the body [m^3/s]
  };

  bool is_needed_;
  std::vector<Disturbance> bodies_;
  std::vector<ReproducibleSum> forces_;
};

}  // namespace eddyline::domain
