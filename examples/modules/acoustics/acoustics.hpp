#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Sound in a medium at rest: dp/dt = -rho c^2 div v, dv/dt = -grad p / rho. Upwind fluxes; walls reflect.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 3;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = true;
  template <class Q>
  using State = ValuesOf<Q, 3>;

  double c, rho;  // [m/s], [kg/m^3]

  explicit Model(const Settings& settings) : c(settings.number("c", 0)), rho(settings.number("rho", 0)) {}

  /// The last number is the axis of a component of a vector, which a wall reflects.
  std::vector<Field> fields() const {
    return {{"sound", "Pa", Meaning::average, Reach::star},
            {"vx", "m/s", Meaning::average, Reach::star, 0},
            {"vy", "m/s", Meaning::average, Reach::star, 1}};
  }

  template <class Q>
  EDDYLINE_INLINE State<Q> primitive(const State<Q>& u) const {
    return u;
  }
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const State<Q>& u) const {
    return Q(1.0) - ((u[0] - u[0]) + (u[1] - u[1]) + (u[2] - u[2]));
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& u) const {
    return margin_of_primitive(u);
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>&) const {
    return Q(D * c);
  }
  /// Pressure and velocity between two waves that leave the face, one to each side.
  template <int Axis, class Q>
  EDDYLINE_INLINE State<Q> flux(const State<Q>& l, const State<Q>& r) const {
    constexpr std::size_t n = Axis + 1;
    const double z = rho * c;  // impedance
    const Q p = Q(0.5) * ((l[0] + r[0]) + Q(z) * (l[n] - r[n]));
    const Q v = Q(0.5) * ((l[n] + r[n]) + Q(1 / z) * (l[0] - r[0]));
    State<Q> flux{Q(rho * c * c) * v, Q(0.0), Q(0.0)};
    flux[n] = Q(1 / rho) * p;
    return flux;
  }
};

}  // namespace eddyline::module
