#pragma once
// Terms of scalars along a row of cells.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/lanes.hpp"
#include "physics/artificial_compressibility/terms.hpp"
#include "solvers/multiblock/flux_rows.hpp"
#include "solvers/multiblock/scheme.hpp"

namespace eddyline::multiblock {

/// Fields of a scalar in the cells of a piece.
template <int D>
struct ScalarFields {
  Array<double> now, before, before_that;  // and at the last two time steps
  Array<double> source, loss;              // of the module
  std::array<Array<double>, D> gradient;
};

/// Scalars in the cells of a piece, and the linear system for the change of one of them.
template <int D>
struct PieceScalars : ImplicitSystem<D> {
  std::vector<ScalarFields<D>> scalars;
  std::array<std::array<Array<double>, 2>, D> outflow;  // volume that leaves below and above along each index [m^D/s]
};

/// Numbers of a scalar.
struct ScalarTerms {
  double diffusivity;
  double middle;      // the flow carries differences from it
  double relaxation;  // added to the diagonal, over the sum of the coefficients of neighbours
  TimeDerivative time;
};

/// The volume that leaves four cells through their faces at one end of an index, by the flux of the flow scheme.
template <int D>
EDDYLINE_INLINE Pack4d outflow_of(const PieceFields<Incompressible<D>>& piece, const Scheme& scheme, std::size_t axis,
                                  std::size_t end, std::ptrdiff_t c) {
  namespace terms = physics::artificial_compressibility;
  using S = Pack4d;
  const std::ptrdiff_t stride = piece.extents.stride[axis], b = end == 0 ? c : c + stride, a = b - stride;
  const auto load = [&](std::ptrdiff_t at) {
    terms::Unknowns<S, D> w;
    for (std::size_t v = 0; v <= D; ++v) w[v] = S::load(piece.state[v].data() + at);
    return w;
  };
  terms::Vector<S, D> face;
  for (std::size_t d = 0; d < D; ++d) face[d] = S::load(piece.face[axis][d].data() + b);
  const S half(0.5), beta(scheme.beta);
  const auto wa = load(a), wb = load(b);
  const double* radius = piece.radius[axis].data();
  const S lambda = half * (S::load(radius + a) + S::load(radius + b));
  auto dissipation = terms::third_differences<S, D>(
      load(a - stride), wa, wb, load(b + stride), scheme.matrix ? passes(lambda) : lambda, S(scheme.third_differences));
  if (scheme.matrix) dissipation = terms::times_matrix<S, D>(dissipation, wa, wb, face, beta, S(k_least_eigenvalue));
  const S through = terms::convective_flux<S, D>(wa, wb, face, beta)[0] - dissipation[0];
  return (end == 0 ? S(0) - through : through) / beta;
}

/// Value at a face, from that of the cell that the flow comes from, the one behind it and the one ahead. Second order,
/// between its neighbours. Source of the limiter: van Leer 1974.
EDDYLINE_INLINE Pack4d upwind_value(Pack4d behind, Pack4d cell, Pack4d ahead) {
  using S = Pack4d;
  constexpr double k_tiny = 1e-300;
  const S low = cell - behind, high = ahead - cell, sum = low + high;
  return cell + max(low * high, S(0)) * sum / (sum * sum + S(k_tiny));
}

/// Diffusion into a cell through a face to a neighbour: the mean gradient of both cells, corrected so that its part
/// along the line between the centres is their difference; and the coefficient of that difference.
struct Diffusion {
  Pack4d into, coefficient;
};

template <int D>
EDDYLINE_INLINE Diffusion diffusion_of(const PieceFields<Incompressible<D>>& piece, const ScalarFields<D>& scalar,
                                       std::size_t axis, std::size_t end, std::ptrdiff_t c) {
  using S = Pack4d;
  const std::ptrdiff_t stride = piece.extents.stride[axis], b = end == 0 ? c : c + stride, a = b - stride;
  S along, square, through, crossed;
  for (std::size_t d = 0; d < D; ++d) {
    const S face = S::load(piece.face[axis][d].data() + b);
    const S line = S::load(piece.center[d].data() + b) - S::load(piece.center[d].data() + a);
    const double* gradient = scalar.gradient[d].data();
    const S mean = S(0.5) * (S::load(gradient + a) + S::load(gradient + b));
    along = along + face * line;
    square = square + face * face;
    through = through + mean * face;
    crossed = crossed + mean * line;
  }
  const S coefficient = square / along;
  const S difference = S::load(scalar.now.data() + b) - S::load(scalar.now.data() + a);
  const S flux = through + coefficient * (difference - crossed);
  return {end == 0 ? S(0) - flux : flux, coefficient};
}

/// The linear system of a row of cells for the change x of a scalar, all terms times volumes:
///   (V (now + loss) + (1 + relaxation) sum a) x - sum a x_neighbor = rate,   a = inflow + diffusion.
template <int D>
void set_scalar_row(const PieceFields<Incompressible<D>>& piece, PieceScalars<D>& all, const ScalarFields<D>& scalar,
                    const ScalarTerms& terms, std::ptrdiff_t first, std::int32_t count) {
  using S = Pack4d;
  const S kappa(terms.diffusivity), middle(terms.middle), relaxed(1 + terms.relaxation), now(terms.time.now);
  for (std::int32_t n = 0; n < count; n += S::width) {
    const std::ptrdiff_t c = first + n;
    const auto value = [&](std::ptrdiff_t at) { return S::load(scalar.now.data() + at); };
    S sum, rate;
    for (std::size_t axis = 0; axis < D; ++axis)
      for (std::size_t end = 0; end < 2; ++end) {
        const std::ptrdiff_t stride = piece.extents.stride[axis], to = end == 0 ? -stride : stride;
        const S leaves = S::load(all.outflow[axis][end].data() + c);
        const S out = max(leaves, S(0)), in = max(S(0) - leaves, S(0));
        const S carried = out * (upwind_value(value(c - to), value(c), value(c + to)) - middle) -
                          in * (upwind_value(value(c + to + to), value(c + to), value(c)) - middle);
        const Diffusion diffusion = diffusion_of(piece, scalar, axis, end, c);
        const S a = in + kappa * diffusion.coefficient;
        a.store(all.neighbor[axis][end].data() + c);
        sum = sum + a;
        rate = rate + (kappa * diffusion.into - carried);
      }
    const S volume = S::load(piece.volume.data() + c);
    S source = S::load(scalar.source.data() + c);
    if (terms.time.now != 0)
      source = source - (now * value(c) + S(terms.time.before) * S::load(scalar.before.data() + c) +
                         S(terms.time.before_that) * S::load(scalar.before_that.data() + c));
    (rate + volume * source).store(all.rate.data() + c);
    (relaxed * sum + volume * (now + S::load(scalar.loss.data() + c))).store(all.diagonal.data() + c);
  }
}

}  // namespace eddyline::multiblock
