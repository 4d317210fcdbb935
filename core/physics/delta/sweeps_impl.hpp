#pragma once
// Implementation of the sweeps as templates over the pack type P and the dimension D. Included by flavours/ and by
// devices, which call the functions of one part of a chunk: NAME_of(in, out, c, part) computes the lanes of chunk c
// from lane `part` on. Devices have lists of their own kind, and an input with them.

#include "neighbors/for_each_pair.hpp"
#include "neighbors/row_source.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/sph/continuity.hpp"
#include "physics/sph/density_diffusion.hpp"
#include "physics/sph/free_surface.hpp"
#include "physics/sph/pressure.hpp"
#include "physics/sph/shifting.hpp"
#include "physics/sph/viscosity.hpp"
#include "physics/sph/volume_fraction.hpp"
#include "physics/walls/adami.hpp"

namespace eddyline::physics::delta {

using neighbors::for_each_neighbor;
using neighbors::for_each_part;
using neighbors::load_values;
using neighbors::OwnNeighbors;
using neighbors::put;
using neighbors::put_whole;
using neighbors::RowParts;
using neighbors::SameNeighbors;

template <class P, int D, bool confined, class Source = OwnNeighbors>
EDDYLINE_INLINE MidpointFluid<P, D> load_midpoint(const RowParts<const typename P::value_type>& rows,
                                                  const std::int32_t* place) {
  MidpointFluid<P, D> f;
  P value[neighbors::room_of(k_midpoint_width<D>)];
  Source::template load<k_midpoint_width<D>>(rows, place, value);
  for (int d = 0; d < D; ++d) {
    f.x[d] = value[d];
    f.v[d] = value[D + d];
    if constexpr (confined)
      Source::split(value[2 * D + 2 + d], f.half_g[d], f.w[d]);
    else
      f.half_g[d] = value[2 * D + 2 + d];
  }
  f.s = value[2 * D];
  f.V = value[2 * D + 1];
  return f;
}

template <class P, int D, class Source = OwnNeighbors>
EDDYLINE_INLINE EndFluid<P, D> load_end(const RowParts<const typename P::value_type>& rows, const std::int32_t* place) {
  EndFluid<P, D> f;
  P value[8];
  Source::template load<D + 2>(rows, place, value);
  for (int d = 0; d < D; ++d) f.x[d] = value[d];
  f.p = value[D];
  f.V = value[D + 1];
  return f;
}

template <class P, int D>
EDDYLINE_INLINE SampledFluid<P, D> load_sampled(const RowParts<const typename P::value_type>& rows,
                                                const std::int32_t* place) {
  SampledFluid<P, D> f;
  P value[8];
  load_values<k_end_width<D>>(rows, place, value);
  for (int d = 0; d < D; ++d) {
    f.x[d] = value[d];
    f.v[d] = value[D + 2 + d];
  }
  f.p = value[D];
  f.V = value[D + 1];
  return f;
}

template <class P, int D>
EDDYLINE_INLINE Wall<P, D> load_wall(const RowParts<const typename P::value_type>& rows, const std::int32_t* place) {
  Wall<P, D> w;
  P value[neighbors::room_of(k_wall_width<D>)];
  load_values<k_wall_width<D>>(rows, place, value);
  for (int d = 0; d < D; ++d) {
    w.x[d] = value[d];
    w.v_mirror[d] = value[D + 2 + d];
    w.v[d] = value[2 * D + 2 + d];
  }
  w.p = value[D];
  w.V = value[D + 1];
  w.no_slip = value[3 * D + 2];
  return w;
}

/// A guest of a sweep of rates that does nothing. physics/terms has one that adds forces by formulas.
struct NoTerms {
  template <class Fluid>
  EDDYLINE_INLINE void begin(const Fluid&, std::int64_t) {}
  /// Calls sum(chunk) with the neighbours of a chunk, as many at a time as take part together.
  template <class Chunk, class Sum>
  EDDYLINE_INLINE void for_each_batch(const Chunk& chunk, Sum&& sum) {
    sum(chunk);
  }
  /// Takes a pair: the neighbour, r_i - r_j in quanta and v_i - v_j.
  template <class Fluid, class P>
  EDDYLINE_INLINE void take(const Fluid&, const P*, const P*) {}
  template <class Fluid, class T>
  EDDYLINE_INLINE void end(const Fluid&, std::int64_t, T* const*) {}
};

template <class P, int D, FluidViscosity viscosity, class Source = OwnNeighbors, class T = typename P::value_type,
          class Input = SweepInput<T>, class Terms = NoTerms>
EDDYLINE_INLINE void rates_of(const Input& in, const RateResults<T, D>& out, std::int64_t c, int part,
                              Terms&& terms = Terms()) {
  constexpr bool confined = viscosity == FluidViscosity::morris;
  const T unit = confined ? T(1) : in.scale * in.scale;  // unit of viscous sums: the central form sums in quanta
  const P scale(in.scale), squared_scale(in.scale * in.scale), nu_fluid(in.nu_fluid), nu_wall(in.nu_wall);
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto i = load_midpoint<P, D, confined>(in.midpoint_fluid, in.targets.template places<P::width>(at).data());
  P divergence(0), diffusion(0), viscous[D], at_walls[D], dissipation(0);

  terms.begin(i, at);
  terms.for_each_batch(in.fluid_neighbors[c], [&](const auto& chunk) __attribute__((always_inline)) {
    for_each_neighbor<P>(
        chunk, part,
        [&](auto* places) __attribute__((always_inline)) {
          Source::template prefetch<k_midpoint_width<D>, P>(in.midpoint_fluid, places, in.prefetch_distance);
          return load_midpoint<P, D, confined, Source>(in.midpoint_fluid, places);
        },
        [&](const auto& j) __attribute__((always_inline)) {
          const auto ij = make_quanta_pair<P, D>(i.x, j.x, squared_scale);
          P v_ij[D];
          for (int d = 0; d < D; ++d) v_ij[d] = i.v[d] - j.v[d];
          const P v_r = dot<D>(v_ij, ij.r), VF = j.V * ij.F;
          density_diffusion<D>(diffusion, VF, i.s, j.s, i.half_g, j.half_g, ij.r);
          if constexpr (confined) {
            continuity(divergence, VF, v_r);
            viscosity_morris<D>(viscous, VF * (nu_fluid - shifting_transport<D>(i.w, j.w, ij.r)), v_ij);
          } else {
            const P VFv_r = VF * v_r;
            continuity(divergence, VFv_r);
            viscosity_central<D>(viscous, VFv_r, ij.r);
            dissipation_central(dissipation, VFv_r, v_r);
          }
          terms.take(j, ij.r, v_ij);
        });
  });

  const P divergence_of_fluid = divergence;
  for_each_neighbor<P>(
      in.wall_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_wall<P, D>(in.walls, places); },
      [&](const auto& w) __attribute__((always_inline)) {
        const auto iw = make_quanta_pair<P, D>(i.x, w.x, squared_scale);
        P v_iw[D], v_viscous[D];
        for (int d = 0; d < D; ++d) {
          v_iw[d] = i.v[d] - w.v[d];
          v_viscous[d] = i.v[d] - w.v_mirror[d];
        }
        const P VF = w.V * iw.F;
        continuity(divergence, VF, dot<D>(v_iw, iw.r));
        density_diffusion<D>(diffusion, VF, i.s, w.p, i.half_g, i.half_g, iw.r);
        if constexpr (confined) {
          viscosity_morris<D>(viscous, VF * w.no_slip * (nu_wall - dot<D>(i.w, iw.r)), v_viscous);
        } else {
          const P v_r = dot<D>(v_viscous, iw.r), VFv_r = VF * w.no_slip * v_r;
          viscosity_central<D>(at_walls, VFv_r, iw.r);
          dissipation_central(dissipation, VFv_r, v_r);
        }
      });

