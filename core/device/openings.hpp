#pragma once
// The loops over the buffers of openings, whose particles the host moves, and over the nodes at which it samples the
// fluid.

#include <cstdint>

#include "device/delta_fluid.hpp"
#include "device/sums.hpp"

namespace eddyline::device {

/// The particles of buffers: the number of each, the axis of its opening, and its place across that axis [m].
template <int D>
struct MemberArrays {
  const std::int32_t* particle;
  const std::int32_t* axis;
  const double* place[D];
};

/// Clears what sweeps have summed for buffers, which must not move them.
template <class T, int D>
struct DiscardRates {
  FluidArrays<T, D> fluid;
  MemberArrays<D> members;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const std::int32_t i = members.particle[m];
    fluid.divergence()[i] = fluid.diffusion()[i] = T(0);
    for (int d = 0; d < D; ++d) fluid.viscous[d][i] = T(0);
  }
};
template <class T, int D>
struct DiscardForces {
  FluidArrays<T, D> fluid;
  MemberArrays<D> members;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const std::int32_t i = members.particle[m];
    for (int d = 0; d < D; ++d) fluid.pressure[d][i] = fluid.shift[d][i] = T(0);
  }
};

/// See OpeningStep::enforce_jet_cohesion().
template <class T, int D>
struct EnforceCohesion {
  FluidArrays<T, D> fluid;
  JetRoot jet;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    if (!(fluid.divergence()[i] > T(0) && fluid.s[i] <= 0)) return;
    const double depth = jet.inward * (fluid.x[jet.axis][i] - jet.lower[jet.axis]);
    bool near = depth >= 0 && depth < jet.reach;
    for (int d = 0; d < D; ++d)
      if (d != jet.axis)
        near = near && fluid.x[d][i] > jet.lower[d] - jet.reach && fluid.x[d][i] < jet.upper[d] + jet.reach;
    if (near) fluid.divergence()[i] = T(0);
  }
};

/// Moves buffers along the normals of their openings only.
template <class T, int D>
struct AlignMembers {
  FluidArrays<T, D> fluid;
  MemberArrays<D> members;
  FixedPoint fixed;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const std::int32_t i = members.particle[m];
    T* first = row_of<physics::delta::k_midpoint_width<D>>(fluid.rows, fluid.row_of(i)).first;
    for (int d = 0; d < D; ++d) {
      if (d == members.axis[m]) continue;
      fluid.x[d][i] = members.place[d][m];
      neighbors::PairData<T>::put_fixed(first + d, fixed.wrapped(fluid.x[d][i]));
    }
  }
};

/// Copies values of buffers side by side.
template <class X>
struct GatherMembers {
  const std::int32_t* particle;
  const X* from;
  X* to;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const { to[m] = from[particle[m]]; }
};
template <class X>
struct PutMembers {
  const std::int32_t* particle;
  const X* from;
  X* to;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const { to[particle[m]] = from[m]; }
};

/// Sets the rows of buffers at the midpoint, but density and volume.
template <class T, int D>
struct PutMidpointMembers {
  FluidArrays<T, D> fluid;
  const std::int32_t *particle, *place;  // place: D quanta each
  const T* v;                            // D each [c0]

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const std::int32_t i = particle[m];
    const auto row = row_of<physics::delta::k_midpoint_width<D>>(fluid.rows, fluid.row_of(i));
    for (int d = 0; d < D; ++d) {
      neighbors::PairData<T>::put_fixed(row.first + d, place[D * m + d]);
      row[D + d] = v[D * m + d];
      row[2 * D + 2 + d] = fluid.half_g[d][i];
    }
  }
};

/// Sets pressure, volume and velocity in the rows of buffers at the end of the step.
template <class T, int D>
struct PutEndMembers {
  FluidArrays<T, D> fluid;
  const std::int32_t* particle;
  const T* values;  // D + 2 each

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t m) const {
    const auto row = row_of<physics::delta::k_midpoint_width<D>>(fluid.rows, fluid.row_of(particle[m]));
    for (int k = 0; k < D + 2; ++k) row.first[D + k] = values[(D + 2) * m + k];
  }
};

template <class T, int D>
struct SumNodes {
  DeviceInput<T> in;
  physics::NodeResults<T, D> out;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    physics::delta::nodes_of<Pack<T, 1>, D>(in, out, k / k_chunk, static_cast<int>(k % k_chunk));
  }
};

}  // namespace eddyline::device
