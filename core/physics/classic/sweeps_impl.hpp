#pragma once
// Implementation of the sweeps as templates over the pack type P and the dimension D. Included by flavours/ and by
// devices, which call the functions of one part of a chunk: NAME_of(in, out, c, part) computes the lanes of chunk c
// from lane `part` on. Devices have lists of their own kind, and an input with them.

#include <utility>

#include "neighbors/for_each_pair.hpp"
#include "neighbors/row_source.hpp"
#include "physics/classic/states.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/classic/wall_sums.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/sph/artificial_conductivity.hpp"
#include "physics/sph/artificial_viscosity.hpp"
#include "physics/sph/continuity.hpp"
#include "physics/sph/continuity_monaghan.hpp"
#include "physics/sph/laminar_viscosity.hpp"
#include "physics/sph/position_divergence.hpp"
#include "physics/sph/pressure_monaghan.hpp"
#include "physics/sph/thermal_energy.hpp"
#include "physics/sph/xsph.hpp"

namespace eddyline::physics::classic {

using neighbors::for_each_neighbor;
using neighbors::for_each_part;
using neighbors::load_values;
using neighbors::OwnNeighbors;
using neighbors::put;
using neighbors::RowParts;
using neighbors::SameNeighbors;

template <class P, int D, class Source = OwnNeighbors>
EDDYLINE_INLINE Fluid<P, D> load_fluid(const RowParts<const typename P::value_type>& rows, const std::int32_t* place) {
  Fluid<P, D> f;
  P value[12];
  Source::template load<k_fluid_width<D>>(rows, place, value);
  for (int d = 0; d < D; ++d) {
    f.x[d] = value[d];
    f.v[d] = value[D + d];
  }
  f.m = value[2 * D];
  f.rho = value[2 * D + 1];
  f.p = value[2 * D + 2];
  f.c = value[2 * D + 3];
  return f;
}

template <class P, int D>
EDDYLINE_INLINE Wall<P, D> load_wall(const RowParts<const typename P::value_type>& rows, const std::int32_t* place) {
  Wall<P, D> w;
  P value[16];
  load_values<k_wall_width<D>>(rows, place, value);
  for (int d = 0; d < D; ++d) {
    w.x[d] = value[d];
    w.v_mirror[d] = value[D + 2 + d];
    w.v[d] = value[2 * D + 2 + d];
  }
  w.p = value[D];
  w.m = value[D + 1];
  w.no_slip = value[3 * D + 2];
  w.rho = value[3 * D + 3];
  w.c = value[3 * D + 4];
  return w;
}

/// The geometry of a pair, with the cubic spline's F.
template <class P, int D>
EDDYLINE_INLINE Pair<P, D> make_spline_pair(const P* x_i, const P* x_j, P scale) {
  auto ij = make_pair<P, D>(x_i, x_j, scale);
  ij.F = CubicSpline::gradient(ij.rest, ij.q);
  return ij;
}

/// The pressure term of a pair: weighted by mass in a liquid, by volume in a gas.
template <bool gas, class P>
EDDYLINE_INLINE P pair_pressure(P p_i, P p_j, P rho_i, P rho_j, P per_densities) {
  if constexpr (gas) return pressure_by_volume(p_i, p_j, per_densities);
  return pressure_monaghan(p_i, p_j, rho_i, rho_j, per_densities);
}

/// Pi of a pair of a fluid and a wall particle; zero at slip walls.
template <class P, int D>
EDDYLINE_INLINE P viscosity_at_wall(const Fluid<P, D>& i, const Wall<P, D>& w, const Pair<P, D>& iw, P alpha, P beta,
                                    P nu, P per_density) {
  P v_iw[D];
  for (int d = 0; d < D; ++d) v_iw[d] = i.v[d] - w.v_mirror[d];
  const P v_r = dot<D>(v_iw, iw.r);
  const P artificial = artificial_viscosity(alpha, beta, closing_speed(v_r, iw.r2), i.c, w.c, per_density);
  return (artificial + laminar_viscosity(nu, v_r, iw.r2, per_density)) * w.no_slip;
}

template <class P, int D, std::size_t choice, class Source = OwnNeighbors, class T = typename P::value_type,
          class Input = SweepInput<T>>
EDDYLINE_INLINE void rates_of(const Input& in, const RateResults<T, D>& out, std::int64_t c, int part) {
  // Not the whole Terms: compilers for devices do not know it as a constant in the loops below.
  constexpr bool laminar = Terms::at(choice).laminar_viscosity, gas = Terms::at(choice).gas,
                 drifts = Terms::at(choice).xsph;
  const P scale(in.scale), alpha(in.alpha), beta(in.beta), nu(in.nu), min_pressure(in.min_pressure_at_walls);
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto i = load_fluid<P, D>(in.fluid, in.targets.template places<P::width>(at).data());
  P density(0), heating(0), conduction(0), spread(0), closing(0), force[D], drift[D];

  for_each_neighbor<P>(
      in.fluid_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_fluid<P, D, Source>(in.fluid, places); },
      [&](const auto& j) __attribute__((always_inline)) {
        const auto ij = make_spline_pair<P, D>(i.x, j.x, scale);
        P v_ij[D];
        for (int d = 0; d < D; ++d) v_ij[d] = i.v[d] - j.v[d];
        const P v_r = dot<D>(v_ij, ij.r);
        const P per_density = P(2) / (i.rho + j.rho), per_densities = P(1) / (i.rho * j.rho);
        const P mu = closing_speed(v_r, ij.r2);
        P pressure = pair_pressure<gas>(i.p, j.p, i.rho, j.rho, per_densities) +
                     artificial_viscosity(alpha, beta, mu, i.c, j.c, per_density);
        if constexpr (laminar) pressure = pressure + laminar_viscosity(nu, v_r, ij.r2, per_density);
        const P f = j.m * ij.F * pressure;
        if constexpr (gas) {
          continuity(density, j.m * per_densities * ij.F, v_r);
          conduction =
              conduction + artificial_conductivity(j.m, ij.F, ij.q, i.p, j.p, i.rho, j.rho, per_density, per_densities);
        } else {
          density = density + continuity_monaghan(j.m, ij.F, v_r);
        }
        add_along<D>(force, f, ij.r);
        heating = heating + thermal_energy(f, v_r);
        if constexpr (drifts) add_along<D>(drift, xsph(j.m, CubicSpline::value(ij.rest, ij.q), per_density), v_ij);
        spread = spread + position_divergence(j.m, ij.F, ij.r2, per_density);
        closing = max(closing, select(j.m * ij.F > P(0), mu, P(0)));
      });

