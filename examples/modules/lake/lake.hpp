#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// Shallow water over a bed b that does not change. Order 1; depths at faces follow from the level of the water
/// (Audusse et al. 2004), so that a lake at rest stays at rest to the last bit. Beyond walls and open sides the
/// neighbour is the mirror or the copy of the cell, with its bed.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 4;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr std::int32_t k_reach = 1;
  static constexpr bool k_constant_speed = false;
  template <class Q>
  using State = ValuesOf<Q, 4>;

  double g;  // [m/s^2]

  explicit Model(const Settings& settings) : g(settings.number("g", 0)) {}

  std::vector<Field> fields() const {
    return {{"h", "m", Meaning::average, Reach::star},
            {"hu", "m^2/s", Meaning::average, Reach::star, 0},
            {"hv", "m^2/s", Meaning::average, Reach::star, 1},
            {"b", "m", Meaning::average, Reach::star}};
  }

  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& u) const {
    return u[0] - (u[1] - u[1]) - (u[2] - u[2]);
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>& u) const {
    return (abs(u[1]) + abs(u[2])) / u[0] + Q(2.0) * sqrt(Q(g) * u[0]);
  }
  template <class Q>
  EDDYLINE_INLINE State<Q> at(const Stencil<Q>& s, std::size_t axis, int side) const {
    State<Q> u;
    for (std::size_t f = 0; f < 4; ++f) u[f] = Q::load(s.at(f) + side * s.stride(f)[axis]);
    return u;
  }
  /// Flux through the face between `low` and `high`, less the pressure that the bed bears on the side of `own`.
  template <class Q>
  EDDYLINE_INLINE State<Q> flux(const State<Q>& low, const State<Q>& high, const State<Q>& own, std::size_t n) const {
    const Q zero(0.0), bed = max(low[3], high[3]);
    const Q l = max((low[0] + low[3]) - bed, zero), r = max((high[0] + high[3]) - bed, zero);
    const Q vl = low[n] / low[0], vr = high[n] / high[0];
    const Q fastest = max(abs(vl) + sqrt(Q(g) * low[0]), abs(vr) + sqrt(Q(g) * high[0]));
    const Q ratio_l = l / low[0], ratio_r = r / high[0], half(0.5);
    State<Q> flux{};
    for (std::size_t f = 0; f < 3; ++f) {
      const Q ul = f == 0 ? l : low[f] * ratio_l, ur = f == 0 ? r : high[f] * ratio_r;
      flux[f] = half * ((vl * ul + vr * ur) - fastest * (ur - ul));
    }
    const Q stands = select(own[3] + own[0] > bed, (own[0] + own[3]) - bed, zero);
    flux[n] = flux[n] + Q(0.25 * g) * (l * l + r * r) - Q(0.5 * g) * (stands * stands);
    return flux;
  }
  template <class Q>
  EDDYLINE_INLINE State<Q> rates(const Stencil<Q>& s) const {
    State<Q> rate{};
    for (std::size_t axis = 0; axis < D; ++axis) {
      const State<Q> below = at(s, axis, -1), own = at(s, axis, 0), above = at(s, axis, 1);
      const State<Q> in = flux(below, own, own, axis + 1), out = flux(own, above, own, axis + 1);
      for (std::size_t f = 0; f < 3; ++f) rate[f] = rate[f] + Q(1 / s.spacing) * (in[f] - out[f]);
    }
    return rate;
  }
};

}  // namespace eddyline::module
