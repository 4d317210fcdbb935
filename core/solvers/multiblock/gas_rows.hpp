#pragma once
// Fluxes of a gas through a row of faces.

#include "solvers/multiblock/flux_rows.hpp"
#include "solvers/multiblock/gas_state.hpp"
#include "solvers/multiblock/scheme.hpp"

namespace eddyline::multiblock {

/// Dynamic viscosity where p / rho is theta.
template <class S>
EDDYLINE_INLINE S viscosity_of(const Scheme& scheme, S theta) {
  return S(scheme.viscosity) *
         physics::compressible::relative_viscosity(theta * S(1 / scheme.start_theta), scheme.sutherland);
}

/// Dynamic viscosity at a face with that of eddies, and the conductivity over it.
struct Transport {
  Pack4d viscosity, conductivity;
};
template <int D>
EDDYLINE_INLINE Transport transport_at(const PieceFields<Gas<D>>& piece, const Scheme& scheme, Pack4d theta,
                                       std::ptrdiff_t a, std::ptrdiff_t b) {
  using S = Pack4d;
  const S laminar = viscosity_of(scheme, theta);
  if (!piece.is_turbulent()) return {laminar, S(scheme.conductivity)};
  const double* eddies = piece.turbulence.eddy.data();
  const S eddy = S(0.5) * (S::load(eddies + a) + S::load(eddies + b)), sum = laminar + eddy;
  return {sum, (S(scheme.conductivity) * laminar + S(scheme.eddy_conductivity) * eddy) / sum};
}

/// Dissipation on the finest level.
template <int D>
EDDYLINE_INLINE physics::compressible::Densities<Pack4d, D> third_differences(
    const PieceFields<Gas<D>>& piece, const Scheme& scheme, const physics::compressible::Constants<Pack4d>& gas,
    const physics::compressible::Cell<Pack4d, D>& ca, const physics::compressible::Cell<Pack4d, D>& cb,
    const physics::compressible::Vector<Pack4d, D>& face, Pack4d lambda, std::ptrdiff_t a, std::ptrdiff_t stride) {
  namespace terms = physics::compressible;
  using S = Pack4d;
  const auto before = load_cell<S>(piece, a - stride), after = load_cell<S>(piece, a + 2 * stride);
  const auto by = terms::coefficients<S>({before.p, ca.p, cb.p, after.p}, S(scheme.second_differences),
                                         S(scheme.third_differences));
  if (!scheme.matrix) {
    auto sum = terms::differences(terms::with_enthalpy(before, gas), terms::with_enthalpy(ca, gas),
                                  terms::with_enthalpy(cb, gas), terms::with_enthalpy(after, gas), by);
    for (S& part : sum) part = lambda * part;
    return sum;
  }
  const auto sum = terms::differences(terms::densities(before, gas), terms::densities(ca, gas),
                                      terms::densities(cb, gas), terms::densities(after, gas), by);
  auto product = terms::times_matrix<S, D>(sum, ca, cb, face, gas, S(k_least_eigenvalue));
  const S share = passes(lambda);
  for (S& part : product) part = share * part;
  return product;
}

/// Fluxes through `count` faces across `axis`, from the cells before `first` to those at it.
template <Dissipative Kind, int D>
void flux_row(const PieceFields<Gas<D>>& piece, const Scheme& scheme, std::size_t axis, std::ptrdiff_t first,
              std::int32_t count, FluxRow<Gas<D>>& row) {
  namespace terms = physics::compressible;
  using S = Pack4d;
  constexpr std::size_t N = D + 2;
  const std::ptrdiff_t stride = piece.extents.stride[axis];
  const S half(0.5);
  const terms::Constants<S> gas(scheme.gamma);
  for (std::int32_t n = 0; n < count; n += S::width) {
    const std::ptrdiff_t b = first + n, a = b - stride;
    terms::Vector<S, D> face;
    for (std::size_t d = 0; d < D; ++d) face[d] = S::load(piece.face[axis][d].data() + b);
    const auto ca = load_cell<S>(piece, a), cb = load_cell<S>(piece, b);
    const auto flux = terms::convective_flux(ca, cb, face, gas);
    for (std::size_t v = 0; v < N; ++v) flux[v].store(row.convective[v].data() + n);
    if constexpr (Kind != Dissipative::none) {
      const auto& radius = piece.radius[axis];
      const S lambda = half * (S::load(radius.data() + a) + S::load(radius.data() + b));
      terms::Densities<S, D> sum;
      if constexpr (is_first(Kind)) {
        const auto wa = terms::with_enthalpy(ca, gas), wb = terms::with_enthalpy(cb, gas);
        const S scale = S(scheme.first_differences) * lambda;
        for (std::size_t v = 0; v < N; ++v) sum[v] = scale * (wb[v] - wa[v]);
      } else {
        sum = third_differences<D>(piece, scheme, gas, ca, cb, face, lambda, a, stride);
      }
      if constexpr (is_thin(Kind) || Kind == Dissipative::third_full) {
        const auto [mu, conductivity] = transport_at<D>(piece, scheme, half * (ca.theta + cb.theta), a, b);
        terms::Friction<S, D> friction;
        if constexpr (is_thin(Kind)) {
          const S per_volume = S(2) / (S::load(piece.volume.data() + a) + S::load(piece.volume.data() + b));
          friction = terms::thin_layer_friction<S, D>(ca, cb, face, per_volume, mu, conductivity);
        } else {
          terms::Gradient<S, D> mean;
          terms::Vector<S, D> line;
          for (std::size_t d = 0; d < D; ++d) {
            line[d] = S::load(piece.center[d].data() + b) - S::load(piece.center[d].data() + a);
            for (std::size_t v = 0; v <= D; ++v)
              mean[v][d] =
                  half * (S::load(piece.gradient[1 + v][d].data() + a) + S::load(piece.gradient[1 + v][d].data() + b));
          }
          friction = terms::full_friction<S, D>(ca, cb, mean, line, face, mu, conductivity);
        }
        S work = friction.heat;
        for (std::size_t d = 0; d < D; ++d) {
          sum[1 + d] = sum[1 + d] + friction.stress[d];
          work = work + half * (ca.u[d] + cb.u[d]) * friction.stress[d];
        }
        sum[D + 1] = sum[D + 1] + work;
      }
      for (std::size_t v = 0; v < N; ++v) sum[v].store(row.dissipative[v].data() + n);
    }
  }
}

}  // namespace eddyline::multiblock