  for_each_neighbor<P>(
      in.wall_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_wall<P, D>(in.walls, places); },
      [&](const auto& w) __attribute__((always_inline)) {
        const auto iw = make_spline_pair<P, D>(i.x, w.x, scale);
        P v_iw[D];
        for (int d = 0; d < D; ++d) v_iw[d] = i.v[d] - w.v[d];
        const P v_r = dot<D>(v_iw, iw.r);
        const P per_density = P(2) / (i.rho + w.rho), per_densities = P(1) / (i.rho * w.rho);
        const P pressure = pair_pressure<gas>(max(i.p, min_pressure), w.p, i.rho, w.rho, per_densities) +
                           viscosity_at_wall<P, D>(i, w, iw, alpha, beta, nu, per_density);
        const P f = w.m * iw.F * pressure;
        if constexpr (gas) {
          continuity(density, w.m * per_densities * iw.F, v_r);
        } else {
          density = density + continuity_monaghan(w.m, iw.F, v_r);
        }
        add_along<D>(force, f, iw.r);
        heating = heating + thermal_energy_at_wall(f, v_r);
        spread = spread + position_divergence(w.m, iw.F, iw.r2, per_density);
        closing = max(closing, select(w.m * iw.F > P(0), closing_speed(v_r, iw.r2), P(0)));
      });

  if constexpr (gas) density = density * (i.rho * i.rho);
  put(density, out.density + at);
  put(fma(P(in.conductivity), conduction, heating), out.heating + at);
  put(spread, out.spread + at);
  put(closing, out.closing + at);
  for (int d = 0; d < D; ++d) {
    put(force[d], out.force[d] + at);
    if constexpr (drifts) put(drift[d], out.drift[d] + at);
  }
}

template <class P, int D, std::size_t choice, class Source = OwnNeighbors, class T = typename P::value_type>
void rates(const SweepInput<T>& in, const RateResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { rates_of<P, D, choice, Source>(in, out, c, part); });
}

/// `to`: where the results go.
template <class P, int D, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void walls_of(const Input& in, const WallResults<T, D>& out, std::int64_t c, int part,
                              std::int64_t to) {
  const P scale(in.scale);
  const std::int64_t at = c * neighbors::k_chunk + part;
  WallSums<P, D> sum{};
  if (in.fluid_neighbors[c].length > 0) {
    const auto w = load_wall<P, D>(in.walls, in.targets.template places<P::width>(at).data());
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part,
        [&](auto* places) __attribute__((always_inline)) { return load_fluid<P, D>(in.fluid, places); },
        [&](const auto& f)
            __attribute__((always_inline)) { extrapolate_to_wall(sum, f, make_spline_pair<P, D>(w.x, f.x, scale)); });
  }
  put(sum.weight, out.weight + to);
  put(sum.pressure, out.pressure + to);
  put(sum.density, out.density + to);
  for (int d = 0; d < D; ++d) {
    put(sum.lever[d], out.lever[d] + to);
    put(sum.velocity[d], out.velocity[d] + to);
  }
}

