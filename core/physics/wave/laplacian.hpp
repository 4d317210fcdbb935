#pragma once

#include <array>
#include <cstddef>

#include "base/pack.hpp"

namespace eddyline::physics::wave {

/// Weights of the central second difference of order 2, 4 or 6 at distances 0, 1, 2, 3.
/// Source: Fornberg 1988.
template <int Order>
constexpr auto second_difference() {
  if constexpr (Order == 2) return std::array{-2.0, 1.0};
  if constexpr (Order == 4) return std::array{-5.0 / 2, 4.0 / 3, -1.0 / 12};
  if constexpr (Order == 6) return std::array{-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
}

/// dx^2 laplace(u) at the cells of a pack. `u`: the first of them; `stride`: distance to the next cell along each axis.
/// Summed in one order: centre, then axis by axis, near cells first, each pair of cells before it is weighted.
template <int Order, int D, class P>
EDDYLINE_INLINE P laplacian(const double* u, const std::array<std::ptrdiff_t, 3>& stride) {
  constexpr auto w = second_difference<Order>();
  P sum = P(D * w[0]) * P::load(u);
  for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d)
    for (std::size_t k = 1; k < w.size(); ++k) {
      const auto step = static_cast<std::ptrdiff_t>(k) * stride[d];
      sum = sum + P(w[k]) * (P::load(u - step) + P::load(u + step));
    }
  return sum;
}

}  // namespace eddyline::physics::wave
