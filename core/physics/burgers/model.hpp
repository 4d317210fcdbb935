#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::physics::burgers {

/// Burgers' equation du/dt + d(u^2/2)/dx + d(u^2/2)/dy + d(u^2/2)/dz = 0: u moves with the speed u along all axes.
template <int D>
struct Burgers {
  static constexpr std::size_t k_fields = 1;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = false;

  static std::vector<std::string> options() { return {}; }
  explicit Burgers(const Settings&) {}

  std::vector<Field> fields() const { return {{"u", "m/s", Meaning::average, Reach::star}}; }

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
    return Q(static_cast<double>(D)) * abs(u[0]);
  }
  /// Godunov's flux: the greater of those of max(left, 0) and min(right, 0).
  template <int Axis, class Q>
  EDDYLINE_INLINE ValuesOf<Q, 1> flux(const ValuesOf<Q, 1>& left, const ValuesOf<Q, 1>& right) const {
    const Q zero(0.0), l = select(left[0] > zero, left[0], zero), r = select(zero > right[0], right[0], zero);
    const Q a = l * l, b = r * r;
    return {Q(0.5) * select(a > b, a, b)};
  }
};

}  // namespace eddyline::physics::burgers