  if constexpr (!confined) {
    const P unpressed = divergence_to_zero_pressure(i.s, diffusion * P(in.diffusion), P(in.per_step)) / scale;
    divergence = limit_wall_expansion(divergence, divergence_of_fluid, unpressed);
  }
  put(divergence * scale, out.divergence + at);
  put(diffusion, out.diffusion + at);
  // The divisor is the density from which the volumes were computed, so that the force stays antisymmetric.
  const P per_density = P(unit) / (P(1) + i.s);
  for (int d = 0; d < D; ++d) {
    if constexpr (!confined) viscous[d] = fma(viscous[d], nu_fluid, at_walls[d] * nu_wall);
    put(viscous[d] * per_density, out.viscous[d] + at);
  }
  if constexpr (!confined) put(dissipation * squared_scale, out.dissipation + at);
  terms.end(i, at, out.viscous);
}

template <class P, int D, FluidViscosity viscosity, class Source = OwnNeighbors, class T = typename P::value_type>
void rates(const SweepInput<T>& in, const RateResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { rates_of<P, D, viscosity, Source>(in, out, c, part); });
}

template <class P, int D, bool free_surface, class Source = OwnNeighbors, class T = typename P::value_type,
          class Input = SweepInput<T>>
EDDYLINE_INLINE void forces_of(const Input& in, const ForceResults<T, D>& out, std::int64_t c, int part) {
  const P scale(in.scale), squared_scale(in.scale * in.scale), crowding(in.crowding * T(256));  // (W / 4)^4 = W^4 / 256
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto i = load_end<P, D>(in.end_fluid, in.targets.template places<P::width>(at).data());
  P pressure[D], shift[D], fraction(0);
  NeighborhoodSums<P, D> around{};

  const auto sum_over = [&](const auto& neighbors, P p_i, auto&& load) __attribute__((always_inline)) {
    P concentration[D];
    for_each_neighbor<P>(neighbors, part, load, [&](const auto& j) __attribute__((always_inline)) {
      const auto ij = make_quanta_pair<P, D>(i.x, j.x, squared_scale);
      const P VF = j.V * ij.F, quarter_W = WendlandC2::quarter(ij.rest);
      P VFr[D];
      for (int d = 0; d < D; ++d) {
        VFr[d] = VF * ij.r[d];
        concentration[d] = concentration[d] + VFr[d];
      }
      pressure_of_neighbor<D>(pressure, j.p, VFr);
      shifting_pair<D>(shift, quarter_W, VFr);
      volume_fraction(fraction, j.V, j.p, quarter_W);  // p = s in these units
      if constexpr (free_surface) add_to_moments(around, VFr, ij.r);
    });
    pressure_of_itself<D>(pressure, p_i, concentration);
    for (int d = 0; d < D; ++d) around.concentration[d] = around.concentration[d] + concentration[d];
  };
  sum_over(in.fluid_neighbors[c], i.p, [&](auto* places) __attribute__((always_inline)) {
    Source::template prefetch<D + 2, P>(in.end_fluid, places, in.prefetch_distance);
    return load_end<P, D, Source>(in.end_fluid, places);
  });
  // Walls do not attract spray that has negative pressure.
  sum_over(in.wall_neighbors[c], max(i.p, P(in.min_pressure_at_walls)),
           [&](auto* places) __attribute__((always_inline)) { return load_wall<P, D>(in.walls, places); });
  shift_by<D>(shift, crowding, around.concentration);

  P surface(0);
  if constexpr (free_surface) surface = limit_at_surface(around, P(in.kernel_constant) * squared_scale, scale, shift);
  if (out.volume_fraction != nullptr) put(fraction * P(4), out.volume_fraction + at);
  for (int d = 0; d < D; ++d) {
    put(pressure[d] * scale, out.pressure[d] + at);
    put(shift[d] * scale, out.shift[d] + at);
  }
  put_whole(surface, out.surface + at);
}

