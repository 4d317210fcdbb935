#pragma once

#include <cmath>

#include "physics/equations/kernels.hpp"

namespace eddyline::module {

using namespace eddyline::physics;

/// 28 waves d2u/dt2 = c^2 laplace(u) side by side, 56 values for each cell: as many as a code for gravitational waves
/// carries, for experiments with memory, exchange and ranks. Differences of order 4.
template <int D>
struct Model {
  static constexpr std::size_t k_waves = 28, k_fields = 2 * k_waves;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr std::int32_t k_reach = 2;
  static constexpr bool k_constant_speed = true;
  template <class Q>
  using State = ValuesOf<Q, k_fields>;

  std::array<double, k_waves> speeds{};  // [m/s]

  explicit Model(const Settings& settings) {
    const double slowest = settings.number("slowest", 0);
    for (std::size_t w = 0; w < k_waves; ++w)
      speeds[w] = slowest + (1 - slowest) * static_cast<double>(w) / (k_waves - 1);
  }

  /// First all u, then all p = du/dt, whose neighbours do not matter.
  std::vector<Field> fields() const {
    std::vector<Field> all;
    for (std::size_t w = 0; w < k_waves; ++w) all.push_back({"u" + std::to_string(w), "m", Meaning::point, Reach::star});
    for (std::size_t w = 0; w < k_waves; ++w)
      all.push_back({"p" + std::to_string(w), "m/s", Meaning::point, Reach::none});
    return all;
  }

  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& at) const {
    Q zero(0.0);
    for (std::size_t f = 0; f < k_fields; ++f) zero = zero + (at[f] - at[f]);
    return Q(1.0) - zero;
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>&) const {
    return Q(std::sqrt(static_cast<double>(D)));
  }
  template <class Q>
  EDDYLINE_INLINE State<Q> rates(const Stencil<Q>& s) const {
    State<Q> rate;
    for (std::size_t w = 0; w < k_waves; ++w) {
      const double* u = s.at(w);
      const auto& stride = s.stride(w);
      Q sum(0.0);
      for (std::size_t d = 0; d < D; ++d) {
        const Q next = Q::load(u - stride[d]) + Q::load(u + stride[d]);
        const Q far = Q::load(u - 2 * stride[d]) + Q::load(u + 2 * stride[d]);
        sum = sum + fma(Q(4.0 / 3), next, fma(Q(-1.0 / 12), far, Q(-2.5) * Q::load(u)));
      }
      const double per_cell = speeds[w] / s.spacing;
      rate[w] = s.value(k_waves + w);
      rate[k_waves + w] = Q(per_cell * per_cell) * sum;
    }
    return rate;
  }
};

}  // namespace eddyline::module
