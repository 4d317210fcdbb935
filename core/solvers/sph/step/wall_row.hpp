#pragma once
// Values that both schemes write into the row of a dummy particle, from its sums over the fluid around it (Adami).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/vec.hpp"
#include "domain/walls.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/walls/adami.hpp"
#include "solvers/sph/lists/schedule.hpp"

namespace eddyline::sph {

using domain::WallState;

/// A block of wall particles: sums over the fluid around them, then the values extrapolated from these.
template <class T, int D>
struct WallBlock {
  static constexpr std::size_t k_size = k_block * neighbors::k_chunk;
  alignas(64) T weight[k_size], pressure[k_size], density[k_size];  // density: used by the scheme classic
  T lever[D][k_size], velocity[D][k_size];
  T g[D][k_size];  // acceleration that drives the fluid there, relative to the wall [c0^2/R]

  bool is_wet(std::size_t l) const { return weight[l] > T(0); }

  /// Sets g of the first n particles: of(l) if fluid is near.
  template <class Of>
  void set_g(std::size_t n, Of&& of) {
    for (std::size_t l = 0; l < n; ++l) {
      const Vec3 here = is_wet(l) ? of(l) : Vec3{};
      for (int d = 0; d < D; ++d) g[d][l] = static_cast<T>(here[d]);
    }
  }
  /// Replaces the sums of pressure of the first n particles by pressures: means, plus the contribution of g along the
  /// lever; 0 where no fluid is near. Not negative if there may be a free surface.
  void find_pressures(std::size_t n, bool free_surface) {
    const T least = free_surface ? T(0) : std::numeric_limits<T>::lowest();
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) {
      T here[D], arm[D];
      for (int d = 0; d < D; ++d) here[d] = g[d][l], arm[d] = lever[d][l];
      pressure[l] = physics::wall_pressure<D>(weight[l], pressure[l], here, arm, least);
    }
  }

  /// Changes the sums of velocities of the first n particles as if the wall's rotation, of(l) [c0/R], had carried the
  /// fluid to the wall: fluid that turns with a body does not slide along it. Called before find_pressures().
  template <class Of>
  void turn_velocities(std::size_t n, Of&& of) {
    for (std::size_t l = 0; l < n; ++l) {
      if (!is_wet(l)) continue;
      const Vec3 angular_velocity = of(l);
      if (angular_velocity == Vec3{}) continue;
      T arm[D], v[D];
      for (int d = 0; d < D; ++d) arm[d] = lever[d][l], v[d] = velocity[d][l];
      physics::turn_velocity<D>(angular_velocity, weight[l], pressure[l], arm, v);
      for (int d = 0; d < D; ++d) velocity[d][l] = v[d];
    }
  }

  /// Replaces the sums of velocities by the velocities that viscous terms use: those of the walls, [first, first + n)
  /// of the state, or the fluid's velocity mirrored at walls to which it sticks.
  void mirror_velocities(const WallState<D>& wall, std::size_t first, std::size_t n, double inverse_c0) {
    const std::uint8_t* no_slip = wall.no_slip.data() + first;
    for (int d = 0; d < D; ++d) {
      T v_wall[k_size] = {};
      for (std::size_t l = 0; wall.can_move && l < n; ++l)
        v_wall[l] = static_cast<T>(wall.v[d][first + l] * inverse_c0);
#pragma omp simd
      for (std::size_t l = 0; l < n; ++l)
        velocity[d][l] = physics::mirrored_velocity(weight[l], velocity[d][l], v_wall[l], no_slip[l] != 0);
    }
  }

  /// Writes the velocities of particle l, which is the k-th of the state, into its row.
  void write_velocities(const neighbors::RowParts<T>& row, const WallState<D>& wall, std::size_t k, std::size_t l,
                        double inverse_c0) const {
    for (int d = 0; d < D; ++d) row[D + 2 + d] = velocity[d][l];
    if (!wall.can_move) return;  // rows begin with zeros
    for (int d = 0; d < D; ++d) row[2 * D + 2 + d] = static_cast<T>(wall.v[d][k] * inverse_c0);
  }
};

}  // namespace eddyline::sph
