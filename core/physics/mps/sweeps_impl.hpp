#pragma once
// Implementation of the sweeps as templates over the pack type P, the dimension D and the weights W. Included by
// flavours/ only.

#include "neighbors/for_each_pair.hpp"
#include "physics/mps/sweeps.hpp"
#include "physics/mps/terms.hpp"

namespace eddyline::physics::mps {

using neighbors::for_each_neighbor;
using neighbors::for_each_part;
using neighbors::load_values;
using neighbors::put;
using neighbors::RowParts;

template <class P, int D>
EDDYLINE_INLINE Fluid<P, D> load_fluid(const RowParts<const float>& rows, const std::int32_t* place) {
  Fluid<P, D> f;
  P value[neighbors::k_first_part];
  load_values<FluidColumns<D>::k_width>(rows, place, value);
  for (int d = 0; d < D; ++d) f.x[d] = value[d], f.u[d] = value[FluidColumns<D>::k_velocity + d];
  f.p = value[FluidColumns<D>::k_pressure];
  f.share = value[FluidColumns<D>::k_share];
  return f;
}

template <class P, int D>
EDDYLINE_INLINE Wall<P, D> load_wall(const RowParts<const float>& rows, const std::int32_t* place) {
  Wall<P, D> w;
  P value[neighbors::room_of(WallColumns<D>::k_width)];
  load_values<WallColumns<D>::k_width>(rows, place, value);
  w.V = value[WallColumns<D>::k_volume];
  for (int d = 0; d < D; ++d) {
    w.x[d] = value[d];
    w.v[d] = value[WallColumns<D>::k_velocity + d];
    w.mirrored[d] = value[WallColumns<D>::k_mirrored + d];
    w.drive[d] = value[WallColumns<D>::k_drive + d];
  }
  w.no_slip = value[WallColumns<D>::k_no_slip];
  return w;
}

/// Calls body(at, i) for each part of the chunks, where i has been loaded from its row.
template <class P, class Load, class Body>
EDDYLINE_INLINE void for_each_target(const Input& in, std::int64_t first, std::int64_t last, Load&& load, Body&& body) {
  for (std::int64_t c = first; c < last; ++c)
    for_each_part<P>([&](int part) {
      const std::int64_t at = c * neighbors::k_chunk + part;
      body(c, part, at, load(in.targets.template places<P::width>(at).data()));
    });
}

enum class Friction { none, central, laplacian };

template <class P, int D, class W, Friction friction>
void neighborhoods(const Input& in, const Neighborhoods<D>& out, std::int64_t first, std::int64_t last) {
  const P scale(in.scale), cut(in.cut);
  const auto load = [&](const std::int32_t* places) { return load_fluid<P, D>(in.fluid, places); };
  for_each_target<P>(in, first, last, load, [&](std::int64_t c, int part, std::int64_t at, const Fluid<P, D>& i) {
    P density(0), laplacian(0), concentration[D], moment[k_moments<D>], viscous[D];
    const auto add = [&](const P* x_j, P V) __attribute__((always_inline)) {
      const auto ij = make_pair<W, P, D>(i.x, x_j, scale, cut);
      density = fma(V, ij.w.N, density);
      laplacian = fma(V, ij.w.A, laplacian);
      const P VB = V * ij.w.B;
      for (int d = 0; d < D; ++d) concentration[d] = fma(VB, ij.r[d], concentration[d]);
      add_moments<D>(moment, VB, ij.r);
      return ij;
    };
    const auto rub = [&](const Pair<P, D>& ij, P V, const P* u_j) __attribute__((always_inline)) {
      P u[D];
      for (int d = 0; d < D; ++d) u[d] = u_j[d] - i.u[d];
      friction == Friction::central ? viscosity_central<D>(viscous, V * ij.w.B, u, ij)
                                    : viscosity_laplacian<D>(viscous, V * ij.w.A, u);
    };
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part, [&](auto* places) { return load_fluid<P, D>(in.fluid, places); },
        [&](const Fluid<P, D>& j) __attribute__((always_inline)) {
          const auto ij = add(j.x, j.share);
          if constexpr (friction != Friction::none) rub(ij, j.share, j.u);
        });
    for_each_neighbor<P>(
        in.wall_neighbors[c], part, [&](auto* places) { return load_wall<P, D>(in.walls, places); },
        [&](const Wall<P, D>& w) __attribute__((always_inline)) {
          const auto ij = add(w.x, w.V);
          if constexpr (friction != Friction::none) rub(ij, w.V * w.no_slip, w.mirrored);
        });
    put(density, out.density + at);
    put(laplacian, out.laplacian + at);
    for (int d = 0; d < D; ++d) put(concentration[d], out.concentration[d] + at);
    for (int k = 0; k < k_moments<D>; ++k) put(moment[k], out.moment[k] + at);
    if constexpr (friction != Friction::none)
      for (int d = 0; d < D; ++d) put(viscous[d], out.viscous[d] + at);
  });
}