template <class P, int D, bool free_surface, class Source = OwnNeighbors, class T = typename P::value_type>
void forces(const SweepInput<T>& in, const ForceResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { forces_of<P, D, free_surface, Source>(in, out, c, part); });
}

template <class P, int D, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void walls_of(const Input& in, const WallResults<T, D>& out, std::int64_t c, int part,
                              std::int64_t to) {
  const P squared_scale(in.scale * in.scale), whole(4), scale(4 * in.scale);  // sums are weighted by W / 4
  const std::int64_t at = c * neighbors::k_chunk + part;
  WallSums<P, D> sum{};
  if (in.fluid_neighbors[c].length > 0) {
    const auto w = load_wall<P, D>(in.walls, in.targets.template places<P::width>(at).data());
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part,
        [&](auto* places) __attribute__((always_inline)) { return load_sampled<P, D>(in.end_fluid, places); },
        [&](const auto& f) __attribute__((always_inline)) {
          extrapolate_to_wall(sum, f, make_quanta_pair<P, D>(w.x, f.x, squared_scale));
        });
  }
  put(sum.weight * whole, out.weight + to);
  put(sum.pressure * whole, out.pressure + to);
  for (int d = 0; d < D; ++d) {
    put(sum.lever[d] * scale, out.lever[d] + to);
    put(sum.velocity[d] * whole, out.velocity[d] + to);
  }
}

template <class P, int D, class T = typename P::value_type>
void walls(const SweepInput<T>& in, const WallResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) {
    walls_of<P, D>(in, out, c, part, (c - first_chunk) * neighbors::k_chunk + part);
  });
}

