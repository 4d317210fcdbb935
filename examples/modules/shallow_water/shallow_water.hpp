#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Shallow water over a level bed: depth h and discharges hu, hv. Fluxes of Harten, Lax and van Leer.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 3;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = false;
  template <class Q>
  using State = ValuesOf<Q, 3>;

  double g;  // [m/s^2]

  explicit Model(const Settings& settings) : g(settings.number("g", 0)) {}

  /// The last number is the axis of a component of a vector, which a wall reflects.
  std::vector<Field> fields() const {
    return {{"h", "m", Meaning::average, Reach::star},
            {"hu", "m^2/s", Meaning::average, Reach::star, 0},
            {"hv", "m^2/s", Meaning::average, Reach::star, 1}};
  }

  /// Depth and velocity are interpolated to faces.
  template <class Q>
  EDDYLINE_INLINE State<Q> primitive(const State<Q>& u) const {
    return {u[0], u[1] / u[0], u[2] / u[0]};
  }
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const State<Q>& q) const {
    return q[0] - (q[1] - q[1]) - (q[2] - q[2]);
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& u) const {
    return margin_of_primitive(u);
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>& u) const {
    return (abs(u[1]) + abs(u[2])) / u[0] + Q(2.0) * sqrt(Q(g) * u[0]);
  }
  template <int Axis, class Q>
  EDDYLINE_INLINE State<Q> flux(const State<Q>& left, const State<Q>& right) const {
    constexpr std::size_t n = Axis + 1;
    const Q zero(0.0), cl = sqrt(Q(g) * left[0]), cr = sqrt(Q(g) * right[0]);
    const Q al = zero - max(max(cl - left[n], cr - right[n]), zero);  // the slowest wave, or 0
    const Q ar = max(max(left[n] + cl, right[n] + cr), zero);         // the fastest one, or 0
    State<Q> fl = along<Axis>(left), fr = along<Axis>(right), flux;
    for (std::size_t f = 0; f < 3; ++f) {
      const Q jump = f == 0 ? right[0] - left[0] : right[0] * right[f] - left[0] * left[f];
      flux[f] = (ar * fl[f] - al * fr[f] + al * ar * jump) / (ar - al);
    }
    return flux;
  }

  std::string complaint(std::span<const double> u) const {
    return "has a depth h of " + std::to_string(u[0]) + " m, which must be positive. Start with more water";
  }

 private:
  template <int Axis, class Q>
  EDDYLINE_INLINE State<Q> along(const State<Q>& q) const {
    const Q m = q[0] * q[Axis + 1], pressure = Q(0.5 * g) * q[0] * q[0];
    return {m, m * q[1] + (Axis == 0 ? pressure : Q(0.0)), m * q[2] + (Axis == 1 ? pressure : Q(0.0))};
  }
};

}  // namespace eddyline::module