template <class P, int D, class T = typename P::value_type>
void walls(const SweepInput<T>& in, const WallResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) {
    walls_of<P, D>(in, out, c, part, (c - first_chunk) * neighbors::k_chunk + part);
  });
}

template <class P, int D, class T = typename P::value_type>
void nodes(const SweepInput<T>& in, const NodeResults<T, D>& out, std::int64_t first_chunk, std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) {
    const P scale(in.scale);
    const std::int64_t at = c * neighbors::k_chunk + part;
    P x[4];
    load_values<D>(in.nodes, in.targets.template places<P::width>(at).data(), x);
    LinearFitSums<P, D> sum{};
    for_each_neighbor<P>(
        in.fluid_neighbors[c], part,
        [&](auto* places) __attribute__((always_inline)) { return load_fluid<P, D>(in.fluid, places); },
        [&](const auto& f) __attribute__((always_inline)) {
          SampledFluid<P, D> sampled;
          for (int d = 0; d < D; ++d) sampled.x[d] = f.x[d], sampled.v[d] = f.v[d];
          sampled.p = f.p;
          sampled.V = f.m / f.rho;
          add_to_fit(sum, sampled, make_pair<P, D>(x, f.x, scale));
        });
    for (int k = 0; k < LinearFitSums<P, D>::k_values; ++k) put(sum.value[k], out.value[k] + at);
  });
}

template <class P, int D, bool gas, class T = typename P::value_type, class Input = SweepInput<T>>
EDDYLINE_INLINE void reaction_of(const Input& in, const ReactionResults<T, D>& out, std::int64_t c, int part) {
  const P scale(in.scale), alpha(in.alpha), beta(in.beta), nu(in.nu), min_pressure(in.min_pressure_at_walls);
  const std::int64_t at = c * neighbors::k_chunk + part;
  const auto w = load_wall<P, D>(in.walls, in.targets.template places<P::width>(at).data());
  P pressure[D], viscous[D];
  for_each_neighbor<P>(
      in.fluid_neighbors[c], part,
      [&](auto* places) __attribute__((always_inline)) { return load_fluid<P, D>(in.fluid, places); },
      [&](const auto& f) __attribute__((always_inline)) {
        const auto fw = make_spline_pair<P, D>(f.x, w.x, scale);
        const P mmF = f.m * (w.m * fw.F);
        const P per_density = P(2) / (f.rho + w.rho), per_densities = P(1) / (f.rho * w.rho);
        add_along<D>(pressure, mmF * pair_pressure<gas>(max(f.p, min_pressure), w.p, f.rho, w.rho, per_densities),
                     fw.r);
        add_along<D>(viscous, mmF * viscosity_at_wall<P, D>(f, w, fw, alpha, beta, nu, per_density), fw.r);
      });
  for (int d = 0; d < D; ++d) {
    put(P(0) - pressure[d], out.pressure[d] + at);
    put(P(0) - viscous[d], out.viscous[d] + at);
  }
}

template <class P, int D, bool gas, class T = typename P::value_type>
void reaction(const SweepInput<T>& in, const ReactionResults<T, D>& out, std::int64_t first_chunk,
              std::int64_t last_chunk) {
  for_each_part<P>(first_chunk, last_chunk,
                   [&](std::int64_t c, int part) { reaction_of<P, D, gas>(in, out, c, part); });
}

template <class P, int D, std::size_t... choices>
auto all_rates(std::index_sequence<choices...>) {
  return std::array<typename Sweeps<typename P::value_type, D>::Rates, sizeof...(choices)>{rates<P, D, choices>...};
}

template <class P, int D>
Sweeps<typename P::value_type, D> make_sweeps() {
  return {all_rates<P, D>(std::make_index_sequence<Terms::k_choices>()),
          walls<P, D>,
          nodes<P, D>,
          reaction<P, D, false>,
          reaction<P, D, true>,
          rates<P, D, Terms{.laminar_viscosity = true}.index(), SameNeighbors>,
          rates<P, D, Terms{.gas = true}.index(), SameNeighbors>};
}

}  // namespace eddyline::physics::classic
