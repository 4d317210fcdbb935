#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Heat conduction dT/dt = kappa laplace(T), with central differences of order 2.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 1;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr std::int32_t k_reach = 1;  // the rate of a cell depends on its next neighbours
  static constexpr bool k_constant_speed = true;

  double kappa;  // [m^2/s]

  explicit Model(const Settings& settings) : kappa(settings.number("kappa", 0)) {}

  std::vector<Field> fields() const { return {{"T", "K", Meaning::point, Reach::star}}; }

  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, 1>& at) const {
    return Q(1.0) - (at[0] - at[0]);
  }
  /// Heat spreads over a cell in the time dx / speed; the step is stable for any cfl that a world may have.
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, 1>&, double spacing) const {
    return Q(spacing > 0 ? 2 * D * kappa / spacing : 0.0);
  }
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> rates(const Stencil<Q>& s) const {
    const double* T = s.at(0);
    Q sum(0.0);
    for (std::size_t d = 0; d < D; ++d) {
      const std::ptrdiff_t step = s.stride(0)[d];
      sum = sum + ((Q::load(T - step) + Q::load(T + step)) - Q(2.0) * Q::load(T));
    }
    return {Q(kappa / (s.spacing * s.spacing)) * sum};
  }
};

}  // namespace eddyline::module