template <class P, int D, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void nodes_of(const Input& in, const NodeResults<T, D>& out, std::int64_t c, int part) {
  const P scale(in.scale);
  const std::int64_t at = c * neighbors::k_chunk + part;
  P x[4];
  load_values<k_node_width<D>>(in.nodes, in.targets.template places<P::width>(at).data(), x);
  LinearFitSums<P, D> sum{};
  for_each_neighbor<P>(
      in.fluid_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_sampled<P, D>(in.end_fluid, places); },
      [&](const auto& f) __attribute__((always_inline)) { add_to_fit(sum, f, make_pair<P, D>(x, f.x, scale)); });
  for (int k = 0; k < LinearFitSums<P, D>::k_values; ++k) put(sum.value[k], out.value[k] + at);
}

template <class P, int D, class T = typename P::value_type>
void nodes(const SweepInput<T>& in, const NodeResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) { nodes_of<P, D>(in, out, c, part); });
}

template <class P, int D, bool confined, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void viscous_reaction_of(const Input& in, const ReactionResults<T, D>& out, std::int64_t c, int part) {
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto w = load_wall<P, D>(in.walls, in.targets.template places<P::width>(at).data());
  P force[D];
  for_each_neighbor<P>(
      in.fluid_neighbors[c], part,
      [&](auto* places)
          __attribute__((always_inline)) { return load_midpoint<P, D, confined>(in.midpoint_fluid, places); },
      [&](const auto& f) __attribute__((always_inline)) {
        const auto fw = make_quanta_pair<P, D>(f.x, w.x, P(in.scale * in.scale));
        P v_viscous[D];
        for (int d = 0; d < D; ++d) v_viscous[d] = f.v[d] - w.v_mirror[d];
        const P VF = f.V * (w.V * fw.F) * w.no_slip;
        if constexpr (confined)
          viscosity_morris<D>(force, VF * (P(in.nu_wall) - dot<D>(f.w, fw.r)), v_viscous);
        else
          viscosity_central<D>(force, VF * P(in.nu_wall) * dot<D>(v_viscous, fw.r), fw.r);
      });
  const P unit(confined ? T(1) : in.scale * in.scale);
  for (int d = 0; d < D; ++d) put(force[d] * unit, out.force[d] + at);
}

template <class P, int D, bool confined, class T = typename P::value_type>
void viscous_reaction(const SweepInput<T>& in, const ReactionResults<T, D>& out, std::int64_t first_chunk,
                      std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { viscous_reaction_of<P, D, confined>(in, out, c, part); });
}

template <class P, int D, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void pressure_reaction_of(const Input& in, const ReactionResults<T, D>& out, std::int64_t c, int part) {
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto w = load_wall<P, D>(in.walls, in.targets.template places<P::width>(at).data());
  P force[D];
  for_each_neighbor<P>(
      in.fluid_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_end<P, D>(in.end_fluid, places); },
      [&](const auto& f) __attribute__((always_inline)) {
        const auto fw = make_quanta_pair<P, D>(f.x, w.x, P(in.scale * in.scale));
        pressure_symmetric<D>(force, f.V * (w.V * fw.F), max(f.p, P(in.min_pressure_at_walls)), w.p, fw.r);
      });
  for (int d = 0; d < D; ++d) put(force[d] * P(T(0) - in.scale), out.force[d] + at);
}

template <class P, int D, class T = typename P::value_type>
void pressure_reaction(const SweepInput<T>& in, const ReactionResults<T, D>& out, std::int64_t first_chunk,
                       std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { pressure_reaction_of<P, D>(in, out, c, part); });
}

/// Confined: the source of values for the sweeps of flows without a free surface.
template <class P, int D, class Confined = OwnNeighbors>
Sweeps<typename P::value_type, D> make_sweeps() {
  return {rates<P, D, FluidViscosity::morris, Confined>,
          rates<P, D, FluidViscosity::central>,
          forces<P, D, false, Confined>,
          forces<P, D, true>,
          walls<P, D>,
          nodes<P, D>,
          viscous_reaction<P, D, true>,
          viscous_reaction<P, D, false>,
          pressure_reaction<P, D>,
          {rates<P, D, FluidViscosity::morris, SameNeighbors>, forces<P, D, false, SameNeighbors>},
          {rates<P, D, FluidViscosity::central, SameNeighbors>, forces<P, D, true, SameNeighbors>}};
}

}  // namespace eddyline::physics::delta