/// Takes the entries of the lanes of a pack. Packed, it leaves out those that are 0. `part`: its first lane.
template <class P, bool packed>
class MatrixLanes {
 public:
  EDDYLINE_INLINE MatrixLanes(const Matrix& matrix, std::int64_t chunk, int part)
      : values_(matrix.values + matrix.first[chunk] + part), places_(matrix.places + matrix.first[chunk] + part) {
    for (int l = 0; l < P::width; ++l) next_[l] = l;
  }

  EDDYLINE_INLINE void add(P a, const std::int32_t* places) {
    if constexpr (packed) {
      float value[P::width];
      a.store(value);
      for (int l = 0; l < P::width; ++l) values_[next_[l]] = value[l], places_[next_[l]] = places[l];
      for (int l = 0; l < P::width; ++l) next_[l] += value[l] != 0 ? neighbors::k_chunk : 0;
    } else {
      a.store(values_);
      values_ += neighbors::k_chunk;
    }
  }
  /// Places of the next entry of each lane, from the first of lane 0.
  EDDYLINE_INLINE const std::int32_t* next() const { return next_; }

 private:
  float* values_;
  std::int32_t* places_;
  std::int32_t next_[P::width];
};

/// Pads the lanes of a chunk, which have the places `own` and whose next entries would be at `next`.
inline void pad(const Matrix& matrix, std::int64_t chunk, const std::int32_t* own, const std::int32_t* next) {
  std::int32_t length = 0;
  for (int lane = 0; lane < neighbors::k_chunk; ++lane)
    length = next[lane] / neighbors::k_chunk > length ? next[lane] / neighbors::k_chunk : length;
  for (int lane = 0; lane < neighbors::k_chunk; ++lane)
    for (std::int32_t e = next[lane]; e < length * neighbors::k_chunk; e += neighbors::k_chunk)
      matrix.values[matrix.first[chunk] + e] = 0, matrix.places[matrix.first[chunk] + e] = own[lane];
  matrix.lengths[chunk] = length;
}

template <class P, int D, class W, bool packed>
void equation_of_chunk(const Input& in, const Equation<D>& out, std::int64_t chunk) {
  const P scale(in.scale), cut(in.cut);
  const auto load = [&](const std::int32_t* places) { return load_fluid<P, D>(in.fluid, places); };
  std::int32_t next[neighbors::k_chunk];
  for_each_target<P>(in, chunk, chunk + 1, load, [&](std::int64_t c, int part, std::int64_t at, const Fluid<P, D>& i) {
    P divergence(0), walls(0);
    MatrixLanes<P, packed> matrix(out.matrix, c, part);
    const std::int32_t* places_of_j = in.fluid_neighbors[c].entries + part;
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part, [&](auto* places) { return load_fluid<P, D>(in.fluid, places); },
        [&](const Fluid<P, D>& j) __attribute__((always_inline)) {
          const auto ij = make_pair<W, P, D>(i.x, j.x, scale, cut);
          const P share = i.share * j.share;
          divergence = fma(share * ij.w.divergence, along<D>(j.u, i.u, ij.r), divergence);
          matrix.add(share * ij.w.A, places_of_j);
          places_of_j += neighbors::k_chunk;
        });
    for_each_neighbor<P>(
        in.wall_neighbors[c], part, [&](auto* places) { return load_wall<P, D>(in.walls, places); },
        [&](const Wall<P, D>& w) __attribute__((always_inline)) {
          const auto ij = make_pair<W, P, D>(i.x, w.x, scale, cut);
          const P share = i.share * w.V;
          divergence = fma(share * ij.w.divergence, along<D>(w.v, i.u, ij.r), divergence);
          walls = fma(share * ij.w.A, dot<D>(w.drive, ij.r), walls);
        });
    put(divergence, out.divergence + at);
    put(walls, out.walls + at);
    for (int l = 0; l < P::width; ++l) next[part + l] = part + matrix.next()[l];
  });
  if constexpr (packed)
    pad(out.matrix, chunk, in.targets.template places<neighbors::k_chunk>(chunk * neighbors::k_chunk).data(), next);
  else
    out.matrix.lengths[chunk] = in.fluid_neighbors[chunk].length;
}

template <class P, int D, class W>
void equation(const Input& in, const Equation<D>& out, std::int64_t first, std::int64_t last) {
  const auto of_chunk =
      out.matrix.lists == nullptr ? equation_of_chunk<P, D, W, true> : equation_of_chunk<P, D, W, false>;
  for (std::int64_t c = first; c < last; ++c) of_chunk(in, out, c);
}

