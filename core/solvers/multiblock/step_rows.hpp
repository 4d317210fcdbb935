#pragma once
// Local steps and spectral radii along a row of cells.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"
#include "physics/artificial_compressibility/terms.hpp"
#include "solvers/multiblock/gas_rows.hpp"
#include "solvers/multiblock/scheme.hpp"

namespace eddyline::multiblock {

/// Smoothing of residuals: ratio of the steps that it allows, and the largest coefficient.
inline constexpr double k_spread = 2, k_most_spread = 2;

/// Limits of the steps of four cells: the largest speeds of signals through faces, and friction.
template <class E>
struct StepLimits;

template <int D>
struct StepLimits<Incompressible<D>> {
  using S = Pack4d;
  S beta, viscosity;
  physics::artificial_compressibility::Unknowns<S, D> cell;

  EDDYLINE_INLINE explicit StepLimits(const Scheme& scheme)
      : beta(scheme.beta), viscosity(scheme.viscous_share * scheme.viscosity) {}
  EDDYLINE_INLINE void read(const PieceFields<Incompressible<D>>& piece, std::ptrdiff_t at) {
    for (std::size_t v = 0; v <= D; ++v) cell[v] = S::load(piece.state[v].data() + at);
  }
  EDDYLINE_INLINE S radius(const std::array<S, D>& face) const {
    return physics::artificial_compressibility::spectral_radius<S, D>(cell, face, beta);
  }
  EDDYLINE_INLINE S friction() const { return viscosity; }
};

template <int D>
struct StepLimits<Gas<D>> {
  using S = Pack4d;
  const Scheme& scheme;
  physics::compressible::Constants<S> gas;
  S share, eddy;
  physics::compressible::Cell<S, D> cell;

  EDDYLINE_INLINE explicit StepLimits(const Scheme& of)
      : scheme(of), gas(of.gamma), share(of.viscous_share * std::max(4.0 / 3, of.conductivity * (of.gamma - 1))) {}
  EDDYLINE_INLINE void read(const PieceFields<Gas<D>>& piece, std::ptrdiff_t at) {
    cell = load_cell<S>(piece, at);
    if (piece.is_turbulent()) eddy = S::load(piece.turbulence.eddy.data() + at);
  }
  EDDYLINE_INLINE S radius(const std::array<S, D>& face) const {
    return physics::compressible::spectral_radius<S, D>(cell, face, gas);
  }
  EDDYLINE_INLINE S friction() const { return share * (viscosity_of(scheme, cell.theta) + eddy) / cell.rho; }
};

/// Sets local steps, spectral radii, and with sweeps the coefficients of smoothing, of `count` cells.
template <class E>
void set_step_row(PieceFields<E>& piece, const Scheme& scheme, std::ptrdiff_t first, std::int32_t count) {
  using S = Pack4d;
  constexpr std::size_t D = E::k_dimensions;
  const S half(0.5), cfl(scheme.cfl);
  StepLimits<E> limits(scheme);
  for (std::int32_t n = 0; n < count; n += S::width) {
    const std::ptrdiff_t c = first + n;
    limits.read(piece, c);
    const S per_volume = S::load(piece.per_volume.data() + c);
    std::array<S, D> lambda;
    S sum, areas;
    for (std::size_t d = 0; d < D; ++d) {
      std::array<S, D> face;
      for (std::size_t e = 0; e < D; ++e)
        face[e] = half * (S::load(piece.face[d][e].data() + c) +
                          S::load(piece.face[d][e].data() + c + piece.extents.stride[d]));
      lambda[d] = limits.radius(face);
      sum = sum + lambda[d];
      areas = areas + physics::compressible::dot(face, face);
    }
    // Source of the coefficients: Jameson & Baker 1983. The largest keeps two sweeps stable.
    if (scheme.sweeps > 0)
      for (std::size_t d = 0; d < D; ++d) {
        const S part = S(k_spread * (E::k_dimensions + 1) / 2) * (lambda[d] / sum);
        min(max(S(0.25) * (part * part - S(1)), S(0)), S(k_most_spread)).store(piece.spread[d].data() + c);
      }
    (cfl / ((sum + areas * limits.friction() * per_volume) * per_volume)).store(piece.local_step.data() + c);
    for (std::size_t d = 0; d < D; ++d) {
      S ratio;
      for (std::size_t e = 0; e < D; ++e)
        if (e != d) ratio = max(ratio, lambda[e] / lambda[d]);
      (lambda[d] * (S(1) + sqrt(ratio))).store(piece.radius[d].data() + c);
    }
  }
}

}  // namespace eddyline::multiblock
