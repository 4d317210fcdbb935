#pragma once
// Input of a sweep over pairs for terms: rows of particles, their lists and the units of a world.

#include <cstdint>

#include "neighbors/for_each_pair.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"

namespace eddyline::physics::terms {

/// A pair interacts while it is nearer than R at the end of the step; places are those at the end, velocities and
/// densities those of the midpoint.
template <class T>
struct PairInput {
  neighbors::RowParts<const T> rows;  // of the midpoint of a step, see delta::k_midpoint_width
  neighbors::Targets targets;
  const neighbors::Chunk* neighbors = nullptr;
  const double* x[3] = {};  // places of the targets at the start of the step [m]
  double path = 0;          // dt c0: from a velocity in a row to the way in a step [m]
  double time = 0;          // at the end of the step [s]
  T quantum = 0, half_path = 0;
  T inverse_radius = 0;                                            // 1/R [1/m]
  T kernel = 0, slope = 0;                                         // of W and dW/dr: sigma / R^D, -20 sigma / R^(D + 1)
  T sound_speed = 0, density = 0, sound_pressure = 0, volume = 0;  // c0, rho0, rho0 c0^2, dx^D
  T per_unit = 0;                                                  // 1 / unit of the sums that are added to [s^2/m]
};

/// Values of a row of the midpoint.
template <class P, int D>
struct Member {
  P x[D], v[D], s, V;

  EDDYLINE_INLINE Member(const neighbors::RowParts<const typename P::value_type>& rows, const std::int32_t* place) {
    P value[neighbors::k_first_part];
    neighbors::load_values<2 * D + 2>(rows, place, value);
    for (int d = 0; d < D; ++d) x[d] = value[d], v[d] = value[D + d];
    s = value[2 * D], V = value[2 * D + 1];
  }
};

/// Places of a pack of targets, of which `first` is the first, at the end of the step [m].
template <class P, int D, class Fluid, class T = typename P::value_type>
EDDYLINE_INLINE void find_places(const PairInput<T>& in, std::int64_t first, const Fluid& i, P* place) {
  for (int d = 0; d < D; ++d) {
    T way[P::width], x[P::width];
    i.v[d].store(way);
    for (int l = 0; l < P::width; ++l) {
      const bool is_there = first + l < in.targets.count;
      x[l] = is_there ? static_cast<T>(in.x[d][first + l] + in.path * static_cast<double>(way[l])) : T(0);
    }
    place[d] = P::load(x);
  }
}

/// Subtracts the accelerations by the summed forces on a pack of targets from out[d].
template <class P, int D, class Fluid, class T = typename P::value_type>
EDDYLINE_INLINE void subtract_accelerations(const PairInput<T>& in, std::int64_t first, const Fluid& i, const P* force,
                                            T* const* out) {
  const P zero(0), one(1);
  const P mass = (one + i.s) * P(in.density) * (i.V * P(in.volume)), exists = select(i.V > zero, one, zero);
  for (int d = 0; d < D; ++d) {
    const P acceleration = select(exists > zero, force[d] / mass, zero);
    neighbors::put(P::load(out[d] + first) - acceleration * P(in.per_unit), out[d] + first);
  }
}

}  // namespace eddyline::physics::terms
