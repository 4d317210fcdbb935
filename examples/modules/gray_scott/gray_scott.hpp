#pragma once

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// dU/dt = Du laplace(U) - U V^2 + F (1 - U), dV/dt = Dv laplace(V) + U V^2 - (F + k) V: spots and stripes.
template <int D>
struct Model {
  static constexpr std::size_t k_fields = 2;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr std::int32_t k_reach = 1;
  static constexpr bool k_constant_speed = true;
  template <class Q>
  using State = ValuesOf<Q, 2>;

  double feed, kill;           // [1/s]
  double spread_u, spread_v;  // [m^2/s]

  explicit Model(const Settings& settings)
      : feed(settings.number("feed", 0)),
        kill(settings.number("kill", 0)),
        spread_u(settings.number("spread_u", 0)),
        spread_v(settings.number("spread_v", 0)) {}

  std::vector<Field> fields() const {
    return {{"V", "1", Meaning::point, Reach::star}, {"U", "1", Meaning::point, Reach::star}};
  }

  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& c) const {
    return Q(1.0) - ((c[0] - c[0]) + (c[1] - c[1]));
  }
  /// Diffusion and reactions bound the time step: dx / speed is below dx^2 / (2 D spread), and below a second.
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>&, double spacing) const {
    const double widest = spread_u > spread_v ? spread_u : spread_v;
    return Q(spacing > 0 ? 2 * D * widest / spacing + spacing : 0.0);
  }
  template <class Q>
  EDDYLINE_INLINE Q laplacian(const Stencil<Q>& s, std::size_t field) const {
    const double* c = s.at(field);
    Q sum(0.0);
    for (std::size_t d = 0; d < D; ++d) {
      const std::ptrdiff_t step = s.stride(field)[d];
      sum = sum + ((Q::load(c - step) + Q::load(c + step)) - Q(2.0) * Q::load(c));
    }
    return Q(1 / (s.spacing * s.spacing)) * sum;
  }
  template <class Q>
  EDDYLINE_INLINE State<Q> rates(const Stencil<Q>& s) const {
    const Q v = s.value(0), u = s.value(1), reaction = u * v * v;
    return {fma(Q(spread_v), laplacian(s, 0), reaction) - Q(feed + kill) * v,
            fma(Q(spread_u), laplacian(s, 1), Q(feed) * (Q(1.0) - u)) - reaction};
  }
};

}  // namespace eddyline::module
