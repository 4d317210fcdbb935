#pragma once
// The loops over pairs, by the terms of physics/, and those of walls.

#include <cstdint>

#include "base/pack.hpp"
#include "device/delta_fluid.hpp"
#include "device/packed_list.hpp"
#include "device/walls.hpp"
#include "physics/delta/sweeps_impl.hpp"

namespace eddyline::device {

using neighbors::k_chunk;
using physics::delta::FluidViscosity;
using physics::delta::SweepInput;

template <class T>
using DeviceInput = WithPackedLists<SweepInput<T>>;

template <class T, int D, FluidViscosity viscosity>
struct SumRates {
  DeviceInput<T> in;
  physics::delta::RateResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    physics::delta::rates_of<Pack<T, 1>, D, viscosity>(in, out, i / k_chunk, static_cast<int>(i % k_chunk));
  }
};

template <class T, int D, bool free_surface>
struct SumForces {
  DeviceInput<T> in;
  physics::delta::ForceResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    physics::delta::forces_of<Pack<T, 1>, D, free_surface>(in, out, i / k_chunk, static_cast<int>(i % k_chunk));
  }
};

template <class T, int D, bool confined>
struct SumViscousReactions {
  DeviceInput<T> in;
  physics::delta::ReactionResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::delta::viscous_reaction_of<Pack<T, 1>, D, confined>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

template <class T, int D>
struct SumPressureReactions {
  DeviceInput<T> in;
  physics::delta::ReactionResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::delta::pressure_reaction_of<Pack<T, 1>, D>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

/// Pressure and velocities of a dummy particle, from its sums over the fluid.
template <class T, int D>
struct ExtrapolateToWalls {
  DeviceInput<T> in;
  WallArrays<T, D> walls;
  bool free_surface;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    T weight, pressure, lever[D], velocity[D];
    physics::delta::WallResults<T, D> sums{&weight, &pressure, {}, {}};
    for (int d = 0; d < D; ++d) sums.lever[d] = lever + d, sums.velocity[d] = velocity + d;
    physics::delta::walls_of<Pack<T, 1>, D>(in, sums, k / k_chunk, static_cast<int>(k % k_chunk), 0);
    if (weight > T(0) && walls.turn[0] != nullptr) {
      const Vec3 turn{walls.turn[0][k], walls.turn[1][k], walls.turn[2][k]};
      if (turn.x != 0 || turn.y != 0 || turn.z != 0) physics::turn_velocity<D>(turn, weight, pressure, lever, velocity);
    }
    walls.is_wet[k] = weight > T(0) ? 1 : 0;
    const auto row = row_of<physics::delta::k_wall_width<D>>(walls.rows, walls.row_of(k));
    write_extrapolated(walls, k, free_surface, row, WallSum<T, D>{weight, pressure, lever, velocity});
  }
};

template <class T, int D>
struct MovedArrays {
  const std::int32_t* moving;
  const std::int32_t* x[D];
  const T *V, *v[D];
};

/// Sets places of moving dummy particles; at the midpoint mirrored velocities change with those of the body.
template <class T, int D, bool at_midpoint>
struct MoveWalls {
  WallArrays<T, D> walls;
  MovedArrays<T, D> moved;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const auto row = row_of<physics::delta::k_wall_width<D>>(walls.rows, walls.row_of(moved.moving[m]));
    row[D + 1] = moved.V[m];
    for (int d = 0; d < D; ++d) {
      neighbors::PairData<T>::put_fixed(row.first + d, moved.x[d][m]);
      if (!at_midpoint) continue;
      row[D + 2 + d] += moved.v[d][m] - row[2 * D + 2 + d];
      row[2 * D + 2 + d] = moved.v[d][m];
    }
  }
};

}  // namespace eddyline::device