template <class P, int D, class W, bool sums>
void gradient(const Input& in, const Gradient<D>& out, std::int64_t first, std::int64_t last) {
  const P scale(in.scale), cut(in.cut), least(in.least_wall_pressure);
  const auto load = [&](const std::int32_t* places) { return load_fluid<P, D>(in.fluid, places); };
  for_each_target<P>(in, first, last, load, [&](std::int64_t c, int part, std::int64_t at, const Fluid<P, D>& i) {
    P sum[D], highest = P(0) - i.p;  // of -p
    const auto add = [&](const Pair<P, D>& ij, P V, P p) __attribute__((always_inline)) {
      const P VBp = V * ij.w.B * (sums ? i.p + p : p - i.p);
      for (int d = 0; d < D; ++d) sum[d] = fma(VBp, ij.r[d], sum[d]);
      if constexpr (!sums) highest = select(V * ij.w.B > P(0), max(highest, P(0) - p), highest);
    };
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part, [&](auto* places) { return load_fluid<P, D>(in.fluid, places); },
        [&](const Fluid<P, D>& j)
            __attribute__((always_inline)) { add(make_pair<W, P, D>(i.x, j.x, scale, cut), i.share * j.share, j.p); });
    for_each_neighbor<P>(
        in.wall_neighbors[c], part, [&](auto* places) { return load_wall<P, D>(in.walls, places); },
        [&](const Wall<P, D>& w) __attribute__((always_inline)) {
          const auto ij = make_pair<W, P, D>(i.x, w.x, scale, cut);
          add(ij, i.share * w.V, max(i.p + dot<D>(w.drive, ij.r), least));
        });
    for (int d = 0; d < D; ++d) put(sum[d], out.sum[d] + at);
    if constexpr (!sums) put(P(0) - highest, out.lowest + at);
  });
}

template <class P, int D, class W>
void walls(const Input& in, const WallMeans<D>& out, std::int64_t first, std::int64_t last) {
  const P scale(in.scale), cut(in.cut);
  const auto load = [&](const std::int32_t* places) { return load_wall<P, D>(in.walls, places); };
  for_each_target<P>(in, first, last, load, [&](std::int64_t c, int part, std::int64_t at, const Wall<P, D>& w) {
    P weight(0), pressure(0), velocity[D];
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part, [&](auto* places) { return load_fluid<P, D>(in.fluid, places); },
        [&](const Fluid<P, D>& j) __attribute__((always_inline)) {
          const auto wj = make_pair<W, P, D>(w.x, j.x, scale, cut);
          const P share = j.share * wj.w.N;
          weight = weight + share;
          pressure = fma(share, j.p - dot<D>(w.drive, wj.r), pressure);
          for (int d = 0; d < D; ++d) velocity[d] = fma(share, j.u[d], velocity[d]);
        });
    put(weight, out.weight + at);
    put(pressure, out.pressure + at);
    for (int d = 0; d < D; ++d) put(velocity[d], out.velocity[d] + at);
  });
}

template <class P, int D, class W, Friction friction>
void reactions(const Input& in, const Reactions<D>& out, std::int64_t first, std::int64_t last) {
  const P scale(in.scale), cut(in.cut), least(in.least_wall_pressure);
  const auto load = [&](const std::int32_t* places) { return load_wall<P, D>(in.walls, places); };
  for_each_target<P>(in, first, last, load, [&](std::int64_t c, int part, std::int64_t at, const Wall<P, D>& w) {
    P pressure[D], viscous[D];
    const P sticks = w.V * w.no_slip;
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part, [&](auto* places) { return load_fluid<P, D>(in.fluid, places); },
        [&](const Fluid<P, D>& j) __attribute__((always_inline)) {
          const auto wj = make_pair<W, P, D>(w.x, j.x, scale, cut);  // r from the wall to the fluid
          const P p = max(j.p - dot<D>(w.drive, wj.r), least);
          const P VBp = j.share * w.V * wj.w.B * (j.p + p);
          P u[D];
          for (int d = 0; d < D; ++d) {
            pressure[d] = fma(P(0) - VBp, wj.r[d], pressure[d]);
            u[d] = j.u[d] - w.mirrored[d];
          }
          friction == Friction::central ? viscosity_central<D>(viscous, sticks * j.share * wj.w.B, u, wj)
                                        : viscosity_laplacian<D>(viscous, sticks * j.share * wj.w.A, u);
        });
    for (int d = 0; d < D; ++d) put(pressure[d], out.pressure[d] + at), put(viscous[d], out.viscous[d] + at);
  });
}

template <class P, int D>
Sweeps<D> make_sweeps(Weights weights) {
  return with_weights(weights, [](auto policy) {
    using W = decltype(policy);
    return Sweeps<D>{neighborhoods<P, D, W, Friction::none>,
                     neighborhoods<P, D, W, Friction::central>,
                     neighborhoods<P, D, W, Friction::laplacian>,
                     equation<P, D, W>,
                     gradient<P, D, W, true>,
                     gradient<P, D, W, false>,
                     walls<P, D, W>,
                     reactions<P, D, W, Friction::central>,
                     reactions<P, D, W, Friction::laplacian>};
  });
}

}  // namespace eddyline::physics::mps
