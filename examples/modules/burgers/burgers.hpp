#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Burgers' equation dw/dt + d(w^2/2)/dx = 0: waves that steepen into shocks. Godunov's flux.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 1;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = false;  // the time step follows the largest w

  explicit Model(const Settings&) {}

  std::vector<Field> fields() const { return {{"w", "m/s", Meaning::average, Reach::star}}; }

  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> primitive(const ValuesOf<Q, 1>& u) const {
    return u;
  }
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const ValuesOf<Q, 1>& u) const {
    return Q(1.0) - (u[0] - u[0]);
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, 1>& u) const {
    return margin_of_primitive(u);
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, 1>& u) const {
    return abs(u[0]);
  }
  /// The greater of the fluxes of max(left, 0) and min(right, 0); nothing flows along y.
  template <int Axis, class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> flux(const ValuesOf<Q, 1>& left, const ValuesOf<Q, 1>& right) const {
    if constexpr (Axis != 0) return {Q(0.0)};
    const Q zero(0.0), l = max(left[0], zero), r = select(right[0] > zero, zero, right[0]);
    return {Q(0.5) * max(l * l, r * r)};
  }
};

}  // namespace eddyline::module
